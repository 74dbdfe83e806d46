"""What the page on decisions shows: several embeddings, how many words, and sensitivity.

    BAYESBIAS_DATA=... python benchmarks/decisions.py embeddings [--save embeddings]
    BAYESBIAS_DATA=... python benchmarks/decisions.py sensitivity [--save sensitivity]
    python benchmarks/decisions.py plan [--save plan]
    python benchmarks/decisions.py training --save training

The gender files published with the Bayesian paper in one model; what the answers of the demo hang
on; the numbers of words and attributes that `plan_wordlist` tries; the list `gender` in ten
trainings of word2vec on the text that gensim carries, for the page on sources. With --save all but
`plan` also draw their figures, that of sensitivity from the GoogleNews slice.
"""

import argparse
import math
import re
import tempfile
import warnings
from pathlib import Path

import pandas as pd
from saved_results import DATA, IMAGES, save

import bayesbias as bb
from bayesbias.errors import BayesBiasWarning

FILES = {"GoogleNews": "google", "GloVe": "glove", "Reddit": "reddit"}
SIZES = [(14, 12), (14, 24), (24, 24), (50, 24), (100, 24)]
DIFFERENT, NEUTRAL = "associated − different", "associated − neutral"


def embeddings() -> tuple[pd.DataFrame, bb.results.EmbeddingComparison]:
    """Return associated − different in each of three embeddings."""
    folder = DATA / "distances"
    frames = {
        name: bb.read_distances(folder / f"gender_group_{file}_dataset.csv")
        for name, file in FILES.items()
    }
    found = bb.compare_embeddings(frames, seed=1)
    own = found.contrasts[found.contrasts["contrast"] == DIFFERENT]
    columns = {
        "embedding": own["embedding"],
        "verdict": own["verdict"],
        "in sd: mean": own["standardised"],
        "in sd: low": own["standardised_low"],
        "in sd: high": own["standardised_high"],
        "in cosine distance": own["mean"],
        "a neutral pair's sd": own["embedding"].map(found.scales),
    }
    return pd.DataFrame(columns), found


def plan() -> tuple[pd.DataFrame, None]:
    """Return how wide intervals are, and how often they decide, by numbers of words."""
    words, attributes = (sorted({size[place] for size in SIZES}) for place in (0, 1))
    found = bb.plan_wordlist(n_words=words, n_attributes=attributes, simulations=100, seed=1)
    table = found.table.set_index(["contrast", "n_words", "n_attributes"])
    rows = []
    for size in SIZES:
        one, other = (table.loc[(name, *size)] for name in (DIFFERENT, NEUTRAL))
        rows.append(
            {
                "protected words": size[0],
                "attributes": size[1],
                f"{DIFFERENT}: width": one["width"],
                f"{DIFFERENT}: direction, %": 100 * one["direction"],
                f"{DIFFERENT}: decided, %": 100 * one["decided"],
                f"{DIFFERENT}: wrong sign, %": 100 * one["sign_error"],
                f"{DIFFERENT}: times too large": one["exaggeration"],
                f"{NEUTRAL}: width": other["width"],
                f"{NEUTRAL}: direction, %": 100 * other["direction"],
            }
        )
    return pd.DataFrame(rows), None


