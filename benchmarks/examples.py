"""What the default model says of the lists that pages use as examples, with both its answers.

    BAYESBIAS_DATA=../shared/data python benchmarks/examples.py [--save examples]

The shipped slice of GloVe, and GoogleNews where the reference data are there. Each list is fitted
by `maximal` and by `maximal` with unrelated attributes. A row is a contrast of either: over all
groups, by list, by group; with how often unrelated groups differ as much (``chance``), the log
marginal likelihood of the fit, and how many stereotype attributes and topics there are. --save also
draws the figure of the demo's contrasts.
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any, Final

import pandas as pd
from saved_results import DATA, IMAGES, save

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE_KINDS
from bayesbias.pairs.topics import topics_of
from bayesbias.support.types import KeyedVectors

LISTS: Final = {
    "GloVe (shipped)": ("gender", "weat1", "weat7"),
    "GoogleNews": ("gender", "race", "religion", "weat1", "weat7"),
}
SHOWN: Final = "associated − different"
LEVELS: Final = ("connection", "list", "group")
ANSWER: Final = (
    *("contrast", "listed", "mean", "sd", "low", "high", "standardised", "p_below_zero"),
    *("inside_rope", "chance", "verdict", "on_edge"),
)


def rows_of(vectors: KeyedVectors, wordlist: str, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a list, by both models."""
    frame = bb.distances(vectors, wordlist)
    topics = topics_of(frame)
    assert topics is not None
    own = topics[topics["kind"] == ATTRIBUTE_KINDS[0]]
    counts = {"attributes": len(own), "topics": own["topic"].nunique()}
    spec, titles = bb.load_model("maximal"), dict(bb.load_wordlist(wordlist).titles)
    for model, one in (("maximal", spec), ("unrelated", spec.without_similarity())):
        fit = bb.fit(frame, one, seed=seed)
        known = {**counts, "log_evidence": fit.settings["log_marginal_likelihood"]}
        for level in LEVELS:
            table = fit.contrasts(level).table
            if wordlist != "gender" or model == "unrelated":  # those are asked for one number alone
                table = table[table["contrast"] == SHOWN]
            for row in table.to_dict("records"):
                of = row.get("attribute_set") or row.get("group") or ""
                asked = {"list": wordlist, "model": model, "level": level, "of": of}
                asked["title"] = titles.get(of, of.replace("_", " "))
                yield asked | {name: row.get(name) for name in ANSWER} | known


def main() -> None:
    """Print associated − different of every list, and save all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", bb.BayesBiasWarning)  # missing words
    files = {"GloVe (shipped)": bb.example_embedding()}
    if DATA.exists():
        files["GoogleNews"] = bb.load_embedding(DATA / "embeddings" / "googlenews-16k-300d.bin")
    rows = []
    for name, vectors in files.items():
        for wordlist in LISTS[name]:
            rows += [{"vectors": name} | row for row in rows_of(vectors, wordlist, given.seed)]
    table = pd.DataFrame(rows)
    shown = table[(table["level"] == "connection") & (table["contrast"] == SHOWN)]
    print(shown.drop(columns=["level", "of", "contrast", "on_edge"]).round(3).to_string())
    if given.save:
        print(save(table, given.save, {"seed": given.seed}))
        fit = bb.fit(bb.distances(files["GloVe (shipped)"], "gender"), seed=given.seed)
        fit.plot_contrasts().savefig(IMAGES / "example-contrasts.png", dpi=200)


if __name__ == "__main__":
    main()
