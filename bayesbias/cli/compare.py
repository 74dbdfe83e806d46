"""The command ``compare``."""

import argparse
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.fit_output import check_decision
from bayesbias.cli.inputs import (
    check_places,
    distances_frame,
    embedding_frame,
    named_wordlist,
    print_missing,
)
from bayesbias.cli.options import ASK_COST, COST
from bayesbias.cli.output import (
    call_with_options,
    check_out,
    in_steps,
    options_for,
    say,
    show,
    write_to_out,
)
from bayesbias.cli.report import REPORT_NAME, check_report, write_everything
from bayesbias.cli.several_lists import WORDLISTS, for_each_list
from bayesbias.constants import CHANGE, RUN
from bayesbias.errors import ArgumentError, DistancesError
from bayesbias.fits.next_step import next_step
from bayesbias.support.text_tables import Blocks, printable, quoted
from bayesbias.support.threads import on_all_threads

if TYPE_CHECKING:
    import pandas as pd

    from bayesbias.studies.comparison import Comparison


def run(arguments: argparse.Namespace) -> "Comparison":
    """Compare embeddings or files of distances by one word list, print the answer and write it."""
    from bayesbias.pairs.profiles import coordinates_agree
    from bayesbias.studies.change_sentences import other_training

    _check_before_work(arguments)
    frames = [_frame_of(path, arguments) for path in _files_of(arguments)]
    if _are_several(arguments):
        return _compare_several(arguments, frames)
    before, after = frames
    are_single = not arguments.insist and RUN not in before
    if are_single and (apart := other_training(coordinates_agree(before, after))):
        return _compare_several(arguments, frames, apart)
    change = call_with_options(bb.compare_change, arguments, before, after, engine=arguments.engine)
    held_out = _held_out(arguments)
    content = change.to_dict() if arguments.json else {}
    if content and held_out is not None:
        content["answers"] = held_out.before(content["answers"])
        content["held_out"] = held_out.to_dict()
    blocks = _blocks(change, held_out, _named_files(arguments))
    if arguments.files:  # whose questions need both files whole
        whole = options_for(bb.load_embedding, arguments)
        sides = [bb.load_embedding(path, **whole) for path in _files_of(arguments)]
        ask = on_all_threads(bb.debias.utility)
        cost = call_with_options(ask, arguments, *sides, *arguments.files)
        blocks = [*blocks, COST, "", *cost.blocks, ""]
        content |= {"utility": cost.to_dict()}
    show(arguments, blocks, content)
    if arguments.wordlist is not None:
        _print_missing(arguments, frames)
    write_everything(change, arguments, held_out=held_out)
    say(arguments, in_steps(_further(arguments, change, held_out)))
    return change


COMMAND = Command(
    "compare",
    "say what changed from one embedding to another, or compare several, or over time",
    "bayesbias compare before.bin after.bin --wordlist gender --out out/change",
    f"""
before BEFORE  file of word vectors, or of distances
after AFTER  the same after the change
others MORE*  further files: several embeddings side by side
--embeddings  the files are several embeddings, also if they are two, not before and after
--change -> insist=True  two files are before and after, also if they are not of one training
--names A,B  what the files are called (default: the files' own names)
--order T,U,V  the files are of these times, numbers such as 1900,1910,1920 or names in their order
{WORDLISTS.rstrip()}, for word vectors; without it both files are distances
{shared.REFERENCE}
{shared.LOOKING_UP}
{shared.UTILITY}
{shared.DUPLICATES}
{shared.OUTPUT}
{shared.REPORT}
--model MODEL  a model's name or a .toml file (default change-maximal, of several files embeddings)
{shared.decision()}
{shared.ENGINE}
""",
    for_each_list(run),
)


def _check_before_work(arguments: argparse.Namespace) -> None:
    """Refuse, before any work, options that do not go with each other or with the files."""
    from bayesbias.debias.judgements import holds_questions

    several, order = _are_several(arguments), arguments.order
    check_decision(arguments)
    if not several and arguments.names is not None:
        raise ArgumentError(
            "--names is for comparing several embeddings; add --embeddings, or leave it out: two "
            "files are before and after"
        )
    if order and (arguments.names or arguments.embeddings):
        raise ArgumentError("--order names the files by their times; leave the other names out")
    if several:
        _names(arguments)
    if arguments.model is not None:
        bb.load_model(arguments.model)
    if arguments.wordlist is not None:
        for path in _files_of(arguments):
            check_places(path, arguments.wordlist)
        named_wordlist(arguments)
    if arguments.files and (arguments.wordlist is None or several):
        raise ArgumentError(
            "files= asks two files of word vectors, given with --wordlist; not files of distances, "
            "nor several"
        )
    for file in arguments.files or ():
        holds_questions(file)
    check_report(arguments)
    check_out(arguments)


