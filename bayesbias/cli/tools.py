"""The commands beside an analysis: measures, debias, analogies, classifier and wordlists."""

import os
import shlex
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import Command, app
from bayesbias.errors import ArgumentError, OutputError, PredictionsError

_METHODS: Final = "hard, multiclass, subspace, inlp, leace or double_hard"


@app.command(cls=Command)
@shared.with_groups
def measures(
    *,
    vectors: shared.Vectors,
    wordlist: shared.WordListName,
    all_words: Annotated[
        bool, Option("--all-words", help="Read the whole vocabulary, for neighbours.")
    ] = False,
    before: Annotated[
        str | None, Option(metavar="VECTORS", help="Vectors before debiasing, for neighbours.")
    ] = None,
    seed: shared.Seed = 1,
    as_json: shared.Json = False,
    log: shared.Log = None,
    reading: shared.Reading,
) -> None:
    """Print WEAT, MAC, RND, RNSB, RIPA and other measures."""
    from bayesbias.measures.registry import MEASURES, READS

    words = bb.load_wordlist(wordlist)
    whole = all_words or before is not None
    loaded = reading.load(vectors, None if whole else words.words)
    earlier = None if before is None else reading.load(before, None)
    names = [name for name, measure in MEASURES.items() if whole or not measure.whole_vocabulary]
    table = bb.measures.all_measures(loaded, words, names=names, before=earlier, seed=seed)
    columns = ["measure", "applies_to", "value", "low", "high", "p_value", "n_words"]
    shown = table.loc[table["skipped"] == "", columns]
    forms = {"p_value": lambda p: "" if p != p else f"{p:.2g}"}
    lines = [shown.to_string(index=False, float_format="%.3f", na_rep="", formatters=forms)]
    lines += ["", *(f"{name}: {READS[name]}" for name in shown["measure"].unique())]
    skipped = table[table["skipped"] != ""]
    lines += [f"{row.measure} is skipped: {row.skipped}" for row in skipped.itertuples()]
    lines += [] if whole else ["Measures of neighbours need the whole vocabulary: --all-words."]
    output.show("\n".join(lines), {"seed": seed, "measures": table}, as_json=as_json)


@app.command(cls=Command)
@shared.with_groups
def debias(
    *,
    method: Annotated[str, Argument(metavar="METHOD", help=f"{_METHODS}.")],
    vectors: shared.Vectors,
    result: Annotated[Path, Argument(metavar="OUT", help="File to write: .txt, .bin or .kv.")],
    wordlist: shared.WordListName,
    k: Annotated[
        int | None, Option("--k", metavar="N", help="Dimensions of the subspace (multiclass).")
    ] = None,
    all_words: Annotated[
        bool, Option("--all-words", help="Neutralise every word but the protected ones.")
    ] = False,
    keep: Annotated[
        list[str] | None, Option(metavar="WORD", help="Leave this word too; repeatable.")
    ] = None,
    overwrite: shared.Overwrite = False,
    as_json: shared.Json = False,
    log: shared.Log = None,
    reading: shared.Reading,
) -> None:
    """Debias a file of vectors, and write a record beside it."""
    from bayesbias.support.whole_files import check_file

    function = bb.debias.find_method(method)
    wanted = bb.load_wordlist(wordlist)
    if os.path.exists(vectors) and result.exists() and result.samefile(vectors):
        raise OutputError(f"{result}: is what the vectors are read from; choose another place")
    check_file(result, overwrite=overwrite)
    options: dict[str, Any] = {} if k is None else {"k": k}
    if all_words:
        options |= {"neutralise": "all", "keep": [*wanted.protected_words, *(keep or ())]}
    elif keep:
        options["keep"] = keep
    for name in options:
        if name not in signature(function).parameters:
            raise ArgumentError(f"{name}: does not go with this method")
    debiased = function(reading.load(vectors, None), wordlist=wanted, **options)
    debiased.save(result)
    text = (
        f"{debiased.record!r}\n\nVectors are in {result}, the record of what was done in "
        f"{result.name}.json.\nWhat it changed: "
        f"{shlex.join(['bayesbias', 'compare', vectors, str(result), '-w', wordlist])}"
    )
    output.show(text, debiased.record.to_dict(), as_json=as_json)


