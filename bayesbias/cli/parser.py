"""What can be typed: commands, arguments and their help. Imports nothing heavy."""

import argparse
from importlib import import_module
from typing import Any, NoReturn

from bayesbias import __version__
from bayesbias.constants import CONFIDENCE, GAP_ROPE, HDPI_PROB, ROPE

_ROPE_HELP = f"differences up to this count as practically none (default {ROPE})"


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"bayesbias: error: {message}; see '{self.prog} --help'\n")


class _PrintCompletion(argparse.Action):
    """Prints a shell's completion script for all commands."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Print and exit."""
        import shtab

        if values not in shtab.SUPPORTED_SHELLS:
            parser.error(f"--print-completion: {values!r} is none of "
                         f"{', '.join(shtab.SUPPORTED_SHELLS)}")  # fmt: skip
        print(shtab.complete(parser, values))
        parser.exit(0)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; each parsed command carries ``run``."""
    parser = _Parser(
        prog="bayesbias",
        description="How biased is a word embedding, and how sure can you be?",
        epilog="Start with: bayesbias demo --out demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"bayesbias {__version__}")
    parser.add_argument("--print-completion", metavar="SHELL", action=_PrintCompletion,
                        help="print completions for bash, zsh or tcsh, and exit")  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_analyze(commands)
    _add_demo(commands)
    _add_compare(commands)
    _add_report(commands)
    _add_measures(commands)
    _add_debias(commands)
    _add_convert(commands)
    _add_plan(commands)
    _add_simulate(commands)
    _add_sweep(commands)
    _add_analogy(commands)
    _add_classifier(commands)
    _add_wordlists(commands)
    _add_models(commands)
    return parser


def _later(module: str, function: str) -> Any:
    """Name a command's function without importing its module yet."""
    return lambda arguments, given: getattr(import_module(module), function)(arguments, given)


def _command(commands: Any, name: str, help_text: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help_text,
        description=help_text[0].upper() + help_text[1:] + ".",
        epilog=f"example: {example}",
        allow_abbrev=False,
    )
    return parser


def _add_analyze(commands: Any) -> None:
    parser = _command(
        commands,
        "analyze",
        "fit a model to an embedding and a word list, or to a file of distances",
        "bayesbias analyze googlenews.bin --wordlist religion --out out/religion",
    )
    parser.add_argument("embedding", nargs="?", help="file of word vectors, or gensim:NAME")
    parser.add_argument("--distances", metavar="FILE", help="a file of distances instead")
    parser.add_argument("--wordlist", metavar="LIST", help="a shipped list's name or a .toml file")
    _add_reading_options(parser)
    _add_fit_options(parser)
    parser.set_defaults(run=_later("bayesbias.cli.analyze", "run_analyze"))


