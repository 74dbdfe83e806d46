"""Measures what each debiasing method removes, leaves, moves and costs, on real vectors.

    python benchmarks/debias_effects.py [--neutralise all|list] [--save debias-effects]

Two files of the reference data (BAYESBIAS_DATA), word list `gender`. Every method gets the word
list's matched sets. Methods that treat chosen words neutralise all but the list's protected words
and those that Bolukbasi et al. (2016) call gender-specific, control words included; with
--neutralise list the list's stereotype attributes alone, and methods that project every word are
left out, as is all but the association. A row is a measure of a method:

Association: associated − different of the vectors returned, by the model of one embedding, with its
interval; how far associated, human and neutral words moved, as plain means; MAC and the p-value of
its legacy paired t-test.

Left: direct bias of all professions, along the direction of the returned vectors, and along that of
the vectors before; the share of what the pairs differ in that lies along the direction of the
returned vectors; the largest |⟨w, x − y⟩| of a neutral word w and a defining pair x, y, and the
largest difference of the cosines of w with x and y; neighbour bias (Gonen and Goldberg 2019;
lower-case words that are not gender-specific, bias as before debiasing) over the professions that
are not gender-specific, with its 95% bootstrap interval.

Cost: drift, the root mean square change of the cosine between 100,000 random pairs of words, and
how much of it is one shift of all cosines.
"""

import argparse
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from gensim.models import KeyedVectors
from saved_results import DATA, save
from scipy import stats

import bayesbias as bb
from bayesbias import debias, measures
from bayesbias.errors import BayesBiasWarning
from bayesbias.measures.subspaces import bias_subspace

FILES = {"GoogleNews": "googlenews-16k-300d.bin", "GloVe": "glove-840b-10k-300d-int8.bin.gz"}
LIST = "gender"
EVERY: dict[str, Any] = {"neutralise": "every", "keep": ()}
RUNS: dict[str, dict[str, Any]] = {
    "hard": {},
    "multiclass, k = 2": {"k": 2},
    "multiclass, k = 1, as published": {"k": 1, "as_published": True},
    "subspace": {},
    "inlp": EVERY,
    "leace": EVERY,
    "double_hard": {},
}
"""Of each row the options; its name begins with the method's."""

Measured = Iterator[dict[str, Any]]


