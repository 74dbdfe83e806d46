"""The command ``analyze``, and the steps that it shares with ``demo``."""

import argparse
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.fit_output import check_decision, further_steps, rule_of, summary_blocks
from bayesbias.cli.inputs import frame_of, print_missing
from bayesbias.cli.output import call_with_options, check_out, mention, say, show
from bayesbias.cli.report import check_report, write_everything
from bayesbias.cli.several_lists import WORDLISTS, for_each_list
from bayesbias.constants import ATTRIBUTE, PROTECTED_WORD
from bayesbias.errors import SamplingInterrupted
from bayesbias.support.text_tables import counted

if TYPE_CHECKING:
    import pandas as pd

    from bayesbias.support.result import Result


def run(arguments: argparse.Namespace) -> "bb.results.Fit":
    """Fit, print and write what the arguments ask for, of one word list."""
    check_before_work(arguments)
    frame = frame_of(arguments)
    result = fit_and_write(frame, arguments)
    say(arguments, "")
    print_missing(arguments, frame)  # after the answer, which is what is read first
    if not hasattr(arguments, "collected"):
        say(arguments, further_steps(result, arguments))
    return result


COMMAND = Command(
    "analyze",
    "fit a model to an embedding and a word list, or to a file of distances",
    "bayesbias analyze googlenews.bin --wordlist religion --out out/religion",
    f"""
{shared.VECTORS_OR_DISTANCES}
{WORDLISTS}
{shared.REFERENCE}
{shared.LOOKING_UP}
{shared.DUPLICATES}
{shared.fitting()}
--frequency  compare words at equal frequency, and show both answers
--controls CONTROLS  sampled: 200 words of the vectors' own as neutral words, in any language, in
    place of the list's controls
--counts FILE  of --frequency: a file with a word and its count a line, or 'sorted' where the
    vectors are sorted by frequency
""",
    for_each_list(run),
)


def check_before_work(arguments: argparse.Namespace) -> None:
    """Find every mistake in the options before the first expensive step."""
    from bayesbias.inference.nuts import NutsSettings

    check_decision(arguments)
    bb.load_model(arguments.model)
    call_with_options(NutsSettings, arguments)
    check_report(arguments)
    check_out(arguments)


def fit_and_write(frame: "pd.DataFrame", arguments: argparse.Namespace) -> "bb.results.Fit":
    """Fit a frame, then print and write the answer; keep the draws of an interrupted run."""
    from bayesbias.pairs.reference import without_reference

    pairs = without_reference(frame)
    n_words, n_attributes = pairs[PROTECTED_WORD].nunique(), pairs[ATTRIBUTE].nunique()
    mention(
        arguments,
        f"{counted(len(pairs), 'pair')}: {counted(n_words, 'protected word')}, "
        f"{counted(n_attributes, 'attribute')}. "
        f"Fitting model {bb.load_model(arguments.model).name!r} ...",
    )
    try:
        result = call_with_options(bb.fit, arguments, frame)
    except SamplingInterrupted as stop:
        raise KeyboardInterrupt(_kept(stop.partial, arguments.out)) from None
    try:
        _print_and_write(result, arguments)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_kept(result, arguments.out)) from None
    return result


def _print_and_write(result: "bb.results.Fit", arguments: argparse.Namespace) -> None:
    placebo, by_frequency = None, getattr(arguments, "frequency", False)
    if arguments.placebo is not None:
        kind = "frequency" if by_frequency else "neutral"
        placebo = call_with_options(result.placebo, arguments, arguments.placebo, kind=kind)
    also: dict[str, Result] = {}
    if by_frequency:
        rule = rule_of(arguments)
        also["slopes"] = result.summary("slope", rule=rule)
        also["slope_effect"] = result.slope_effect(rule=rule)
    if placebo is not None:
        also["placebo"] = placebo
    if arguments.json:
        show(arguments, [], {**call_with_options(result.to_dict, arguments), **also})
    else:
        more = [line for found in also.values() for line in ("", *found.blocks)]
        show(arguments, [*summary_blocks(result, arguments), *more], {})
    write_everything(result, arguments, placebo)


def _kept(partial: "bb.results.Fit | None", out: str | None) -> str:
    """Keep the draws of an interrupted run beside, never under, the name of its results."""
    from bayesbias.support.whole_files import new_folder

    if partial is None:
        return "interrupted before the first draw; nothing was written"
    done = f"interrupted {partial.settings.get('interrupted', 'after all draws were made')}"
    if out is None:
        return f"{done}; without --out nothing was written"
    goal = Path(out).resolve()
    numbers = chain([""], map("-{}".format, count(2)))  # an earlier run's draws stay too
    names = (goal.with_name(f"{goal.name}.partial{number}") for number in numbers)
    folder = next(name for name in names if not name.exists())
    with new_folder(folder) as place:
        bb.write_distances(partial.input_frame, place / "pairs.csv")
        partial.save(place / "fit.nc")
        (place / "INTERRUPTED.txt").write_text(
            f"The run was {done}.\nfit.nc holds these draws (bayesbias.load_fit reads it), "
            f"pairs.csv the data.\nThis is no result: draws or tables are missing. Run the command "
            f"again for one.\n",
            encoding="utf-8",
        )
    return f"{done}; the draws are kept in {folder}, and nothing was written to {out}"
