"""Golden files: what is seen first, kept as files and read as a diff.

``python tests/golden.py --write`` writes them anew; ``tests/show/test_golden.py`` compares.
"""

import sys
from collections.abc import Callable, Iterator
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


def _screen(wordlist: object, model: str = "maximal") -> str:
    return repr(bb.analyze(bb.example_embedding(), wordlist, model, seed=1))


def _pairs_alone() -> str:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.BayesBiasWarning)
        frame = bb.distances(bb.example_embedding(), "gender")
    return repr(bb.fit(frame, "paper", seed=1))


def _full() -> str:
    from bayesbias.fits.screen import screen

    return screen(bb.analyze(bb.example_embedding(), "gender", seed=1), full=True)


SCREENS: dict[str, Callable[[], str]] = {
    "gender": lambda: _screen("gender"),
    "gender-full": _full,
    "gender-paper": _pairs_alone,
    "lists-of-nobody": lambda: _screen(UNASSIGNED),
    "one-group": lambda: _screen(ONE_GROUP),
    "weat1": lambda: _screen("weat1"),
}


def written() -> Iterator[tuple[Path, str]]:
    """Yield the place and the text of every golden file, as they are today."""
    for name, make in SCREENS.items():
        yield FOLDER / f"{name}.txt", make() + "\n"


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("say --write to write the golden files anew")
    FOLDER.mkdir(exist_ok=True)
    for place, text in written():
        place.write_text(text, encoding="utf-8")
