"""Lines of tables that several commands share (`command` says how they are written).

What an option does not give is left to the library: a default stands here only where a command
needs it itself, or has another.
"""

from typing import Final

from bayesbias.constants import HDPI_PROB

WORDLIST: Final = "--wordlist LIST  a shipped list's name or a .toml file"
NEEDED_WORDLIST: Final = WORDLIST.replace("LIST", "LIST!", 1)
NAMED_LIST: Final = "wordlist LIST  a shipped list's name or a .toml file"
MODEL: Final = "--model MODEL = maximal  a model's name or a .toml file (default maximal)"
VECTORS: Final = "embedding EMBEDDING  file of word vectors"
CHANGED_VECTORS: Final = "input IN  file of word vectors; it is not changed"
VECTORS_OR_DISTANCES: Final = """
embedding EMBEDDING?  file of word vectors, gensim:NAME, or a folder of 'bayesbias runs'
--distances FILE  a file of distances instead
"""
REFERENCE: Final = """
--reference WORD[,WORD...]  words of no group, such as person,people, in place of the list's
    reference words; '' for none
"""
READING: Final = """
--limit N  use the file's first N words only
--trusted  allow gensim's pickle format, which runs code
--encoding NAME  how the file's words are written, such as latin-1 (default utf-8)
--errors ERRORS  bytes that are no text: strict, ignore or replace (default: leave the word out)
--strip MARK  read the words that bear a mark, without it: /c/en/ or ▁ before them, '_*' for an
    underscore and all behind it (which words may lack), '<{}>' for marks on both sides
"""
LOOKING_UP: Final = f"""
--fallback SPELLING* -> fallbacks  also try lower, title, upper or underscore for missing words;
    mean for a phrase's joined form or the mean of its words; none for no other spelling (always,
    but for none: lower if the vectors have no capital letters); repeatable
{READING}
--subwords  of a fastText model: also make vectors of parts for words that it lacks
"""
"""How vectors are read, and words looked up in them."""

COST: Final = "What it cost:"
ASK_COST: Final = (
    "Ask what it cost: add --utility FILE, such as wordsim353.tsv or questions-words.txt."
)
UTILITY: Final = """
--utility FILE* -> files  also say what it cost, by a file of questions: pairs of words that people
    judged (WordSim-353, SimLex-999, MEN) or analogies (questions-words.txt); repeatable
--restrict-vocab N  of --utility: the first N words can answer
"""
DUPLICATES: Final = (
    "--duplicates DUPLICATES = drop  repeated pairs of a file: drop (default) or keep"
)
QUIET: Final = "--quiet  print nothing but errors and notes"
JSON: Final = "--json  print the result as JSON and nothing else"
SPEECH: Final = f"{QUIET}\n| {JSON}"  # how much is printed
REPORT: Final = "--report  also write report.html, one page about everything"
SEED: Final = "--seed SEED = 1  seed of all random steps (default 1)"
JOBS: Final = "--jobs N  processes (default: one per core)"
ENGINE: Final = "--engine ENGINE = auto  auto (default), collapsed or nuts"


def output(default_out: str = "") -> str:
    """Return where results go, and how much is printed; a default folder is always replaced."""
    where, always = "none", ""
    if default_out:
        where, always = f"{default_out}, replaced by every run", " (only needed with --out)"
    return f"""
--out DIR  folder for the results; default: {where}
--overwrite  replace the results of an earlier run there{always}
--figures FORMAT?png  also draw figures there: png (if no format is given), pdf or svg
{SPEECH}
"""


OUTPUT: Final = output()
ROPE: Final = """
--rope D  differences up to this count as practically none (default 0.1 sd of a neutral pair's
    distance)
"""


def intervals(whose: str = "the intervals") -> str:
    """Return probability and kind of intervals."""
    return f"""
--prob P = {HDPI_PROB}  probability of {whose} (default {HDPI_PROB})
--interval INTERVAL = hpdi  kind of {whose}: hpdi (default), or eti for equal-tailed ones
"""


def decision(whose: str = "the intervals", rope: str = ROPE) -> str:
    """Return seed, intervals and the region of practical equivalence."""
    return f"{SEED}\n{intervals(whose)}\n{rope}"


def fitting(default_out: str = "") -> str:
    """Return what to fit and how; the page is an option where there is no default folder."""
    return f"""
{output(default_out)}
{"" if default_out else REPORT}
{MODEL}
--words  also print the mean distances of each protected word
--placebo N?100  also fit N lists of random neutral words (100 if no N is given), about .1 s each
{decision()}
{ENGINE}
--draws N  draws per chain (default 1000; 2000 with NUTS)
--tune N  warm-up per chain of NUTS (default 1000)
--chains N  chains (default 4)
--cores N  chains sampled at a time
--sampler SAMPLER  of NUTS: auto (default), pymc or nutpie
--target-accept P  of NUTS: nearer to 1 means smaller steps (default 0.97)
--parametrisation PARAMETRISATION  of NUTS: auto (default), centred or non-centred
"""
