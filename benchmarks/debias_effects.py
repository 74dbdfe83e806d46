"""Measures what each debiasing method changes and what it leaves, on real vectors.

Run: python benchmarks/debias_effects.py VECTORS LISTS.json [--limit N]
LISTS.json holds definitional_pairs, gender_specific and professions. Every method gets the same
words: all but the gender-specific ones are neutral; hard and multiclass equalise the definitional
pairs; the linear maps two_means and inlp project every word, as their authors do.

Columns, of the vectors that a method returns: direct bias of all professions, along the direction
of the returned vectors, and along that of the vectors before; the largest |⟨w, x − y⟩| of a neutral
word w and a definitional pair x, y, and the largest difference of the cosines of w with x and y;
neighbour bias and cluster bias (Gonen and Goldberg 2019; lower-case words that are not
gender-specific, bias as before debiasing), the first over the professions that are not
gender-specific, with its 95% bootstrap interval, the second with its permutation p-value; drift,
the root mean square change of the cosine between 100,000 random pairs of words; the share of what
the pairs differ in that lies along the direction of the returned vectors; seconds.
"""

import argparse
import json
import re
import time
import warnings
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias import debias, measures
from bayesbias.errors import BayesBiasWarning
from bayesbias.vectors.subspaces import bias_subspace

EVERY = {"neutralise": "every", "keep": ()}
RUNS = {
    "hard": ("hard", {}),
    "multiclass, k = 2": ("multiclass", {}),
    "soft, λ = 0.2": ("soft", {}),
    "soft, λ = 20": ("soft", {"lam": 20.0}),
    "soft, λ = 2,000": ("soft", {"lam": 2000.0}),
    "subspace": ("subspace", {}),
    "two_means": ("two_means", EVERY),
    "inlp": ("inlp", EVERY),
}


def unit(kv: KeyedVectors) -> np.ndarray:
    matrix = kv.vectors.astype(np.float64)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("lists", type=Path)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    kv = bb.load_embedding(arguments.vectors, limit=arguments.limit)
    lists = json.loads(arguments.lists.read_text(encoding="utf-8"))
    pairs = lists["definitional_pairs"]
    word_pairs = [bb.WordPair(*pair) for pair in pairs]
    row = kv.key_to_index
    specific = set(lists["gender_specific"])
    professions = [word for word in lists["professions"] if word in row]
    words = [word for word in professions if word not in specific]
    first, second = ([row[pair[place]] for pair in pairs] for place in (0, 1))
    old = unit(kv)
    direction = bias_subspace([old[[row[x], row[y]]] for x, y in pairs], 1).basis[0]
    named = {word for pair in pairs for word in pair} | specific
    neutral = np.array([i for word, i in row.items() if word not in named])
    names = [w for w in kv.index_to_key if w not in named and re.fullmatch("[a-z_]{1,19}", w)]
    sample = np.random.default_rng(0).integers(len(old), size=(2, 100_000))
    cosines = np.einsum("ij,ij->i", old[sample[0]], old[sample[1]])
    test = {"before": kv, "vocabulary": names, "seed": 1}

    def show(name: str, vectors: KeyedVectors, seconds: float) -> None:
        new = unit(vectors)
        largest = [
            np.abs(matrix[neutral] @ (matrix[first] - matrix[second]).T).max()
            for matrix in (vectors.vectors.astype(np.float64), new)
        ]
        direct = measures.direct_bias(vectors, professions, word_pairs)
        along = np.abs(new[[row[w] for w in professions]] @ direction).mean()
        near = measures.neighbour_bias(vectors, words, word_pairs, **test)
        clusters = measures.cluster_bias(vectors, word_pairs, **test)
        drift = np.einsum("ij,ij->i", new[sample[0]], new[sample[1]]) - cosines
        low, high = near.interval
        print(
            f"| {name} | {direct.value:.4f} | {along:.4f} | {largest[0]:.1e} | {largest[1]:.1e} | "
            f"{near.value:.2f} [{low:.2f}, {high:.2f}] | {clusters.value:.3f} "
            f"({clusters.p_value:.1g}) | {np.sqrt(np.mean(drift**2)):.4f} | "
            f"{direct.details['explained_variance'][0]:.2f} | {seconds:.1f} |",
            flush=True,
        )

    print(
        f"{len(old):,} words, {len(neutral):,} neutral, {len(professions)} professions, "
        f"{len(words)} of them not gender-specific, {len(names):,} neighbours"
    )
    print(
        "| method | direct bias | … along the direction before | largest product | … of cosines | "
        "neighbour bias | cluster bias (p) | drift | share | s |"
    )
    print("|---|" + "---:|" * 9)
    show("before", bb.load_embedding((kv.index_to_key, old)), 0.0)
    for name, (method, own) in RUNS.items():
        options = {"neutralise": "all", "keep": lists["gender_specific"], **own}
        start = time.perf_counter()
        result = debias.find_method(method)(kv, defining_sets=pairs, **options)
        show(name, result.vectors, time.perf_counter() - start)


if __name__ == "__main__":
    main()
