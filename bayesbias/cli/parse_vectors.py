"""How the commands about vectors, lists and models are typed. Imports nothing heavy."""

import math
from typing import Any

from bayesbias.cli.options import (
    add_decision_options,
    add_json_option,
    add_output_options,
    add_reading_options,
    add_speech_options,
    command,
    later,
)


def add_measures(commands: Any) -> None:
    """Add the command ``measures``."""
    parser = command(
        commands,
        "measures",
        "print WEAT, MAC and other one-number measures beside the posterior's contrasts",
        "bayesbias measures googlenews.bin --wordlist weat7",
    )
    parser.add_argument("embedding", metavar="EMBEDDING", help="file of word vectors")
    parser.add_argument("--wordlist", metavar="LIST", help="a shipped list's name or a .toml file")
    add_reading_options(parser)
    parser.add_argument("--model", default="crossed", metavar="MODEL",
                        help="model of the contrasts (default crossed)")  # fmt: skip
    add_decision_options(parser)
    add_speech_options(parser)
    parser.set_defaults(run=later("bayesbias.cli.measures", "run_measures"))


def add_debias(commands: Any) -> None:
    """Add the command ``debias``."""
    parser = command(
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
    parser.add_argument("--memory-mb", type=float, default=math.inf, metavar="MB",
                        help="keep larger results in a temporary file; IN should then be a store "
                        "(see convert)")  # fmt: skip
    parser.add_argument("--trusted", action="store_true", help="allow gensim's pickle format")
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")
    add_speech_options(parser)
    parser.set_defaults(run=later("bayesbias.cli.debias", "run_debias"))


def add_convert(commands: Any) -> None:
    """Add the command ``convert``."""
    parser = command(
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
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it is a store")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors and notes")
    parser.set_defaults(run=later("bayesbias.cli.convert", "run_convert"))


def add_analogy(commands: Any) -> None:
    """Add the command ``analogy``."""
    parser = command(
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
    add_output_options(parser, out_required=False)
    parser.set_defaults(run=later("bayesbias.cli.analogy", "run_analogy"))


def add_wordlists(commands: Any) -> None:
    """Add the command ``wordlists``."""
    parser = command(
        commands,
        "wordlists",
        "list, show and check word lists",
        "bayesbias wordlists show religion",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = command(actions, "list", "list the shipped word lists", "bayesbias wordlists list")
    add_json_option(listing)
    listing.set_defaults(run=later("bayesbias.cli.wordlists", "run_list"))
    show = command(actions, "show", "print a word list", "bayesbias wordlists show religion")
    show.add_argument("wordlist", help="a shipped list's name or a .toml file")
    add_json_option(show)
    show.set_defaults(run=later("bayesbias.cli.wordlists", "run_show"))
    check = command(
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
    add_json_option(check)
    check.set_defaults(run=later("bayesbias.cli.wordlists", "run_check"))


def add_models(commands: Any) -> None:
    """Add the command ``models``."""
    parser = command(commands, "models", "list and show models", "bayesbias models show crossed")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = command(actions, "list", "list the shipped models", "bayesbias models list")
    add_json_option(listing)
    listing.set_defaults(run=later("bayesbias.cli.models", "run_list"))
    show = command(
        actions, "show", "print a model's mathematics and priors", "bayesbias models show crossed"
    )
    show.add_argument("model", help="a shipped model's name or a .toml file")
    add_json_option(show)
    show.set_defaults(run=later("bayesbias.cli.models", "run_show"))