class Study:
    """What is measured of every method, against the vectors before."""

    def __init__(self, kv: KeyedVectors, lists: dict[str, list[str]]) -> None:
        self.before, self.wordlist = kv, bb.load_wordlist(LIST)
        self.frame = bb.distances(kv, self.wordlist)
        self.mac = measures.mac(self.frame)
        row = kv.key_to_index
        specific = {word for word in lists["gender_specific"] if word in row}  # "New" is not "new"
        pairs = [pair for pair in self.wordlist.matched if all(w in row for w in pair)]
        self.pairs = pairs
        self.ends = [[row[pair[place]] for pair in pairs] for place in (0, 1)]
        self.professions = [word for word in lists["professions"] if word in row]
        self.words = [word for word in self.professions if word not in specific]
        named = {word for pair in pairs for word in pair} | specific
        attributes = {w for s in self.wordlist.attribute_sets for w in s.words}
        self.keep = (*self.wordlist.protected_words, *sorted(specific - attributes))
        self.neutral = np.array([i for w, i in row.items() if w not in named | set(self.keep)])
        self.names = [w for w in row if w not in named and re.fullmatch("[a-z_]{1,19}", w)]
        self.old = unit(kv)
        sets = [self.old[[row[x], row[y]]] for x, y in pairs]
        self.direction = bias_subspace(sets, 1).basis[0]
        self.sample = np.random.default_rng(0).integers(len(self.old), size=(2, 100_000))
        self.cosines = self.cosines_of(self.old)

    def cosines_of(self, matrix: np.ndarray) -> np.ndarray:
        """Return the cosines of the random pairs of words."""
        return np.einsum("ij,ij->i", matrix[self.sample[0]], matrix[self.sample[1]])

    def association(self, vectors: KeyedVectors) -> Measured:
        """Yield what is left of the association, and how far words moved."""
        after = bb.distances(vectors, self.wordlist)
        left = bb.fit(after, vectors=vectors, seed=1).contrasts().iloc[0]
        own = {"value": left["mean"], "low": left["low"], "high": left["high"]}
        yield {"measure": "left", **own, "verdict": left["verdict"]}
        mac = measures.mac(after)
        if vectors is self.before:
            yield {"measure": "MAC", "value": mac.value}
            return
        means = [f.groupby("connection")["cosine_distance"].mean() for f in (self.frame, after)]
        for name, moved in (means[1] - means[0])[["associated", "human", "neutral"]].items():
            yield {"measure": name, "value": moved}
        s = [pd.DataFrame(one.details["s"]).T.stack() for one in (mac, self.mac)]
        p_value = stats.ttest_rel(*pd.concat(s, axis=1, join="inner").to_numpy().T).pvalue
        yield {"measure": "MAC", "value": mac.value, "p": p_value}

    def left(self, vectors: KeyedVectors) -> Measured:
        """Yield what is left of the bias in directions and neighbourhoods."""
        new, row = unit(vectors), vectors.key_to_index
        own = self.old if vectors is self.before else vectors.vectors.astype(np.float64)
        first, second = self.ends
        inner, of_cosines = (
            np.abs(matrix[self.neutral] @ (matrix[first] - matrix[second]).T).max()
            for matrix in (own, new)
        )
        direct = measures.direct_bias(vectors, self.professions, self.pairs)
        along = np.abs(new[[row[w] for w in self.professions]] @ self.direction).mean()
        test = {"before": self.before, "vocabulary": self.names, "seed": 1}
        near = measures.neighbour_bias(vectors, self.words, self.pairs, **test)
        low, high = near.interval
        yield {"measure": "direct bias", "value": direct.value}
        yield {"measure": "along the old direction", "value": along}
        yield {"measure": "share", "value": direct.details["explained_variance"][0]}
        yield {"measure": "largest ⟨w, x − y⟩", "value": inner}
        yield {"measure": "of cosines", "value": of_cosines}
        yield {"measure": "neighbours", "value": near.value, "low": low, "high": high}

    def cost(self, vectors: KeyedVectors) -> Measured:
        """Yield how far random words moved."""
        drift = self.cosines_of(unit(vectors)) - self.cosines
        yield {"measure": "drift", "value": np.sqrt(np.mean(drift**2))}
        yield {"measure": "of it, a shift", "value": drift.mean()}


def unit(kv: KeyedVectors) -> np.ndarray:
    matrix = kv.vectors.astype(np.float64)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def measured(study: Study, *, listed: bool) -> Measured:
    """Yield all measures of the vectors before, and of those that each method returns."""
    parts = (study.association,) if listed else (study.association, study.left, study.cost)
    chosen = {"neutralise": "listed"} if listed else {"neutralise": "all", "keep": study.keep}
    for part in parts:
        for one in part(study.before):
            yield {"method": "before", **one}
    for name, own in RUNS.items():
        if listed and own is EVERY:
            continue
        method = debias.find_method(name.partition(",")[0])
        result = method(study.before, wordlist=study.wordlist, **{**chosen, **own})
        for part in parts:
            for one in part(result.vectors):
                yield {"method": name, **one}
        print(f"{name} done", flush=True)


def main() -> None:
    """Print all measures, and save them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--neutralise", choices=["all", "list"], default="all")
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    path = DATA / "oracles" / "debiaswe_wordlists.json"
    lists = json.loads(path.read_text(encoding="utf-8"))
    rows, studies = [], []
    for name, file in FILES.items():
        studies.append(Study(bb.load_embedding(DATA / "embeddings" / file), lists))
        listed = given.neutralise == "list"
        rows += [{"vectors": name, **one} for one in measured(studies[-1], listed=listed)]
    table = pd.DataFrame(rows)
    print(table.to_string())
    counts = {
        "words": [len(study.before) for study in studies],
        "neutral": [len(study.neutral) for study in studies],
        "professions": [len(study.professions) for study in studies],
        "of them not gender-specific": [len(study.words) for study in studies],
    }
    settings = {
        "list": LIST,
        "files": " and ".join(file.partition(".")[0] for file in FILES.values()),
        **{name: " and ".join(f"{n:,}" for n in both) for name, both in counts.items()},
    }
    if given.save:
        print(save(table, given.save, settings))


if __name__ == "__main__":
    main()
