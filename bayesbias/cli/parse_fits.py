"""How the commands that fit models are typed. Imports nothing heavy."""

from typing import Any

from bayesbias.cli.options import (
    ROPE_HELP,
    add_decision_options,
    add_fit_options,
    add_output_options,
    add_reading_options,
    add_report_option,
    add_speech_options,
    command,
    later,
    whole_numbers,
)
from bayesbias.constants import ROPE


def add_analyze(commands: Any) -> None:
    """Add the command ``analyze``."""
    parser = command(
        commands,
        "analyze",
        "fit a model to an embedding and a word list, or to a file of distances",
        "bayesbias analyze googlenews.bin --wordlist religion --out out/religion",
    )
    parser.add_argument("embedding", nargs="?", help="file of word vectors, or gensim:NAME")
    parser.add_argument("--distances", metavar="FILE", help="a file of distances instead")
    parser.add_argument("--wordlist", metavar="LIST", help="a shipped list's name or a .toml file")
    add_reading_options(parser)
    add_fit_options(parser)
    parser.set_defaults(run=later("bayesbias.cli.analyze", "run_analyze"))


def add_demo(commands: Any) -> None:
    """Add the command ``demo``."""
    parser = command(
        commands,
        "demo",
        "analyse a small embedding trained here on text that gensim carries; needs no network",
        "bayesbias demo --out demo",
    )
    parser.add_argument(
        "--planted",
        action="store_true",
        help="use made-up vectors with a known association instead, and show it recovered",
    )
    add_fit_options(parser, out_required=False)
    parser.set_defaults(run=later("bayesbias.cli.analyze", "run_demo"))


def add_compare(commands: Any) -> None:
    """Add the command ``compare``."""
    parser = command(
        commands,
        "compare",
        "say what changed from one embedding to another, such as by debiasing",
        "bayesbias compare before.bin after.bin --wordlist gender --out out/change",
    )
    parser.add_argument("before", metavar="BEFORE", help="file of word vectors, or of distances")
    parser.add_argument("after", metavar="AFTER", help="the same after the change")
    parser.add_argument("--wordlist", metavar="LIST",
                        help="a shipped list's name or a .toml file, for word vectors; without it "
                        "both files are distances")  # fmt: skip
    add_reading_options(parser)
    add_output_options(parser, out_required=False)
    add_report_option(parser)
    parser.add_argument("--model", default="change-crossed", metavar="MODEL",
                        help="change-crossed (default), change or a .toml file")  # fmt: skip
    add_decision_options(parser)
    parser.add_argument("--engine", default="auto", help="auto (default), collapsed or nuts")
    parser.set_defaults(run=later("bayesbias.cli.compare", "run_compare"))


def add_report(commands: Any) -> None:
    """Add the command ``report``."""
    parser = command(
        commands,
        "report",
        "write one HTML page about a finished analysis or comparison",
        "bayesbias report out/religion",
    )
    parser.add_argument("results", metavar="OUT_DIR_OR_FIT",
                        help="a folder that analyze or compare wrote, or a fit.nc")  # fmt: skip
    parser.add_argument("--out", metavar="FILE",
                        help="the file to write (default: report.html beside the fit)")  # fmt: skip
    parser.add_argument("--title", default="", metavar="TEXT",
                        help="heading (default: the word list and the embedding)")  # fmt: skip
    parser.add_argument("--no-comparison", dest="comparison", action="store_false",
                        help="leave out the comparison of models, the one thing that is fitted "
                        "anew")  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors and notes")
    parser.set_defaults(run=later("bayesbias.cli.report", "run_report"))


def add_plan(commands: Any) -> None:
    """Add the command ``plan``."""
    parser = command(
        commands,
        "plan",
        "say how many words it takes for intervals of a given width",
        "bayesbias plan out/religion --width 0.05",
    )
    parser.add_argument("fit", nargs="?", metavar="FIT",
                        help="a fit.nc, or a folder with one; without it, what words and "
                        "attributes scatter in the published files")  # fmt: skip
    parser.add_argument("--width", type=float, default=0.05, metavar="D",
                        help="width of the interval that would do (default 0.05)")  # fmt: skip
    parser.add_argument("--words", type=whole_numbers, default=(6, 14, 25, 50, 100), metavar="N,N",
                        help="protected words in all to try (default 6,14,25,50,100)")  # fmt: skip
    parser.add_argument("--attributes", type=whole_numbers, default=(10, 25, 50), metavar="N,N",
                        help="stereotype attributes in all to try (default 10,25,50)")  # fmt: skip
    parser.add_argument("--simulations", type=int, default=40, metavar="N",
                        help="worlds per combination (default 40)")  # fmt: skip
    add_output_options(parser, out_required=False)
    add_decision_options(parser)
    parser.set_defaults(run=later("bayesbias.cli.worlds", "run_plan"))


def add_simulate(commands: Any) -> None:
    """Add the command ``simulate``."""
    parser = command(
        commands,
        "simulate",
        "count how often each method says bias in worlds whose truth is known",
        "bayesbias simulate --method all --worlds 1000",
    )
    parser.add_argument("--method", action="append", metavar="NAME",
                        help="all (default) or a method's name; repeatable")  # fmt: skip
    parser.add_argument("--worlds", type=int, default=1000, metavar="N",
                        help="worlds per effect (default 1000)")  # fmt: skip
    parser.add_argument("--effect", type=float, action="append", metavar="D",
                        help="by how much associated pairs are closer; repeatable (default 0, 0.05 "
                        "and 0.1)")  # fmt: skip
    parser.add_argument("--words", type=int, default=16, metavar="N",
                        help="protected words in two groups (default 16)")  # fmt: skip
    parser.add_argument("--attributes", type=int, default=16, metavar="N",
                        help="stereotype attributes in two sets (default 16)")  # fmt: skip
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes (default: 0, one per core)"
    )
    add_output_options(parser, out_required=False)
    parser.add_argument("--seed", type=int, default=1, help="seed of all random steps (default 1)")
    parser.add_argument("--rope", type=float, default=ROPE, metavar="D", help=ROPE_HELP)
    parser.set_defaults(run=later("bayesbias.cli.worlds", "run_simulate"))


def add_sweep(commands: Any) -> None:
    """Add the command ``sweep``."""
    parser = command(
        commands,
        "sweep",
        "fit embeddings × debiasing steps × word lists × models; goes on where it was stopped",
        "bayesbias sweep sweep.toml --out out/sweep --jobs 2",
    )
    parser.add_argument("sweep", metavar="SWEEP", help="a .toml file; see docs/sweeps.md")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the results")
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes (default: 0, one per core)"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS",
                        help="a Dask scheduler, such as tcp://host:8786, instead")  # fmt: skip
    parser.add_argument("--retry", action="store_true", help="try again what failed before")
    add_speech_options(parser)
    parser.set_defaults(run=later("bayesbias.cli.sweep", "run_sweep_command"))
