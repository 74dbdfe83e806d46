"""Debiases real vectors four ways and asks the model what changed.

Run: python benchmarks/four_ways.py VECTORS [--wordlist gender] [--limit N] [--figures DIR]

Every method neutralises all words but the list's protected ones (soft, which changes every word,
has λ = 2,000 beside the published 0.2). Columns: the change of the mean distance of associated
pairs, of their distance relative to different ones, and of the two control lists, each with its 89%
HPDI and verdict (ROPE ±0.02, model change-crossed); MAC after with the p-value of its legacy paired
t-test.
"""

import argparse
import warnings
from pathlib import Path

import bayesbias as bb
from bayesbias import debias, measures
from bayesbias.errors import BayesBiasWarning, DistancesError

ROPE = 0.02
RUNS = {
    "hard": ("hard", {}),
    "multiclass, k = 2": ("multiclass", {"k": 2}),
    "soft, λ = 0.2": ("soft", {}),
    "soft, λ = 2,000": ("soft", {"lam": 2000.0}),
    "subspace": ("subspace", {}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--wordlist", default="gender")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--figures", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    wordlist = bb.load_wordlist(arguments.wordlist)
    kv = bb.load_embedding(arguments.vectors, limit=arguments.limit)
    before = bb.distances(kv, wordlist)
    mac = measures.mac(before)
    print(f"{len(kv):,} words, {len(before):,} pairs; MAC before {mac.value:.4f}")
    print("| method | associated | associated − different | human | neutral | MAC after (p) |")
    print("|---|---|---|---|---|---|")
    for name, (method, options) in RUNS.items():
        result = debias.find_method(method)(
            kv, wordlist=wordlist, neutralise="all", keep=wordlist.protected_words, **options
        )
        after = bb.distances(result.vectors, wordlist)
        try:
            legacy = measures.mac_change(mac, measures.mac(after))
            change = bb.compare_change(before, after, rope=ROPE, seed=1)
        except DistancesError as error:
            print(f"| {name} | {error} |")
            continue
        cells = [_cell(change.groups, "connection", c) for c in ("associated", "human", "neutral")]
        relative = _cell(change.contrasts.groups, "contrast", "associated − different")
        new_mac = f"{legacy.details['after']:.4f} ({legacy.p_value:.1g})"
        print(f"| {name} | {cells[0]} | {relative} | {cells[1]} | {cells[2]} | {new_mac} |")
        if arguments.figures is not None:
            place = arguments.figures / f"four-ways-{method}.png"
            change.plot().savefig(place, dpi=110)


def _cell(table, key: str, name: str) -> str:
    rows = table[table[key] == name]
    if rows.empty:
        return "not moved"
    row = rows.iloc[0]
    return f"{row['mean']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}], {row['verdict']}"


if __name__ == "__main__":
    main()
