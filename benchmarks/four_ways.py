"""Debiases real vectors with every method and asks the model what changed.

Run: python benchmarks/four_ways.py VECTORS [--wordlist gender] [--limit N] [--model MODEL]
         [--neutralise all|list]

Every method gets the list's defining sets. Methods that treat chosen words neutralise all words but
the list's protected ones, control words included; with --neutralise list they neutralise the list's
stereotype attributes alone, which is the package's default. two_means and inlp project every word,
as their authors do; soft, which changes every word, has λ = 2,000 beside the published 0.2.
Columns: the change of the mean distance of associated pairs, of their distance relative to
different ones, and of the two control lists, each with its interval and verdict; MAC after with the
p-value of its legacy paired t-test; words neutralised; seconds.
"""

import argparse
import time
import warnings
from pathlib import Path

import bayesbias as bb
from bayesbias import debias, measures
from bayesbias.errors import BayesBiasError, BayesBiasWarning
from bayesbias.pairs.reference import without_reference

RUNS = {
    "hard": ("hard", {}),
    "multiclass, k = 2": ("multiclass", {"k": 2}),
    "multiclass, k = 1, as published": ("multiclass", {"k": 1, "as_published": True}),
    "soft, λ = 0.2": ("soft", {}),
    "soft, λ = 2,000": ("soft", {"lam": 2000.0}),
    "subspace": ("subspace", {}),
    "two_means": ("two_means", {"neutralise": "every", "keep": ()}),
    "inlp": ("inlp", {"neutralise": "every", "keep": ()}),
    "leace": ("leace", {"neutralise": "every", "keep": ()}),
    "double_hard": ("double_hard", {}),
    "half_sibling": ("half_sibling", {}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--wordlist", default="gender")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--model", help="default: that of compare_change")
    parser.add_argument("--neutralise", choices=["all", "list"], default="all")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    wordlist = bb.load_wordlist(arguments.wordlist)
    kv = bb.load_embedding(arguments.vectors, limit=arguments.limit)
    before = bb.distances(kv, wordlist)
    mac = measures.mac(before)
    options = {"seed": 1} | ({"model": arguments.model} if arguments.model else {})
    shared = {"wordlist": wordlist}
    if arguments.neutralise == "all":
        shared |= {"neutralise": "all", "keep": wordlist.protected_words}
    n_pairs = len(without_reference(before))
    print(f"{len(kv):,} words, {n_pairs:,} pairs; MAC before {mac.value:.4f}")
    print(
        "| method | associated | associated − different | human | neutral | MAC after (p) | words "
        "| s |"
    )
    print("|---|---|---|---|---|---|---:|---:|")
    rule = ""
    for name, (method, own) in RUNS.items():
        start = time.perf_counter()
        try:
            result = debias.find_method(method)(kv, **{**shared, **own})
            seconds = time.perf_counter() - start
            after = bb.distances(result.vectors, wordlist)
            legacy = measures.mac_change(mac, measures.mac(after))
            change = bb.compare_change(before, after, **options)
        except BayesBiasError as error:
            print(f"| {name} | {error} |")
            continue
        cells = [_cell(change.table, "connection", c) for c in ("associated", "human", "neutral")]
        relative = _cell(change.contrasts, "contrast", "associated − different")
        new_mac = f"{legacy.details['after']:.4f} ({legacy.p_value:.1g})"
        words = f"{result.record.n_neutralised:,}"
        shown = [cells[0], relative, *cells[1:], new_mac, words, f"{seconds:.1f}"]
        print(f"| {name} | {' | '.join(shown)} |", flush=True)
        rule = f"Model {change.fit.spec.name}. {change.rule.caption}"
    print(rule)


def _cell(table, key: str, name: str) -> str:
    rows = table[table[key] == name]
    if rows.empty:
        return "not moved"
    row = rows.iloc[0]
    return f"{row['mean']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}], {row['verdict']}"


if __name__ == "__main__":
    main()