def _held_out(arguments: argparse.Namespace) -> "bb.results.HeldOut | None":
    """Test debiased vectors, if the record beside them says so, on words that were held out."""
    from bayesbias.debias.record import treatment_of_file
    from bayesbias.studies.held_out import held_out, words_to_look_up
    from bayesbias.vectors.loading import load_words

    if arguments.wordlist is None or (treatment := treatment_of_file(arguments.after)) is None:
        return None
    wordlist = named_wordlist(arguments)
    words = words_to_look_up(wordlist)
    reading = options_for(bb.load_embedding, arguments, words=words)
    before, after = (load_words(path, **reading) for path in _files_of(arguments))
    chosen = options_for(bb.compare_change, arguments, engine=arguments.engine)
    return held_out(before, after, treatment, wordlist, **chosen)


def _frame_of(path: str, arguments: argparse.Namespace) -> "pd.DataFrame":
    if arguments.wordlist is None:
        try:
            return distances_frame(path, arguments)
        except DistancesError as error:
            raise DistancesError(f"{error} (if these are word vectors, give --wordlist)") from error
    return embedding_frame(path, arguments)


def _print_missing(arguments: argparse.Namespace, frames: "list[pd.DataFrame]") -> None:
    """Print the missing words of every file; once for files that lack the same."""
    from bayesbias.pairs.case import in_lower_case
    from bayesbias.pairs.provenance import missing_of

    alike: dict[str, list[int]] = {}
    for number, frame in enumerate(frames):
        said = repr((missing_of(frame), in_lower_case(frame)))
        alike.setdefault(said, []).append(number)
    paths = _files_of(arguments)
    for numbers in alike.values():
        title = " and ".join(paths[number] for number in numbers)
        print_missing(arguments, frames[numbers[0]], title=title)


def _count_missing(arguments: argparse.Namespace, frames: "Mapping[str, pd.DataFrame]") -> None:
    """Say in a line how many words each of several files lacks; a table has them all."""
    from bayesbias.pairs.provenance import missing_of

    counts = {name: len(missing_of(frame) or ()) for name, frame in frames.items()}
    if any(counts.values()):
        said = ", ".join(f"{n:,} in {quoted(name)}" for name, n in counts.items())
        where = "the folder's missing_words.csv has them" if arguments.out else "--out lists them"
        say(arguments, f"Missing words: {said}; {where}.\n")


def _blocks(
    change: "bb.results.Change", held_out: "bb.results.HeldOut | None", files: tuple[str, str, str]
) -> Blocks:
    """Return the first screen, then tables, and how sure it is; `files`: after, list, before."""
    from bayesbias.studies.change_screen import finding, screen
    from bayesbias.studies.held_out import nothing_known, of_the_list

    # Words in sentences may hold line breaks.
    asked = held_out is not None
    known = {"held_out": asked, "typed": True, "files": files}
    then = next_step("change", nothing_known(change, held_out), **known)
    found = finding(change, "" if asked else then)
    said = [printable(one, lines=False) if isinstance(one, str) else one for one in found]
    if held_out is not None:
        own = ["", f"On the word list {held_out.wordlist} itself:", *of_the_list(said)]
        said = [*held_out.screen(then), *own]
    return [*screen(change, said), ""]


def _further(
    arguments: argparse.Namespace,
    change: "bb.results.Change",
    held_out: "bb.results.HeldOut | None",
) -> list[str]:
    """Say what else to do after a comparison."""
    from bayesbias.studies.held_out import nothing_known

    more = ["See each word and every table: add --out DIR --report."]
    if arguments.out is not None and arguments.report:
        page = Path(arguments.out) / REPORT_NAME
        more = [f"Open {page}: each list, each word, and the controls."]
    if arguments.wordlist is not None and not arguments.files:
        more.append(ASK_COST)
    if held_out is not None and nothing_known(change, held_out):
        neighbours = next_step("neighbours", True, _named_files(arguments))
        more.append(f"{neighbours[0].upper()}{neighbours[1:]}")
    return more


def _named_files(arguments: argparse.Namespace) -> tuple[str, str, str]:
    """Return the file after, the word list ("" of distances) and the file before, for a shell."""
    after, wordlist, before = arguments.after, arguments.wordlist, arguments.before
    return shlex.quote(after), shlex.quote(wordlist) if wordlist else "", shlex.quote(before)


