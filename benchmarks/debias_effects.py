"""Measures what each debiasing method removes, leaves, moves and costs, on real vectors.

Run: python benchmarks/debias_effects.py VECTORS LISTS.json [--utility FILE]... [--limit N]
         [--wordlist gender] [--neutralise all|list]

It prints the tables of docs/debiasing.md. LISTS.json holds gender_specific and professions. Every
method gets the word list's defining sets. Methods that treat chosen words neutralise all but the
list's protected words and the gender-specific ones, control words included; with --neutralise list
the list's stereotype attributes alone, and methods that project
every word are left out. soft has λ = 2,000 beside the published 0.2, and half_sibling, whose α
belongs to many defining words, α = 0.05 beside 2, the published 60 in mean squared lengths.

Association: associated − different of the vectors returned, by the model of one embedding; how it,
associated, human and neutral changed, by the model of changes, with interval and verdict; MAC and
the p-value of its legacy paired t-test.

Left: direct bias of all professions, along the direction of the returned vectors, and along that of
the vectors before; the share of what the pairs differ in that lies along the direction of the
returned vectors; the largest |⟨w, x − y⟩| of a neutral word w and a defining pair x, y, and the
largest difference of the cosines of w with x and y; neighbour bias and cluster bias (Gonen and
Goldberg 2019; lower-case words that are not gender-specific, bias as before debiasing), the first
over the professions that are not gender-specific, with its 95% bootstrap interval, the second with
its permutation p-value.

Cost: drift, the root mean square change of the cosine between 100,000 random pairs of words, and
how much of it is one shift of all cosines; the change of every file of questions with its paired
95% interval; words neutralised; seconds.
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
from bayesbias.errors import BayesBiasError, BayesBiasWarning
from bayesbias.vectors.subspaces import bias_subspace

EVERY = {"neutralise": "every", "keep": ()}
RUNS = {
    "hard": ("hard", {}),
    "multiclass, k = 2": ("multiclass", {"k": 2}),
    "multiclass, k = 1, as published": ("multiclass", {"k": 1, "as_published": True}),
    "soft, λ = 0.2": ("soft", {"lam": 0.2}),
    "soft, λ = 2,000": ("soft", {"lam": 2000.0}),
    "subspace": ("subspace", {}),
    "two_means": ("two_means", EVERY),
    "inlp": ("inlp", EVERY),
    "leace": ("leace", EVERY),
    "double_hard": ("double_hard", {}),
    "half_sibling, α = 2": ("half_sibling", {}),
    "half_sibling, α = 0.05": ("half_sibling", {"alpha": 0.05}),
}
HEADS = {
    "association": "associated − different left | its change | associated | human | neutral | "
    "MAC after (legacy p)",
    "left": "direct bias | along the old direction | share | largest ⟨w, x − y⟩ | of cosines | "
    "neighbours | clusters (p)",
    "cost": "drift | of it, a shift",
}


class Study:
    """What is measured of every method, against the vectors before."""

    def __init__(self, kv: KeyedVectors, wordlist: bb.WordList, lists: dict, arguments) -> None:
        self.before, self.wordlist, self.arguments = kv, wordlist, arguments
        self.caption = ""
        self.frame = bb.distances(kv, wordlist)
        self.mac = measures.mac(self.frame)
        row = kv.key_to_index
        specific = set(lists["gender_specific"])
        pairs = [pair for pair in wordlist.defining_sets if all(w in row for w in pair)]
        self.pairs = [bb.pairs.WordPair(*pair) for pair in pairs]
        self.ends = [[row[pair[place]] for pair in pairs] for place in (0, 1)]
        self.professions = [word for word in lists["professions"] if word in row]
        self.words = [word for word in self.professions if word not in specific]
        named = {word for pair in pairs for word in pair} | specific
        attributes = {w for s in wordlist.attribute_sets for w in s.words}
        self.keep = (*wordlist.protected_words, *sorted(specific - attributes))
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

    def association(self, vectors: KeyedVectors) -> str:
        """Return the cells of what is left of the association and of what changed.

        Two fits that know nothing of each other: a joint model of before and after belongs here.
        """
        after = bb.distances(vectors, self.wordlist)
        fitted = bb.fit(after, seed=1)
        left = cell(fitted.contrasts().table, "contrast", "associated − different", verdict=False)
        if vectors is self.before:
            return f"{left} |  |  |  |  | {self.mac.value:.4f}"
        change = bb.compare_change(self.frame, after, seed=1)
        legacy = measures.mac_change(self.mac, measures.mac(after))
        cells = [
            left,
            cell(change.contrasts, "contrast", "associated − different"),
            *(cell(change.table, "connection", c) for c in ("associated", "human", "neutral")),
            f"{legacy.details['after']:.4f} ({legacy.p_value:.1g})",
        ]
        self.caption = f"Models {fitted.spec.name}, {change.fit.spec.name}. {change.rule.caption}"
        return " | ".join(cells)

    def left(self, vectors: KeyedVectors) -> str:
        """Return the cells of what is left of the bias in directions and neighbourhoods."""
        new, row = unit(vectors), vectors.key_to_index
        own = self.old if vectors is self.before else vectors.vectors.astype(np.float64)
        first, second = self.ends
        largest = [
            np.abs(matrix[self.neutral] @ (matrix[first] - matrix[second]).T).max()
            for matrix in (own, new)
        ]
        direct = measures.direct_bias(vectors, self.professions, self.pairs)
        along = np.abs(new[[row[w] for w in self.professions]] @ self.direction).mean()
        test = {"before": self.before, "vocabulary": self.names, "seed": 1}
        near = measures.neighbour_bias(vectors, self.words, self.pairs, **test)
        clusters = measures.cluster_bias(vectors, self.pairs, **test)
        low, high = near.interval
        return (
            f"{direct.value:.4f} | {along:.4f} | {direct.details['explained_variance'][0]:.2f} | "
            f"{largest[0]:.1e} | {largest[1]:.1e} | {near.value:.2f} [{low:.2f}, {high:.2f}] | "
            f"{clusters.value:.3f} ({clusters.p_value:.1g})"
        )

    def cost(self, vectors: KeyedVectors) -> str:
        """Return the cells of how far random words moved, and what that did to usefulness."""
        drift = self.cosines_of(unit(vectors)) - self.cosines
        cells = [f"{np.sqrt(np.mean(drift**2)):.4f} | {drift.mean():+.4f}"]
        if self.arguments.utility:
            files = self.arguments.utility
            table = debias.utility(self.before, vectors, *files, progress=False).table
            for one in table.itertuples():
                if vectors is self.before:
                    cells.append(f"{one.before:.3f} ({one.n_items:,})")
                else:
                    ends = f"{one.low:+.3f}, {one.high:+.3f}"
                    cells.append(f"{one.change:+.3f} [{ends}], {one.verdict}")
        return " | ".join(cells)


def unit(kv: KeyedVectors) -> np.ndarray:
    matrix = kv.vectors.astype(np.float64)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def cell(table, key: str, name: str, *, verdict: bool = True) -> str:
    rows = table[table[key] == name]
    if rows.empty:
        return "not moved"
    row = rows.iloc[0]
    interval = f"{row['mean']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]"
    return f"{interval}, {row['verdict']}" if verdict else interval


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("lists", type=Path)
    parser.add_argument("--utility", type=Path, action="append", default=[])
    parser.add_argument("--wordlist", default="gender")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--neutralise", choices=["all", "list"], default="all")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    wordlist = bb.load_wordlist(arguments.wordlist)
    kv = bb.load_embedding(arguments.vectors, limit=arguments.limit)
    lists = json.loads(arguments.lists.read_text(encoding="utf-8"))
    study = Study(kv, wordlist, lists, arguments)
    print(
        f"{len(kv):,} words, {len(study.neutral):,} neutral, {len(study.professions)} professions, "
        f"{len(study.words)} of them not gender-specific, {len(study.names):,} neighbours"
    )
    chosen = {"neutralise": "all", "keep": study.keep}
    if arguments.neutralise == "list":
        chosen = {"neutralise": "listed"}
    files = "".join(f" | {path.stem}" for path in arguments.utility)
    heads = {**HEADS, "cost": f"{HEADS['cost']}{files} | words | s"}
    tables: dict[str, list[str]] = {name: [] for name in HEADS}

    def measure(name: str, vectors: KeyedVectors, end: str) -> None:
        for table, rows in tables.items():
            cells = getattr(study, table)(vectors)
            rows.append(f"| {name} | {cells}{end if table == 'cost' else ''} |")
        print(f"{name} done", flush=True)

    measure("before", kv, " |  | ")
    for name, (method, own) in RUNS.items():
        if arguments.neutralise == "list" and own is EVERY:
            continue
        start = time.perf_counter()
        try:
            result = debias.find_method(method)(kv, wordlist=wordlist, **{**chosen, **own})
            seconds = time.perf_counter() - start
            done = f" | {result.record.n_neutralised:,} | {seconds:.1f}"
            measure(f"`{method}`{name.removeprefix(method)}", result.vectors, done)
        except BayesBiasError as error:
            print(f"{name}: {error}", flush=True)
    for name, rows in tables.items():
        print(f"\n| method | {heads[name]} |\n|---|{'---|' * (heads[name].count('|') + 1)}")
        print("\n".join(rows))
    print(f"\n{study.caption}")


if __name__ == "__main__":
    main()
