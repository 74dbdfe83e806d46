"""The commands beside an analysis: measures, debias, analogies, classifier and wordlists."""

import os
import shlex
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import Any, Final

import typer

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.app import app
from bayesbias.cli.options import argument, command, flag, option
from bayesbias.cli.output import Answer
from bayesbias.errors import ArgumentError, OutputError, PredictionsError

_METHODS: Final = "hard, multiclass, subspace, inlp, leace or double_hard"


@command(app)
def measures(
    reading: shared.Reading,
    vectors: str = shared.VECTORS,
    wordlist: str = shared.WORD_LIST,
    all_words: bool = flag("Read the whole vocabulary, for neighbours.", "--all-words"),
    before: str | None = option("Vectors before debiasing, for neighbours.", metavar="VECTORS"),
    seed: int = shared.SEED,
) -> Answer:
    """Print WEAT, MAC, RND, RNSB, RIPA and other measures."""
    from bayesbias.debias.record import words_used_of_file
    from bayesbias.measures.registry import MEASURES, READS

    words = bb.load_wordlist(wordlist)
    whole = all_words or before is not None
    loaded = reading.load(vectors, None if whole else words.words)
    earlier = None if before is None else reading.load(before, None)
    names = [name for name, measure in MEASURES.items() if whole or not measure.whole_vocabulary]
    table = bb.measures.all_measures(loaded, words, names=names, before=earlier, seed=seed)
    columns = ["measure", "applies_to", "value", "low", "high", "p_value", "n_words"]
    shown = table[table["skipped"] == ""]
    forms = {"p_value": lambda p: "" if p != p else f"{p:.2g}"}
    lines = [
        shown[columns].to_string(index=False, float_format="%.3f", na_rep="", formatters=forms)
    ]
    lines += ["", *(f"{name}: {READS[name]}" for name in shown["measure"].unique())]
    if words_used_of_file(vectors) is not None:
        lines.append(f"{vectors} was debiased: words that the method used tell nothing of it.")
    skipped = table[table["skipped"] != ""]
    lines += [f"{row.measure} is skipped: {row.skipped}" for row in skipped.itertuples()]
    how = shown["interval_method"].str.partition(" over ")[0].unique()
    lines += [f"low and high: {text}" for text in how if not text.startswith("none")]
    lines += [] if whole else ["Measures of neighbours need the whole vocabulary: --all-words."]
    return Answer("\n".join(lines), {"seed": seed, "measures": table})


@command(app)
def debias(
    reading: shared.Reading,
    method: str = argument(f"{_METHODS}.", "METHOD"),
    vectors: str = shared.VECTORS,
    result: Path = argument("File to write: .txt, .vec, .bin or .kv.", "OUT"),
    wordlist: str = shared.WORD_LIST,
    k: int | None = option("Dimensions of the subspace (multiclass).", None, "--k", metavar="N"),
    all_words: bool = flag("Neutralise every word but the protected ones.", "--all-words"),
    keep: list[str] | None = option("Leave this word too; repeatable.", metavar="WORD"),
    overwrite: bool = shared.OVERWRITE,
) -> Answer:
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
    return Answer(text, debiased.record.to_dict())


@command(app)
def analogies(
    reading: shared.Reading,
    vectors: str = shared.VECTORS,
    words: list[str] | None = argument(
        "a : b :: c : ?; or two words a c, to rank pairs b : d.", "A B C", None
    ),
    questions: Path | None = option("A file like questions-words.txt.", metavar="FILE"),
    method: str | None = option("all, 3cosadd, 3cosmul or bolukbasi.", metavar="METHOD"),
    top: int = option("Answers.", 10, metavar="N"),
    delta: float = option("Bolukbasi's limit on the distance of b and d.", 1.0, metavar="D"),
    reported: str | None = option("Rank this word, reported by somebody.", metavar="WORD"),
) -> Answer:
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
    return Answer(repr(result), result.to_dict())


classifier = typer.Typer(
    help="Compare groups in predictions, and plan how many to annotate.",
    no_args_is_help=True,
)
app.add_typer(classifier, name="classifier")


@command(classifier, "gaps")
def print_gaps(
    file: Path = argument("CSV file, a row per person.", "FILE"),
    label: str = option("True classes.", "label", "--label-column", metavar="NAME"),
    prediction: str = option(
        "Predicted classes.", "prediction", "--prediction-column", metavar="NAME"
    ),
    group: list[str] | None = option(
        "Groups (group); several are crossed.", None, "--group-column", metavar="NAME"
    ),
    weights: str | None = option(
        "How many persons a row is.", None, "--weight-column", metavar="NAME"
    ),
    survey: bool = flag("Weights are sampling weights, not numbers of persons.", "--survey"),
    reference: str | None = option("The group that is subtracted.", metavar="GROUP"),
    method: str = option("beta or exact.", "beta"),
    seed: int = shared.SEED,
) -> Answer:
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
    return Answer(repr(result), content)


@command(classifier, "plan")
def print_plan(
    disparity: float | None = option("A difference of mean costs, to tell from 0.", metavar="D"),
    n: int | None = option("Annotated persons instead.", None, "--n", metavar="N"),
    confidence: float = option("Confidence of the bounds.", 0.95, metavar="P"),
    gamma: float = option("Least share of either group.", 0.5, metavar="G"),
    variance: float | None = option("Of amortised disparities (the largest).", metavar="V"),
) -> Answer:
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
    return Answer(text, {"n": n, "disparity": disparity, **rule})


lists = typer.Typer(help="List, show and check word lists.", no_args_is_help=True)
app.add_typer(lists, name="wordlists")

LIST: Final = argument(shared.LIST, "LIST")


@command(lists, "list")
def list_lists() -> Answer:
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
    return Answer(as_text([Table(table)]), {"wordlists": table})


@command(lists, "show")
def show_list(wordlist: str = LIST) -> Answer:
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
    return Answer("\n".join(lines), content)


@command(lists, "check")
def check_list(
    reading: shared.Reading,
    wordlist: str = LIST,
    vectors: str | None = option("Say which words these vectors have.", metavar="VECTORS"),
) -> Answer:
    """Check a word list and, with vectors, which of its words are there.

    Exit 1 if none of a list's words is there, 2 if the list itself is at fault.
    """
    from bayesbias.vectors.lookup import within_limit

    words = bb.load_wordlist(wordlist)
    own = {word for of in words.attribute_sets if of.kind == "stereotype" for word in of.words}
    n_words, n_attributes = len(words.protected_words), len(own)
    n_controls = len(set(words.attributes) - own)
    content: dict[str, Any] = {
        **{"name": words.name, "protected_words": n_words, "attributes": n_attributes},
        **{"controls": n_controls, "sha256": words.checksum()},
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
        f"{words.name}: {n_words} protected words, {n_attributes} attributes, {n_controls} "
        f"controls; {'; '.join(faults) or 'no faults'}{details}"
    )
    return Answer(text, content, exit_code=1 if faults else 0)