@app.command(cls=Command)
@shared.with_groups
def analogies(
    *,
    vectors: shared.Vectors,
    words: Annotated[
        list[str] | None,
        Argument(metavar="A B C", help="a : b :: c : ?; or two words a c, to rank pairs b : d."),
    ] = None,
    questions: Annotated[
        Path | None, Option(metavar="FILE", help="A file like questions-words.txt.")
    ] = None,
    method: Annotated[
        str | None, Option(metavar="METHOD", help="all, 3cosadd, 3cosmul or bolukbasi.")
    ] = None,
    top: Annotated[int, Option(metavar="N", help="Answers.")] = 10,
    delta: Annotated[
        float, Option(metavar="D", help="Bolukbasi's limit on the distance of b and d.")
    ] = 1.0,
    reported: Annotated[
        str | None, Option(metavar="WORD", help="Rank this word, reported by somebody.")
    ] = None,
    as_json: shared.Json = False,
    reading: shared.Reading,
) -> None:
    """Ask a : b :: c : ? with and without the query's own words."""
    queries = words or []
    if len(queries) not in ((0,) if questions else (2, 3)):
        raise ArgumentError(
            f"give three words a b c, two words a c to rank pairs, or --questions FILE and no "
            f"words; there are {len(queries)}"
        )
    loaded = reading.load(vectors, None)
    formula: Any = {"delta": delta} | ({"method": method} if method else {})
    result: Any
    if questions is not None:
        result = bb.analogies.accuracy(loaded, questions, **formula)
    elif len(queries) == 2:
        result = bb.analogies.rank_pairs(loaded, *queries, top=top, delta=delta)
    else:
        result = bb.analogies.analogy(loaded, *queries, top=top, reported=reported, **formula)
    output.show(repr(result), result.to_dict(), as_json=as_json)


classifier = typer.Typer(
    help="Compare groups in predictions, and plan how many to annotate.",
    no_args_is_help=True,
)
app.add_typer(classifier, name="classifier")


@classifier.command("gaps", cls=Command)
def print_gaps(
    file: Annotated[Path, Argument(metavar="FILE", help="CSV file, a row per person.")],
    label: Annotated[str, Option("--label-column", metavar="NAME", help="True classes.")] = "label",
    prediction: Annotated[
        str, Option("--prediction-column", metavar="NAME", help="Predicted classes.")
    ] = "prediction",
    group: Annotated[
        list[str] | None,
        Option("--group-column", metavar="NAME", help="Groups (group); several are crossed."),
    ] = None,
    weights: Annotated[
        str | None, Option("--weight-column", metavar="NAME", help="How many persons a row is.")
    ] = None,
    survey: Annotated[
        bool, Option("--survey", help="Weights are sampling weights, not numbers of persons.")
    ] = False,
    reference: Annotated[
        str | None, Option(metavar="GROUP", help="The group that is subtracted.")
    ] = None,
    method: Annotated[str, Option(help="beta or exact.")] = "beta",
    seed: shared.Seed = 1,
    as_json: shared.Json = False,
) -> None:
    """Compare GP, TPR and PP of every class between groups, with intervals."""
    from bayesbias.show.csv_files import read_csv_texts

    # All cells are texts, so that labels stay as they are written; an empty one is missing.
    table = read_csv_texts(file, PredictionsError).reset_index(drop=True)
    result = bb.classifiers.gaps(
        table.mask(table == ""),
        true=label,
        predicted=prediction,
        group=group or ["group"],
        weights=weights,
        survey=survey,
        reference=reference,
        method=method,
        seed=seed,
    )
    content = {"gaps": result.table, "rates": result.rates, "reference": result.reference}
    output.show(repr(result), content, as_json=as_json)