def _add_demo(commands: Any) -> None:
    parser = _command(
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
    _add_fit_options(parser, out_required=False)
    parser.set_defaults(run=_later("bayesbias.cli.analyze", "run_demo"))


def _add_compare(commands: Any) -> None:
    parser = _command(
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
    _add_reading_options(parser)
    _add_output_options(parser, out_required=False)
    _add_report_option(parser)
    parser.add_argument("--model", default="change-crossed", metavar="MODEL",
                        help="change-crossed (default), change or a .toml file")  # fmt: skip
    _add_decision_options(parser)
    parser.add_argument("--engine", default="auto", help="auto (default), collapsed or nuts")
    parser.set_defaults(run=_later("bayesbias.cli.compare", "run_compare"))


def _add_report(commands: Any) -> None:
    parser = _command(
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
    parser.set_defaults(run=_later("bayesbias.cli.report", "run_report"))


def _add_measures(commands: Any) -> None:
    parser = _command(
        commands,
        "measures",
        "print WEAT, MAC and other one-number measures beside the posterior's contrasts",
        "bayesbias measures googlenews.bin --wordlist weat7",
    )
    parser.add_argument("embedding", metavar="EMBEDDING", help="file of word vectors")
    parser.add_argument("--wordlist", metavar="LIST", help="a shipped list's name or a .toml file")
    _add_reading_options(parser)
    parser.add_argument("--model", default="crossed", metavar="MODEL",
                        help="model of the contrasts (default crossed)")  # fmt: skip
    _add_decision_options(parser)
    _add_speech_options(parser)
    parser.set_defaults(run=_later("bayesbias.cli.measures", "run_measures"))


def _add_debias(commands: Any) -> None:
    parser = _command(
        commands,
        "debias",
        "debias a file of word vectors",
        "bayesbias debias hard googlenews.bin debiased.bin --wordlist gender",
    )
    parser.add_argument("method", metavar="METHOD", help="hard, multiclass, soft or subspace")
    parser.add_argument("input", metavar="IN", help="file of word vectors; it is not changed")
    parser.add_argument("output", metavar="OUT", help="word2vec binary file to write")
    parser.add_argument("--wordlist", metavar="LIST", required=True,
                        help="a list with defining sets: a name or a .toml file")  # fmt: skip
    parser.add_argument("--k", type=int, help="dimensions of the subspace (multiclass, soft)")
    parser.add_argument("--lam", type=float, help="weight of the association (soft; default 0.2)")
    parser.add_argument("--all-words", action="store_true",
                        help="neutralise every word but the protected ones, not only the list's "
                        "stereotype attributes")  # fmt: skip
    parser.add_argument("--keep", action="append", default=[], metavar="WORD",
                        help="with --all-words: leave this word too; repeatable")  # fmt: skip
    parser.add_argument("--no-equalise", dest="equalise", action="store_const", const=(),
                        help="do not equalise the defining sets (hard, multiclass)")  # fmt: skip
    parser.add_argument("--limit", type=int, metavar="N", help="use the file's first N words only")
    parser.add_argument("--trusted", action="store_true", help="allow gensim's pickle format")
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")
    _add_speech_options(parser)
    parser.set_defaults(run=_later("bayesbias.cli.debias", "run_debias"))


def _add_convert(commands: Any) -> None:
    parser = _command(
        commands,
        "convert",
        "convert word vectors to a store, a folder that opens at once whatever its size",
        "bayesbias convert googlenews.bin googlenews.bbv",
    )
    parser.add_argument("input", metavar="IN", help="file of word vectors; it is not changed")
    parser.add_argument("output", metavar="OUT", help="folder to make, such as NAME.bbv")
    parser.add_argument("--limit", type=int, metavar="N", help="use the file's first N words only")
    parser.add_argument("--memory-mb", type=float, default=64, metavar="MB",
                        help="vectors held in memory at a time (default 64 MB)")  # fmt: skip
    parser.add_argument("--trusted", action="store_true", help="allow gensim's pickle format")
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors and notes")
    parser.set_defaults(run=_later("bayesbias.cli.convert", "run_convert"))


def _add_plan(commands: Any) -> None:
    parser = _command(
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
    parser.add_argument("--words", type=_whole_numbers, default=(6, 14, 25, 50, 100), metavar="N,N",
                        help="protected words in all to try (default 6,14,25,50,100)")  # fmt: skip
    parser.add_argument("--attributes", type=_whole_numbers, default=(10, 25, 50), metavar="N,N",
                        help="stereotype attributes in all to try (default 10,25,50)")  # fmt: skip
    parser.add_argument("--simulations", type=int, default=40, metavar="N",
                        help="worlds per combination (default 40)")  # fmt: skip
    _add_output_options(parser, out_required=False)
    _add_decision_options(parser)
    parser.set_defaults(run=_later("bayesbias.cli.worlds", "run_plan"))


def _add_simulate(commands: Any) -> None:
    parser = _command(
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
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per core)")
    _add_output_options(parser, out_required=False)
    parser.add_argument("--seed", type=int, default=1, help="seed of all random steps (default 1)")
    parser.add_argument("--rope", type=float, default=ROPE, metavar="D", help=_ROPE_HELP)
    parser.set_defaults(run=_later("bayesbias.cli.worlds", "run_simulate"))


def _add_sweep(commands: Any) -> None:
    parser = _command(
        commands,
        "sweep",
        "fit embeddings × debiasing steps × word lists × models; goes on where it was stopped",
        "bayesbias sweep sweep.toml --out out/sweep --jobs 2",
    )
    parser.add_argument("sweep", metavar="SWEEP", help="a .toml file; see docs/sweeps.md")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the results")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per core)")
    parser.add_argument("--scheduler", metavar="ADDRESS",
                        help="a Dask scheduler, such as tcp://host:8786, instead")  # fmt: skip
    parser.add_argument("--retry", action="store_true", help="try again what failed before")
    _add_speech_options(parser)
    parser.set_defaults(run=_later("bayesbias.cli.sweep", "run_sweep_command"))


def _add_analogy(commands: Any) -> None:
    parser = _command(
        commands,
        "analogy",
        "ask a : b :: c : ? with and without the query's own words as answers",
        "bayesbias analogy googlenews.bin man doctor woman --method all --both --reported nurse",
    )
    parser.add_argument("embedding", help="file of word vectors, or gensim:NAME")
    parser.add_argument("words", nargs="*", metavar="WORD",
                        help="a b c; or two words a c, to rank pairs b : d by Bolukbasi's "
                        "formula")  # fmt: skip
    parser.add_argument("--questions", metavar="FILE",
                        help="ask a file like questions-words.txt instead")  # fmt: skip
    parser.add_argument("--method", default="all",
                        help="all (default), 3cosadd, 3cosmul or bolukbasi")  # fmt: skip
    which = parser.add_mutually_exclusive_group()
    for setting, text in (
        ("both", "show both settings side by side (default)"),
        ("constrained", "show only answers that are no word of the query"),
        ("unconstrained", "show only answers that may be a word of the query"),
    ):
        which.add_argument(f"--{setting}", dest="setting", action="store_const", const=setting,
                           default="both", help=text)  # fmt: skip
    parser.add_argument("--top", type=int, default=10, metavar="N", help="answers (default 10)")
    parser.add_argument("--reported", metavar="WORD", help="rank this word, reported by somebody")
    parser.add_argument("--delta", type=float, default=1.0, metavar="D",
                        help="Bolukbasi's threshold for the distance of b and d "
                        "(default 1)")  # fmt: skip
    parser.add_argument("--restrict-vocab", type=int, metavar="N",
                        help="only the first N words can be answers")  # fmt: skip
    parser.add_argument("--ignore-case", action="store_true",
                        help="bar other spellings of the query's words in case too")  # fmt: skip
    parser.add_argument("--fallback", action="append", default=[], metavar="SPELLING",
                        help="also try lower, title, upper or underscore; repeatable")  # fmt: skip
    parser.add_argument("--limit", type=int, metavar="N", help="read the file's first N words only")
    parser.add_argument("--trusted", action="store_true", help="allow gensim's pickle format")
    _add_output_options(parser, out_required=False)
    parser.set_defaults(run=_later("bayesbias.cli.analogy", "run_analogy"))


def _whole_numbers(text: str) -> tuple[int, ...]:
    """Read numbers with commas between them."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r}: give whole numbers with commas between them, such as 10,25"
        ) from None


def _add_reading_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fallback",
        action="append",
        default=[],
        metavar="SPELLING",
        help="also try lower, title, upper or underscore for missing words; repeatable",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="use the file's first N words only")
    parser.add_argument(
        "--trusted", action="store_true", help="allow gensim's pickle format, which runs code"
    )
    parser.add_argument(
        "--duplicates", default="drop", help="repeated pairs of a file: drop (default) or keep"
    )


def _add_output_options(parser: argparse.ArgumentParser, *, out_required: bool) -> None:
    where = "folder for the results" if out_required else "folder for the results; default: none"
    parser.add_argument("--out", required=out_required, metavar="DIR", help=where)
    parser.add_argument("--overwrite", action="store_true", help="replace the folder if it exists")
    _add_speech_options(parser)


def _add_speech_options(parser: argparse.ArgumentParser) -> None:
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quiet", action="store_true", help="print nothing but errors and notes")
    how.add_argument(
        "--json", action="store_true", help="print the result as JSON and nothing else"
    )


def _add_report_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--report", action="store_true",
                        help="also write report.html, one page about everything")  # fmt: skip


def _add_decision_options(parser: argparse.ArgumentParser, *, rope: float = ROPE) -> None:
    parser.add_argument("--seed", type=int, default=1, help="seed of all random steps (default 1)")
    parser.add_argument("--prob", type=float, default=HDPI_PROB, metavar="P",
                        help=f"probability of the intervals (default {HDPI_PROB})")  # fmt: skip
    parser.add_argument(
        "--interval", default="hpdi", help="hpdi (default), or eti for equal-tailed intervals"
    )
    parser.add_argument(
        "--rope",
        type=float,
        default=rope,
        metavar="D",
        help=f"differences up to this count as practically none (default {rope})",
    )


def _add_fit_options(parser: argparse.ArgumentParser, *, out_required: bool = True) -> None:
    _add_output_options(parser, out_required=out_required)
    _add_report_option(parser)
    parser.add_argument("--model", default="paper", metavar="MODEL", help="a name or a .toml file")
    _add_decision_options(parser)
    parser.add_argument("--engine", default="auto", help="auto (default), collapsed or nuts")
    parser.add_argument("--draws", type=int, default=2000, help="draws per chain (default 2000)")
    parser.add_argument(
        "--tune", type=int, default=1000, help="warm-up per chain of NUTS (default 1000)"
    )
    parser.add_argument("--chains", type=int, default=4, help="chains (default 4)")
    parser.add_argument("--cores", type=int, help="chains sampled at a time")
    parser.add_argument("--sampler", default="auto", help="of NUTS: auto (default), pymc or nutpie")
    parser.add_argument("--target-accept", type=float, default=0.97, metavar="P",
                        help="of NUTS: nearer to 1 means smaller steps (default 0.97)")  # fmt: skip
    parser.add_argument("--parametrisation", default="auto",
                        help="of NUTS: auto (default), centred or non-centred")  # fmt: skip


def _add_classifier(commands: Any) -> None:
    parser = _command(
        commands,
        "classifier",
        "compare groups in a file of predictions, and plan how many to annotate",
        "bayesbias classifier gaps predictions.csv --true y --pred p --group gender",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    bbu = _command(
        actions,
        "bbu",
        "bound the difference of two groups' mean costs (Bernstein-bounded unfairness)",
        "bayesbias classifier bbu predictions.csv --true y --pred p --group gender "
        "--positive nurse --measure equal-opportunity",
    )
    bbu.add_argument("file", metavar="FILE", help="a .csv or .csv.gz file, one row per person")
    _add_cost_options(bbu)
    _add_bound_options(bbu)
    bbu.add_argument(
        "--compare",
        action="store_true",
        help="also print bootstrap and Bayesian intervals (costs of 0 and 1)",
    )
    bbu.add_argument("--seed", type=int, default=1, help="seed of --compare (default 1)")
    bbu.set_defaults(run=_later("bayesbias.cli.classifier", "run_bbu"))
    gaps = _command(
        actions,
        "gaps",
        "compare GP, TPR and PP of every class between groups, with intervals",
        "bayesbias classifier gaps predictions.csv --true y --pred p --group gender --out out/gaps",
    )
    gaps.add_argument("file", metavar="FILE", help="a .csv or .csv.gz file, one row per person")
    for name, what in (("true", "true classes"), ("pred", "predicted classes"),
                       ("group", "groups")):  # fmt: skip
        gaps.add_argument(f"--{name}", required=True, metavar="COLUMN", help=f"column of {what}")
    gaps.add_argument(
        "--reference",
        metavar="GROUP",
        help="the group that is subtracted (default: the last in sorted order)",
    )
    gaps.add_argument("--group-names", metavar="A=NAME,...",
                      help="what groups are called, such as 0=male,1=female")  # fmt: skip
    gaps.add_argument("--class-names", metavar="FILE",
                      help="what classes are called: a .csv whose first two columns are label and "
                      "name")  # fmt: skip
    gaps.add_argument("--method", default="beta",
                      help="beta (default), hierarchical, bootstrap or point")  # fmt: skip
    gaps.add_argument("--model", default="gaps", help="of --method hierarchical: a .toml file")
    gaps.add_argument("--draws", type=int, help="draws (default 4000; hierarchical: 2000 a chain)")
    _add_output_options(gaps, out_required=False)
    _add_decision_options(gaps, rope=GAP_ROPE)
    gaps.set_defaults(run=_later("bayesbias.cli.classifier", "run_gaps"))
    plan = _command(
        actions,
        "plan",
        "say how many persons to annotate, or what a number of them can tell",
        "bayesbias classifier plan --disparity 0.05",
    )
    plan.add_argument("file", nargs="?", metavar="FILE",
                      help="a .csv file to take variance and shares from; without it, --gamma and "
                      "--variance")  # fmt: skip
    plan.add_argument("--disparity", type=float, metavar="D",
                      help="the difference of mean costs to be told from 0")  # fmt: skip
    plan.add_argument("--n", type=int, help="a number of annotated persons instead")
    _add_cost_options(plan)
    _add_bound_options(plan)
    plan.set_defaults(run=_later("bayesbias.cli.classifier", "run_plan"))


def _add_cost_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--true", metavar="COLUMN", help="column of true classes")
    parser.add_argument("--pred", metavar="COLUMN", help="column of predicted classes")
    parser.add_argument("--positive", metavar="LABEL", help="the class that is the good outcome")
    parser.add_argument("--measure", default="demographic-parity",
                        help="demographic-parity (default), equal-opportunity, predictive-equality "
                        "or equalised-odds")  # fmt: skip
    parser.add_argument("--cost", metavar="COLUMN", help="column of your own costs instead")
    parser.add_argument("--group", metavar="COLUMN", help="column of groups")
    parser.add_argument("--protected", metavar="GROUP",
                        help="the group whose mean cost comes first")  # fmt: skip
    parser.add_argument("--reference", metavar="GROUP",
                        help="the group that is subtracted (default: all others)")  # fmt: skip


def _add_bound_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--confidence", type=float, default=CONFIDENCE, metavar="P",
                        help=f"confidence of the bounds (default {CONFIDENCE})")  # fmt: skip
    parser.add_argument("--gamma", type=float, metavar="G",
                        help="least share of either group, where known (default: as observed; 0.5 "
                        "without a file)")  # fmt: skip
    parser.add_argument("--variance", default=None, metavar="V",
                        help="of amortised disparities: sample, maximal or a number (default: "
                        "sample; maximal without a file)")  # fmt: skip
    parser.add_argument("--max-cost", type=float, default=1.0, metavar="C",
                        help="the largest cost (default 1)")  # fmt: skip


def _add_wordlists(commands: Any) -> None:
    parser = _command(
        commands,
        "wordlists",
        "list, show and check word lists",
        "bayesbias wordlists show religion",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = _command(actions, "list", "list the shipped word lists", "bayesbias wordlists list")
    listing.set_defaults(run=_later("bayesbias.cli.wordlists", "run_list"))
    show = _command(actions, "show", "print a word list", "bayesbias wordlists show religion")
    show.add_argument("wordlist", help="a shipped list's name or a .toml file")
    show.set_defaults(run=_later("bayesbias.cli.wordlists", "run_show"))
    check = _command(
        actions,
        "check",
        "check a word list, and which of its words an embedding has",
        "bayesbias wordlists check my-list.toml --embedding googlenews.bin",
    )
    check.add_argument("wordlist", help="a shipped list's name or a .toml file")
    check.add_argument("--embedding", metavar="FILE", help="file of word vectors")
    check.add_argument("--fallback", action="append", default=[], metavar="SPELLING",
                       help="also try lower, title, upper or underscore; repeatable")  # fmt: skip
    check.add_argument("--trusted", action="store_true", help="allow gensim's pickle format")
    check.set_defaults(run=_later("bayesbias.cli.wordlists", "run_check"))


def _add_models(commands: Any) -> None:
    parser = _command(commands, "models", "list and show models", "bayesbias models show crossed")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = _command(actions, "list", "list the shipped models", "bayesbias models list")
    listing.set_defaults(run=_later("bayesbias.cli.models", "run_list"))
    show = _command(
        actions, "show", "print a model's mathematics and priors", "bayesbias models show crossed"
    )
    show.add_argument("model", help="a shipped model's name or a .toml file")
    show.set_defaults(run=_later("bayesbias.cli.models", "run_show"))