def sensitivity() -> tuple[pd.DataFrame, bb.results.Sensitivity]:
    """Return what moves two contrasts of the demo, and the sensitivity of GoogleNews."""
    fit = bb.fit(bb.distances(bb.example_embedding(), "gender"), seed=1)
    found, whole = fit.sensitivity(progress=False), fit.contrasts().table.set_index("contrast")
    scales = found.scales
    moved = max(
        float((scales[end] - scales["contrast"].map(whole[end])).abs().max()) for end in ENDS
    )
    clusters = found.clusters.set_index("contrast")
    of_clusters = clusters.iloc[0]
    words, *_, number = re.findall(r"\d+", of_clusters["clusters"])
    n_left_out = found.left_out["removed"].nunique()
    rows = {
        "as it is": {name: whole.loc[name, "verdict"] for name in CONTRASTS},
        "half and twice the scale of any prior": {
            name: changes_of(scales, name) for name in CONTRASTS
        },
        "the prior of `group_list` at half and at ten times, for each list, group and word": {
            DIFFERENT: changes_of(found.groups.assign(contrast=DIFFERENT), DIFFERENT)
        },
        f"{words} words in {number} clusters; the marginal likelihood prefers them by "
        f"{of_clusters['gain']:.0f} log units": {
            name: f"{clusters.loc[name, 'verdict']}, {ends(clusters.loc[name])}"
            for name in CONTRASTS
        },
        f"each of {n_left_out} words left out in turn": {
            name: changes_of(found.left_out, name) for name in CONTRASTS
        },
    }
    rows["half and twice the scale of any prior"][DIFFERENT] += (
        f"; no end of an interval moves by more than {math.ceil(1000 * moved) / 1000:.3f}"
    )
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("what").reset_index()
    kv = bb.load_embedding(DATA / "embeddings" / "googlenews-16k-300d.bin")
    return table, bb.fit(bb.distances(kv, "gender"), seed=1).sensitivity(progress=False)


def changes_of(table: pd.DataFrame, contrast: str) -> str:
    """Say which verdicts on a contrast change."""
    changed = table[table["changed"] & (table["contrast"] == contrast)]
    if changed.empty:
        return "no verdict changes"
    by = next(name for name in ("removed", "applies_to", "prior") if name in table)
    return "; ".join(f"{row['verdict']} without *{row[by]}*" for _, row in changed.iterrows())


def ends(row: pd.Series) -> str:
    """Say a mean and its interval."""
    return f"{row['mean']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})".replace("-", "−")


def training() -> tuple[pd.DataFrame, bb.results.Summary]:
    """Return the contrast in each of ten trainings on the text that gensim carries, and over all.

    Half a million words: pages of Wikipedia, without their marks, and two small corpora of news.
    """
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        corpus.write_text("".join(f"{line}\n" for line in sentences()), encoding="utf-8")
        runs = bb.vectors.training_runs(corpus, Path(folder) / "runs", seeds=10, progress=False)
        fit = bb.fit(bb.pairs.distances_of_runs(runs, "gender"), "runs", seed=1)
    found = fit.contrasts().table
    print(found[["contrast", "mean", "low", "high", "verdict"]].round(3).to_string(index=False))
    summary = fit.summary("run")
    return summary.table[summary.table["contrast"] == DIFFERENT], summary


def sentences() -> list[str]:
    """Return the sentences of the text, words separated by spaces."""
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki
    from gensim.test.utils import datapath
    from gensim.utils import open as open_text
    from gensim.utils import simple_preprocess

    wikipedia = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
    with open_text(datapath(wikipedia), "rb") as pages, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        articles = [filter_wiki(markup) for _, markup, _ in extract_pages(pages, ("0",))]
    lines = [line for article in articles for line in re.split(r"[.\n]+", article)]
    for name in ("lee_background.cor", "lee.cor"):
        lines += Path(datapath(name)).read_text(encoding="latin-1").splitlines()
    split = (simple_preprocess(line, min_len=1) for line in lines)
    return [" ".join(words) for words in split if len(words) > 1]


CONTRASTS = (DIFFERENT, NEUTRAL)
ENDS = ("low", "high")
WHAT = {"embeddings": embeddings, "plan": plan, "sensitivity": sensitivity, "training": training}
FIGURES = {
    "embeddings": "gender-embeddings",
    "sensitivity": "gender-google-sensitivity",
    "training": "runs",
}


def main() -> None:
    """Print a table, and save it with its figure if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    table, found = WHAT[given.what]()
    print(table.round(3).to_string(index=False))
    if given.save and found is not None:
        found.plot().savefig(IMAGES / f"{FIGURES[given.what]}.png", dpi=100)
    if given.save and given.what != "training":  # its page has the figure alone
        print(save(table, given.save, {"seed": 1}))


if __name__ == "__main__":
    main()