@classifier.command("plan", cls=Command)
def print_plan(
    disparity: Annotated[
        float | None, Option(metavar="D", help="A difference of mean costs, to tell from 0.")
    ] = None,
    n: Annotated[int | None, Option("--n", metavar="N", help="Annotated persons instead.")] = None,
    confidence: Annotated[float, Option(metavar="P", help="Confidence of the bounds.")] = 0.95,
    gamma: Annotated[float, Option(metavar="G", help="Least share of either group.")] = 0.5,
    variance: Annotated[
        float | None, Option(metavar="V", help="Of amortised disparities (the largest).")
    ] = None,
    as_json: shared.Json = False,
) -> None:
    """Say how many persons to annotate, or what a number of them can tell."""
    from bayesbias.classifiers.disparity import largest_variance

    rule: Any = {"confidence": confidence, "gamma": gamma}
    rule["variance"] = largest_variance(gamma, 1.0) if variance is None else variance
    if disparity is not None and n is None:
        n = bb.classifiers.required_n(disparity=disparity, **rule)
        what = f"an estimated disparity of {disparity:g}"
    elif n is not None and disparity is None:
        disparity = bb.classifiers.detectable_disparity(n=n, **rule)
        what = f"estimated disparities above {disparity:.4f}"
    else:
        raise ArgumentError("give either --disparity or --n")
    text = (
        f"{n:,} annotated persons can distinguish {what} from 0 ({confidence:.0%} confidence, "
        f"γ = {gamma:g}, σ² = {rule['variance']:g})."
    )
    output.show(text, {"n": n, "disparity": disparity, **rule}, as_json=as_json)


lists = typer.Typer(help="List, show and check word lists.", no_args_is_help=True)
app.add_typer(lists, name="wordlists")

ListName = Annotated[str, Argument(metavar="LIST", help="A shipped list, or a TOML or JSON file.")]


@lists.command("list", cls=Command)
def list_lists(as_json: shared.Json = False) -> None:
    """List the shipped word lists."""
    import pandas as pd

    from bayesbias.show.result import Table, as_text

    rows = []
    for name in bb.list_wordlists():
        wordlist = bb.load_wordlist(name)
        stereotypes = [s for s in wordlist.attribute_sets if s.kind == "stereotype"]
        n_attributes = sum(len(s.words) for s in stereotypes)
        rows.append((name, wordlist.title, len(wordlist.protected_words), n_attributes))
    table = pd.DataFrame(rows, columns=["list", "title", "protected words", "attributes"])
    output.show(as_text([Table(table)]), {"wordlists": table}, as_json=as_json)


@lists.command("show", cls=Command)
def show_list(wordlist: ListName, as_json: shared.Json = False) -> None:
    """Print a word list with its source."""
    words = bb.load_wordlist(wordlist)
    lines = [f"{words.name}: {words.title}", f"source: {words.source} {words.url}".rstrip()]
    lines += [f"notes: {' '.join(words.notes.split())}"] if words.notes else []
    for group in words.groups:
        own = f", associated with {', '.join(group.associated)}" if group.associated else ""
        lines.append(f"\ngroup {group.name}{own}\n  {', '.join(group.words)}")
    for attribute_set in words.attribute_sets:
        lines.append(
            f"\n{attribute_set.kind} attributes {attribute_set.name}\n"
            f"  {', '.join(attribute_set.words)}"
        )
    content = {**asdict(words), "sha256": words.checksum()}
    output.show("\n".join(lines), content, as_json=as_json)


@lists.command("check", cls=Command)
@shared.with_groups
def check_list(
    *,
    wordlist: ListName,
    vectors: Annotated[
        str | None, Option(metavar="VECTORS", help="Say which words these vectors have.")
    ] = None,
    as_json: shared.Json = False,
    reading: shared.Reading,
) -> int:
    """Check a word list and, with vectors, which of its words are there.

    Exit 1 if none of a list's words is there, 2 if the list itself is at fault.
    """
    from bayesbias.vectors.lookup import within_limit

    words = bb.load_wordlist(wordlist)
    n_words, n_attributes = len(words.protected_words), len(words.attributes)
    content: dict[str, Any] = {
        **{"name": words.name, "protected_words": n_words, "attributes": n_attributes},
        "sha256": words.checksum(),
    }
    faults, details = [], ""
    if vectors is not None:
        loaded = reading.load(vectors, words.words)
        coverage = bb.vocabulary_coverage(loaded, words)
        rows, details = coverage.lists, f"\n\n{coverage!r}"
        absent = rows.loc[rows["found"] == 0, "list"]
        hint = within_limit(loaded)
        faults = [f"none of the words of {name} is in the vectors{hint}" for name in absent]
        content |= {"coverage": rows, "faults": faults}
    text = (
        f"{words.name}: {n_words} protected words, {n_attributes} attributes; "
        f"{'; '.join(faults) or 'no faults'}{details}"
    )
    output.show(text, content, as_json=as_json)
    return 1 if faults else 0
