"""What is found in text that says nothing: made corpora, as they are and with their words shuffled.

    python benchmarks/shuffled.py [--worlds 60] [--seed 3] [--words 200000] [--save shuffled]

A corpus has 1,500 words, as frequent as in Zipf's law, in sentences of 20. Two groups of eight
words, a list of eight attributes for each, and 40 neutral words are among them. In three tenths of
its places a word of a group is followed by one of its own list; all else is chance. One group and
its list are frequent words, the other group and list rare ones. word2vec is trained on every
corpus, and on its words shuffled across sentences (Valentini et al. 2022), where nothing is
associated. Prints the share of 89% intervals that leave out 0, plain and at equal frequency.
"""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from worlds import Fitters, Namespace, Records, outside, run

import bayesbias as bb
from bayesbias.fits.quantities import contrast_weights, slope_weights
from bayesbias.inference.conditional import NormalMixture
from bayesbias.pairs.frequency import RARITY
from bayesbias.support.progress import tracked

VOCABULARY, LENGTH, SIZE, N_NEUTRAL, FOLLOWS = 1500, 20, 8, 40, 0.3
SETTINGS = {"vector_size": 50, "window": 5, "min_count": 5, "epochs": 5}
FREQUENT, RARE = (20, 150), (400, 1000)
PAIR = (("associated", "different"),)


def words_of(rng: np.random.Generator) -> dict[str, list[int]]:
    """Deal ranks: frequent ones to the first group and list, rare ones to the other."""
    taken: set[int] = set()

    def some(n: int, ends: tuple[int, int]) -> list[int]:
        found = rng.choice(np.setdiff1d(np.arange(*ends), list(taken)), n, replace=False)
        taken.update(found.tolist())
        return found.tolist()

    dealt = {
        f"{what} {number}": some(SIZE, ends)
        for what in ("group", "list")
        for number, ends in ((1, FREQUENT), (2, RARE))
    }
    return dealt | {"neutral": some(N_NEUTRAL, (FREQUENT[0], RARE[1]))}


def corpus_of(dealt: dict[str, list[int]], n: int, rng: np.random.Generator) -> np.ndarray:
    """Return the words of a corpus, by rank, in which groups are followed by their lists."""
    share = 1.0 / np.arange(1, VOCABULARY + 1)
    words = rng.choice(VOCABULARY, n, p=share / share.sum())
    for number in "12":
        at = np.flatnonzero(np.isin(words[:-1], dealt[f"group {number}"]))
        at = at[(rng.random(len(at)) < FOLLOWS) & (at % LENGTH < LENGTH - 1)]
        words[at + 1] = rng.choice(dealt[f"list {number}"], len(at))
    return words


def frame_of(vectors, dealt: dict[str, list[int]], counts: np.ndarray) -> pd.DataFrame:
    """Return the distances of a world's list with the rarity of both words."""
    rows = []
    for number, other in ("12", "21"):
        for word in dealt[f"group {number}"]:
            lists = {f"list {number}": "associated", f"list {other}": "different"}
            for name, connection in (lists | {"neutral": "neutral"}).items():
                rows += [(word, f"group {number}", a, name, connection) for a in dealt[name]]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    frame = pd.DataFrame(rows, columns=columns)
    for column, rarity in RARITY.items():
        frame[rarity] = -np.log(counts[frame[column].to_numpy()])
        frame[column] = "w" + frame[column].astype(str)
    frame["cosine_distance"] = [
        1.0 - float(vectors.similarity(*pair))
        for pair in zip(frame["protected_word"], frame["attribute"], strict=True)
    ]
    return frame


def trained(corpus: Path, folder: Path, *, shuffled: bool):
    """Return the vectors of one run."""
    found = bb.vectors.training_runs(
        corpus, folder, seeds=1, shuffled=shuffled, progress=False, **SETTINGS
    )
    return bb.load_embedding(next(iter(found.values())), progress=False)


def answers(frame: pd.DataFrame, fitters: Fitters) -> dict[str, NormalMixture]:
    """Return the posterior of the contrast, plain and at equal frequency, and of the slope."""
    plain = bb.load_model("maximal").in_unit(0.1, 1.0).without_similarity()
    question = partial(contrast_weights, by="connection", pairs=PAIR)
    found = {}
    for way, model in (("plain", plain), ("at equal frequency", plain.with_frequency())):
        refit = fitters.fit(way, model, frame, question)
        found[f"associated − different, {way}"] = refit.answers[0]
    labels, weights = slope_weights(design := fitters.design(way, model, frame))
    both = (labels["slope"] == "rarity_of_both") & (labels["applies_to"] == "stereotype")
    slope = weights.rows(np.flatnonzero(both))
    return found | {"slope of both words' rarity": fitters[way].answers(design, slope).answers[0]}


def records(given: Namespace) -> Records:
    """Yield for every text and quantity whether its interval excludes 0, and its mean."""
    fitters = {True: Fitters(), False: Fitters()}
    for number in tracked(range(given.worlds), "corpora", None):
        rng = np.random.default_rng([given.seed, number, 0])
        dealt = words_of(rng)
        words = corpus_of(dealt, given.words, rng)
        counts = np.bincount(words, minlength=VOCABULARY)
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / "corpus.txt"
            lines = (words[i : i + LENGTH] for i in range(0, len(words), LENGTH))
            corpus.write_text("\n".join(" ".join(f"w{w}" for w in line) for line in lines))
            for shuffled, text in ((False, "as it is"), (True, "shuffled")):
                vectors = trained(corpus, Path(folder) / text, shuffled=shuffled)
                found = answers(frame_of(vectors, dealt, counts), fitters[shuffled])
                for what, one in found.items():
                    said = {f"{text}: excludes 0": outside(one, 0.0), f"{text}: mean": one.mean}
                    yield {"quantity": what, **said}


if __name__ == "__main__":
    run(records, __doc__, worlds=60, seed=3, words=200_000)
