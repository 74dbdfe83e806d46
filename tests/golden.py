"""Golden files: what is seen first, kept as files and read as a diff.

``python tests/golden.py --write`` writes them anew; ``tests/show/test_text_tables.py`` compares.
"""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import bayesbias as bb

FOLDER = Path(__file__).with_name("golden")

UNASSIGNED = {
    "groups": {"men": ["he", "father"], "women": ["she", "mother"], "boys": ["boy", "son"]},
    "attributes": {"home": ["nurse", "maid", "dancer"], "work": ["officer", "lawyer", "manager"]},
}
ONE_GROUP = {
    "groups": {"women": ["she", "mother", "girl"]},
    "attributes": {"home": ["nurse", "maid", "dancer"]},
    "associated": {"women": ["home"]},
}


def _analysis(wordlist: object) -> "bb.Fit":
    return bb.analyze(bb.example_embedding(), wordlist, seed=1)


def _pairs_alone() -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.BayesBiasWarning)
        frame = bb.distances(bb.example_embedding(), "gender")
    return repr(bb.fit(frame, "paper", seed=1))


def _full() -> str:
    from bayesbias.fits.screen import screen

    return screen(_analysis("gender"), full=True)


SCREENS: dict[str, Callable[[], str]] = {
    "gender": lambda: repr(_analysis("gender")),
    "gender-full": _full,
    "gender-paper": _pairs_alone,
    "lists-of-nobody": lambda: repr(_analysis(UNASSIGNED)),
    "one-group": lambda: repr(_analysis(ONE_GROUP)),
    "weat1": lambda: repr(_analysis("weat1")),
}

if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("say --write to write the golden files anew")
    for name, make in SCREENS.items():
        (FOLDER / f"{name}.txt").write_text(make() + "\n", encoding="utf-8")
