"""The commands ``analyze`` and ``demo``."""

import argparse
import shlex
from itertools import chain, count
from pathlib import Path
from typing import Any

import pandas as pd

from bayesbias.cli.inputs import (
    distances_frame,
    embedding_frame,
    print_missing,
    progress_of,
    say,
    show,
)
from bayesbias.cli.report import check_report, report_adder
from bayesbias.cli.text import summary_blocks
from bayesbias.constants import ATTRIBUTE, PROTECTED_WORD
from bayesbias.errors import ArgumentError, SamplingInterrupted
from bayesbias.fits.contrasts import can_compare
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.inference.intervals import check_rope, interval_of
from bayesbias.inference.model_files import load_model
from bayesbias.inference.nuts import NutsSettings
from bayesbias.pairs.distance_frame import distances
from bayesbias.pairs.files import write_distances
from bayesbias.pairs.word_lists import load_wordlist
from bayesbias.report.folder_writing import write_results
from bayesbias.simulate import planted_embedding
from bayesbias.support.text_tables import interval_label
from bayesbias.support.whole_files import check_folder, new_folder

_PLANTED_SIMILARITY = 0.2


def run_analyze(arguments: argparse.Namespace, given: list[str]) -> None:
    """Fit, print and write what the arguments ask for."""
    _check_before_work(arguments)
    frame = _frame_of(arguments)
    print_missing(arguments, frame)
    _fit_and_write(frame, arguments, given)


def run_demo(arguments: argparse.Namespace, given: list[str]) -> None:
    """Analyse the demo's own vectors."""
    _check_before_work(arguments)
    wordlist = load_wordlist("gender")
    if arguments.planted:
        say(arguments, "Made-up vectors: associated pairs have cosine distance "
             f"{1 - _PLANTED_SIMILARITY:.2f} on average, all others 1.00.\n")  # fmt: skip
        planted = planted_embedding(wordlist, similarity=_PLANTED_SIMILARITY, seed=arguments.seed)
        frame = distances(planted.vectors, wordlist)
        result = _fit_and_write(frame, arguments, given)
        say(arguments, _recovery(result, planted.expected_distance, arguments))
        return
    from bayesbias.vectors.demo_corpus import demo_embedding

    say(arguments, "Training Word2Vec on the 530,000 words of text in gensim's wheel (once; about "
         "15 seconds) ...")  # fmt: skip
    frame = distances(demo_embedding(), wordlist)
    print_missing(arguments, frame)
    _fit_and_write(frame, arguments, given)
    say(
        arguments,
        "So little text gives noisy vectors and wide intervals; that is the lesson. For a real\n"
        "answer take pre-trained vectors: bayesbias analyze VECTORS --wordlist gender --out DIR",
    )


def _check_before_work(arguments: argparse.Namespace) -> None:
    """Find every mistake in the arguments before the first expensive step."""
    interval_of([0.0, 1.0], arguments.prob, arguments.interval)
    check_rope(arguments.rope)
    load_model(arguments.model)
    NutsSettings(**_sampling(arguments))
    check_report(arguments)
    if arguments.out is not None:
        check_folder(arguments.out, overwrite=arguments.overwrite)


def _frame_of(arguments: argparse.Namespace) -> pd.DataFrame:
    if (arguments.embedding is None) == (arguments.distances is None):
        raise ArgumentError("give either a file of word vectors or --distances FILE")
    if arguments.distances is not None:
        if arguments.wordlist is not None:
            raise ArgumentError("--wordlist goes with word vectors; --distances has its own words")
        return distances_frame(arguments.distances, arguments)
    if arguments.wordlist is None:
        raise ArgumentError("word vectors need --wordlist; 'bayesbias wordlists list' shows some")
    return embedding_frame(arguments.embedding, arguments)


def _fit_and_write(frame: pd.DataFrame, arguments: argparse.Namespace, given: list[str]) -> Fit:
    n_words, n_attributes = frame[PROTECTED_WORD].nunique(), frame[ATTRIBUTE].nunique()
    say(
        arguments,
        f"{len(frame):,} pairs: {n_words} protected words, {n_attributes} attributes. "
        f"Fitting model {load_model(arguments.model).name!r} ...",
    )
    try:
        result = fit(
            frame,
            model=arguments.model,
            seed=arguments.seed,
            engine=arguments.engine,
            **_sampling(arguments),
            progress=progress_of(arguments),
        )
    except SamplingInterrupted as stop:
        raise KeyboardInterrupt(_kept(stop.partial, arguments.out)) from None
    try:
        _print_and_write(result, arguments, given)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_kept(result, arguments.out)) from None
    return result


def _print_and_write(result: Fit, arguments: argparse.Namespace, given: list[str]) -> None:
    blocks = summary_blocks(result, arguments.prob, arguments.interval, arguments.rope)
    show(arguments, ["", *blocks], _content(result, arguments))
    if arguments.out is not None:
        command = shlex.join(["bayesbias", *given])
        write_results(
            result,
            arguments.out,
            prob=arguments.prob,
            interval=arguments.interval,
            rope=arguments.rope,
            command=command,
            overwrite=arguments.overwrite,
            also=report_adder(result, arguments, command),
        )
        say(arguments, f"Tables, figures and the posterior are in {arguments.out}")


def _content(result: Fit, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    chosen: dict[str, Any] = {"prob": arguments.prob, "interval": arguments.interval}
    contrasts = None
    if can_compare(result.design):
        contrasts = result.contrasts(rope=arguments.rope, **chosen).to_dict()
    return {
        "fit": result.id,
        "model": result.spec.name,
        "seed": result.seed,
        "groups": result.group_summary(**chosen).to_dict("records"),
        "words": result.word_summary(**chosen).to_dict("records"),
        "contrasts": contrasts,
        "coverage": result.coverage(interval=arguments.interval).to_dict("records"),
        "diagnostics": result.diagnostics.to_dict(),
        "caution": result.caution,
        "missing_words": result.frame.attrs.get("missing"),
        "record": result.record,
    }


def _kept(partial: Fit | None, out: str | None) -> str:
    """Keep the draws of an interrupted run beside, never under, the name of its results."""
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
        write_distances(partial.pairs, place / "pairs.csv")
        partial.save(place / "fit.nc")
        (place / "INTERRUPTED.txt").write_text(
            f"The run was {done}.\nfit.nc holds these draws (bayesbias.load_fit reads it), "
            f"pairs.csv the data.\nThis is no result: draws or tables are missing. Run the command "
            f"again for one.\n",
            encoding="utf-8",
        )
    return f"{done}; the draws are kept in {folder}, and nothing was written to {out}"


def _sampling(arguments: argparse.Namespace) -> dict[str, Any]:
    names = ("draws", "tune", "chains", "cores", "sampler", "target_accept", "parametrisation")
    return {name: getattr(arguments, name) for name in names}


def _recovery(result: Fit, planted: dict[str, float], arguments: argparse.Namespace) -> str:
    table = result.group_summary(prob=arguments.prob, interval=arguments.interval)
    lines = [f"Planted and recovered ({interval_label(arguments.prob, arguments.interval)}):"]
    for row in table.itertuples():
        truth = planted[row.connection]
        found = "inside" if row.low <= truth <= row.high else "outside"
        lines.append(
            f"  {row.connection:<10}  planted {truth:.2f}, recovered {row.mean:.3f} "
            f"[{row.low:.3f}, {row.high:.3f}]: {found}"
        )
    return "\n".join(lines)
