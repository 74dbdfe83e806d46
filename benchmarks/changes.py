"""What became of associations by hard debiasing: one's own step, and the published one.

    python benchmarks/changes.py [--save changes]    # reference data (BAYESBIAS_DATA)

`hard` with the list gender and all words neutral, in GoogleNews and the shipped slice of GloVe:
before, after and the share left, over all groups and in each compared with people in general.

Reddit vectors before and after the hard debiasing of Manzini et al. (2019), of which there are
distances alone, so that attributes count as unrelated: the same over all groups; plain means; the
change of associated − different by two models, with their evidence; and how far each connection
moved. --save also draws two figures.
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd
from saved_results import DATA, IMAGES, save

import bayesbias as bb
from bayesbias import debias
from bayesbias.fits.refitted import ALL_GROUPS

SHOWN = "associated − different"
LISTS = ("gender", "race", "religion")

Rows = Iterator[dict[str, Any]]


def lefts(change: bb.results.Change) -> Rows:
    """Yield before, after, change and the share that is left, over all groups and in each."""
    titles = bb.load_wordlist("gender").titles
    for row in change.left.to_dict("records"):
        of = titles.get(row["group"], row["group"])
        for name in ("before", "after", "change", "left"):
            ends = {"low": row[f"{name}_low"], "high": row[f"{name}_high"]}
            found = {"of": of, "measure": name, "value": row[name], **ends}
            yield found | ({"verdict": row["reason"]} if name == "left" else {})


def published(change: bb.results.Change, crossed: bb.results.Change) -> Rows:
    """Yield what two models say of a published step, and plain means."""
    yield from (one for one in lefts(change) if one["of"] == ALL_GROUPS)
    means = change.pairs.groupby("connection")[["distance_before", "distance_after"]].mean()
    plain = (means.loc["associated"] - means.loc["different"]).tolist()
    for name, value in zip(("plain before", "plain after"), plain, strict=True):
        yield {"measure": name, "value": value}
    for one in (change, crossed):
        row = one.contrasts.set_index("contrast").loc[SHOWN]
        name = one.fit.spec.name
        yield {"measure": name, "value": row["mean"], **verdict(row)}
        yield {"measure": f"{name}, in sd", "value": row["standardised"]}
    evidence = [one.fit.settings["log_marginal_likelihood"] for one in (change, crossed)]
    yield {"measure": "ln evidence", "value": evidence[0] - evidence[1]}
    for row in change.table.to_dict("records"):
        yield {"of": row["connection"], "measure": "moved", "value": row["mean"], **verdict(row)}


def verdict(row: Any) -> dict[str, Any]:
    return {name: row[name] for name in ("low", "high", "verdict", "on_edge")}


def main() -> None:
    """Print all numbers, and save them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", bb.BayesBiasWarning)  # missing words and repeated pairs
    rows, figures = [], {}
    slices = {
        "GoogleNews slice": bb.load_embedding(DATA / "embeddings" / "googlenews-16k-300d.bin"),
        "shipped GloVe slice": bb.example_embedding(),
    }
    for name, kv in slices.items():
        sides = (bb.distances(one, "gender") for one in (kv, debias.hard(kv, "gender").vectors))
        change = bb.compare_change(*sides, seed=1)
        rows += [{"data": name, **one} for one in lefts(change)]
        figures.setdefault("left-gender", change.plot_left)
    for name in LISTS:
        files = f"{name}_group_reddit_dataset.csv", f"debiased_{name}_reddit.csv"
        sides = [bb.read_distances(DATA / "distances" / file) for file in files]
        both = [bb.compare_change(*sides, model=m, seed=1) for m in (None, "change-crossed")]
        rows += [{"data": name, **one} for one in published(*both)]
        figures["change-religion"] = both[0].plot
    table = pd.DataFrame(rows)
    print(table.round(4).to_string())
    if given.save:
        print(save(table, given.save, {"seed": 1}))
        for name, plot in figures.items():
            plot().savefig(IMAGES / f"{name}.png", dpi=120)


if __name__ == "__main__":
    main()
