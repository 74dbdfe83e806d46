"""Says what each debiasing method changes and what it leaves, on real vectors.

Run: python benchmarks/debias_effects.py VECTORS LISTS.json [--limit N]
LISTS.json holds definitional_pairs, gender_specific and professions. Every method gets the same
words: all but the gender-specific ones are neutral, and the definitional pairs are equalised.

Columns: direct bias, the mean |cosine| of the professions with the bias direction of the vectors
before; the largest |⟨w, x − y⟩| of a neutral word and a definitional pair; neighbours, the
correlation over professions of the bias before with the share of male-biased words among the 100
nearest neighbours (Gonen and Goldberg 2019); drift, the root mean square change of the cosine
between 100,000 random pairs of words.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias import debias
from bayesbias.vectors.subspaces import bias_subspace

RUNS = {
    "hard": ("hard", {}),
    "multiclass, k = 2": ("multiclass", {}),
    "soft, λ = 0.2": ("soft", {}),
    "soft, λ = 20": ("soft", {"lam": 20.0}),
    "soft, λ = 2,000": ("soft", {"lam": 2000.0}),
    "subspace": ("subspace", {}),
}
NEIGHBOURS = 100


def unit(kv: KeyedVectors) -> np.ndarray:
    matrix = kv.vectors.astype(np.float64)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("lists", type=Path)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    kv = bb.load_embedding(arguments.vectors, limit=arguments.limit)
    lists = json.loads(arguments.lists.read_text(encoding="utf-8"))
    pairs = lists["definitional_pairs"]
    row = kv.key_to_index
    professions = [row[word] for word in lists["professions"] if word in row]
    old = unit(kv)
    direction = bias_subspace([old[[row[x], row[y]]] for x, y in pairs], 1).basis[0]
    named = {word for pair in pairs for word in pair} | set(lists["gender_specific"])
    neutral = np.array([i for word, i in row.items() if word not in named])
    bias_before = old[professions] @ direction
    male = (old @ direction < 0).astype(float)  # the pairs name the woman first
    sample = np.random.default_rng(0).integers(len(old), size=(2, 100_000))
    cosines = np.einsum("ij,ij->i", old[sample[0]], old[sample[1]])

    def show(name: str, vectors: KeyedVectors, raw: bool) -> None:
        new = unit(vectors)
        source = kv.vectors.astype(np.float64) if raw else old
        differences = np.array([source[row[x]] - source[row[y]] for x, y in pairs])
        largest = np.abs(vectors.vectors[neutral] @ differences.T).max()
        near = np.argsort(-(new[professions] @ new[neutral].T), axis=1)[:, 1 : NEIGHBOURS + 1]
        shares = male[neutral][near].mean(axis=1)
        neighbours = np.corrcoef(-bias_before, shares)[0, 1]
        drift = np.einsum("ij,ij->i", new[sample[0]], new[sample[1]]) - cosines
        direct = np.abs(new[professions] @ direction).mean()
        rms = np.sqrt(np.mean(drift**2))
        print(f"| {name} | {direct:.4f} | {largest:.1e} | {neighbours:.2f} | {rms:.4f} |")

    print(f"{len(old):,} words, {len(neutral):,} neutral, {len(professions)} professions")
    print("| method | direct bias | largest inner product | neighbours | drift |")
    print("|---|---:|---:|---:|---:|")
    normalised = bb.load_embedding((kv.index_to_key, old))
    show("before", normalised, raw=False)
    for name, (method, options) in RUNS.items():
        result = debias.find_method(method)(
            kv, defining_sets=pairs, neutralise="all", keep=lists["gender_specific"], **options
        )
        show(name, result.vectors, raw=method == "subspace")


if __name__ == "__main__":
    main()
