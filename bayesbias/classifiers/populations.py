"""Biographies whose gender and occupation are known, for experiments with the protocol."""

from typing import Final

import numpy as np
import pandas as pd

from bayesbias.errors import ArgumentError
from bayesbias.support.seeds import seed_as_integer

_JOBS: Final = {
    "nurse": (0.8, ("wards", "patients", "shifts", "medication", "recovery", "clinic")),
    "surgeon": (0.2, ("operations", "patients", "theatre", "clinic", "transplants", "recovery")),
    "teacher": (0.6, ("pupils", "lessons", "school", "reading", "exams", "homework")),
    "programmer": (0.25, ("code", "servers", "databases", "lessons", "compilers", "exams")),
}
_NAMES: Final = {
    "female": ("Mary", "Anna", "Julia", "Sarah", "Emma", "Laura"),
    "male": ("James", "Peter", "David", "Thomas", "Paul", "Henry"),
}
_WORDS: Final = {
    "female": {"he": "she", "his": "her", "mr": "Ms."},
    "male": {"he": "he", "his": "his", "mr": "Mr."},
}
_PHRASES: Final = (
    "{mr} {name} {surname} is known for work with {a} and {b}.",
    "{name} has spent ten years on {a}; {he} also cares about {b}.",
    "In {his} free time {name} writes about {a}.",
    "{he_} lives in {town} with {his} family.",
    "{his_} colleagues praise {his} patience with {a}.",
)
_TOWNS: Final = ("Leeds", "Bristol", "Cardiff", "Glasgow", "Norwich")
_SURNAMES: Final = ("Hall", "Wood", "Clarke", "Turner", "Hill", "Cooper")


def example_biographies(
    n: int = 600, *, scrubbed: bool = False, seed: int | np.random.Generator | None = None
) -> pd.DataFrame:
    """Make `n` short English biographies with a known gender and occupation.

    Phrases and words are chosen at random: occupations share some of their words, pronouns, titles
    and first names reveal the gender, and genders are unequally spread over occupations. They
    exercise the protocol and say nothing about real classifiers. With `scrubbed` the same people
    have female pronouns and titles and the first name Camille, all of them, as in the Bios
    experiments. Columns are ``text``, ``occupation`` (nurse, surgeon, teacher, programmer) and
    ``gender`` (female, male).

    Examples
    --------
    >>> example_biographies(4, seed=1).columns.tolist()
    ['text', 'occupation', 'gender']
    """
    if n < 1:
        raise ArgumentError(f"n={n}: must be at least 1")
    rng = np.random.default_rng(seed_as_integer(seed))
    rows = []
    for _ in range(n):
        job = str(rng.choice(list(_JOBS)))
        share, words = _JOBS[job]
        gender = "female" if rng.random() < share else "male"
        rows.append((_biography(rng, gender, words, scrubbed), job, gender))
    return pd.DataFrame(rows, columns=["text", "occupation", "gender"])


def _biography(
    rng: np.random.Generator, gender: str, words: tuple[str, ...], scrubbed: bool
) -> str:
    """Fill two or three phrases; one word in four is drawn from those of all occupations."""
    everything = sorted({word for _, own in _JOBS.values() for word in own})
    forms = _WORDS["female" if scrubbed else gender]
    name = str(rng.choice(_NAMES[gender]))
    fixed = {
        **forms,
        **{f"{key}_": value.capitalize() for key, value in forms.items()},
        "name": "Camille" if scrubbed else name,
        "surname": str(rng.choice(_SURNAMES)),
        "town": str(rng.choice(_TOWNS)),
    }
    chosen = rng.choice(len(_PHRASES), size=int(rng.integers(2, 4)), replace=False)
    sentences = []
    for i in sorted(chosen):
        a, b = (str(rng.choice(everything if rng.random() < 0.25 else words)) for _ in "ab")
        sentences.append(_PHRASES[i].format(a=a, b=b, **fixed))
    return " ".join(sentences)