def _files_of(arguments: argparse.Namespace) -> list[str]:
    """Return all files that are compared."""
    return [arguments.before, arguments.after, *arguments.others]


def _are_several(arguments: argparse.Namespace) -> bool:
    """Tell whether files are several embeddings or times; two are before and after by default."""
    return bool(arguments.others or arguments.embeddings or arguments.order)


def _compare_several(
    arguments: argparse.Namespace, frames: "list[pd.DataFrame]", apart: str = ""
) -> "Comparison":
    """Compare several embeddings or times, print the answer and write it.

    `apart`: why two files are two embeddings, where nobody said so.
    """
    from bayesbias.studies.across_embeddings import compare_embeddings
    from bayesbias.studies.over_time import over_time

    given = dict(zip(_names(arguments), frames, strict=True))
    function = over_time if arguments.order else compare_embeddings
    chosen = options_for(function, arguments, engine=arguments.engine)
    of_change = arguments.model is not None and bb.load_model(arguments.model).response == CHANGE
    for option, is_given in (("--utility", bool(arguments.files)), ("--model", of_change)):
        if apart and is_given:
            raise ArgumentError(
                f"the two files are {apart} and are compared as two embeddings, for which {option} "
                f"is not meant; leave it out, or insist on a change with --change"
            )
    _count_missing(arguments, given)
    found = function(given, **chosen)
    content = found.to_dict() if arguments.json else {}
    page = "" if arguments.out is None else str(Path(arguments.out) / REPORT_NAME)
    then = next_step("several", page, arguments.report, few_times=found.has_few_times)
    used, after = _uses_of_list(arguments, frames)
    if used:
        content |= {"answers": [*content["answers"], *used]} if content else {}
        untreated = [path for path in _files_of(arguments) if path not in after]
        words = map(shlex.quote, (*untreated[:1], after[0], arguments.wordlist))
        then = next_step("treated", *words) if untreated and not arguments.order else then
    headline, *others = found.screen(then)
    blocks = [headline, *used, *others]
    if apart:
        said = f"The two files are {apart}: they are compared as two embeddings."
        blocks = [said, "", *blocks]
        content |= {"answers": [said, *content["answers"]]} if content else {}
    show(arguments, blocks, content)
    if arguments.out is None:
        return found
    tables = {name: getattr(found, name) for name in (*found.tables, "missing_words")}
    figure = "over_time" if arguments.order else "embeddings"
    joint = found.main_fit
    manifest = {
        "embeddings": dict(zip(given, _files_of(arguments), strict=True)),
        "model": joint.spec.name,
        "notes": joint.notes,
        "seed": joint.seed,
        "intervals": {"prob": found.rule.prob, "interval": found.rule.interval},
    }

    def add_report(place: Path) -> None:
        bb.write_report(found, place / REPORT_NAME, command=arguments.command_line)

    add = add_report if arguments.report else None
    write_to_out(arguments, tables, {figure: found.plot}, manifest, add)
    return found


def _uses_of_list(
    arguments: argparse.Namespace, frames: "list[pd.DataFrame]"
) -> tuple[list[str], list[str]]:
    """Say of which methods that made a file the word list is no test; return these files too."""
    from bayesbias.debias.record import treatment_of_file
    from bayesbias.studies.held_out import no_test_of, uses_words_of

    if arguments.wordlist is None:
        return [], []
    paths = _files_of(arguments)
    made = zip(paths, map(treatment_of_file, paths), frames, strict=True)
    known = {
        path: (one, frame)
        for path, one, frame in made
        if one is not None and uses_words_of(one, frame)
    }
    return no_test_of(known.values(), named_wordlist(arguments).name), [*known]


def _names(arguments: argparse.Namespace) -> list[str]:
    """Return the names of all files: times, given names, or what tells the files apart."""
    files = _files_of(arguments)
    option = "--order" if arguments.order else "--names"
    names = list(arguments.order or arguments.names or ())
    if not names:
        names = [Path(file).name.split(".")[0] for file in files]
        names = names if len(set(names)) == len(names) else files
    if len(names) != len(files):
        raise ArgumentError(
            f"{option} {','.join(names)}: {len(names)} for {len(files)} files; give one for each "
            f"file, with commas between them"
        )
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ArgumentError(f"{option}: two files are called {repeated[0]!r}; name them apart")
    return names
