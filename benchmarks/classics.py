"""The lists of twenty years, read again: every shipped English list in four files of vectors.

    BAYESBIAS_DATA=../shared/data python benchmarks/classics.py    # everything, a minute
    python benchmarks/classics.py --drawn                          # tables and figures only

WEAT's effect size and p beside what a model says: how large the difference is for words like these,
with its interval and verdict, how often unrelated groups differ as much (where contrasts have the
column ``chance``), and the same by attribute list (or by group). ``results/classics.csv`` has all
numbers; from it come the tables (``results/classics-*.csv``), which stand in ``docs/classics.md``
between markers, and the figures. The files are parts of the published ones, so that a list may lack
words there: where fewer than four and less than half of a group or set are left, nothing is
computed, and the table says so. Of GloVe 840B the words of WEAT are added from ``oracles/cbn``,
which has their vectors from the same file.
"""

import argparse
import math
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE_SET, GROUP
from bayesbias.errors import BayesBiasError
from bayesbias.pairs.word_lists import WordList
from bayesbias.support.figure_style import LOOKS, Look
from bayesbias.support.forests import Forest, Mark, Row, plot_forests, span_of
from bayesbias.support.types import Figure, KeyedVectors

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
IMAGES = ROOT / "docs" / "images"
PAGE = ROOT / "docs" / "classics.md"

FILES = {
    "GoogleNews": "googlenews-16k-300d.bin",
    "GloVe 840B": "glove-840b-10k-300d-int8.bin.gz",
    "GloVe 6B": "glove-6b-13k-50d.txt.gz",
    "GloVe Twitter": "glove-twitter-12k-25d.txt.gz",
}
LISTS = {
    "weat1": "WEAT 1: flowers, insects",
    "weat2": "WEAT 2: instruments, weapons",
    "weat3": "WEAT 3: names by race",
    "weat4": "WEAT 4: names by race",
    "weat5": "WEAT 5: names by race",
    "weat6": "WEAT 6: names, career",
    "weat7": "WEAT 7: math, arts",
    "weat8": "WEAT 8: science, arts",
    "weat9": "WEAT 9: diseases",
    "weat10": "WEAT 10: names by age",
    "gender": "gender, occupations",
    "race": "race, traits",
    "religion": "religion, traits",
}
FEWEST = 4
"""Words of a group or set that are enough, however many are missing."""

OVER_ALL = "over all"
_CONTRAST = "associated − different"
_KEPT = (
    *("mean", "low", "high", "standardised", "standardised_low", "standardised_high"),
    *("verdict", "on_edge", "chance"),
)


def vectors_of(data: Path, name: str) -> KeyedVectors:
    """Return the vectors of a file; of GloVe 840B with those of all words of WEAT."""
    vectors = bb.load_embedding(data / "embeddings" / FILES[name])
    if name != "GloVe 840B":
        return vectors
    weat = bb.load_embedding(data / "oracles" / "cbn" / "cbn_glove840B_items.txt")
    others = [word for word in vectors.index_to_key if word not in weat.key_to_index]
    words = [*others, *weat.index_to_key]
    return bb.load_embedding((words, np.concatenate([vectors[others], weat.vectors])))


def rows_of(vectors: KeyedVectors, wordlist: WordList) -> Iterator[dict[str, Any]]:
    """Yield what is said of a list: a row over all, and those by list or group."""
    found = bb.vocabulary_coverage(vectors, wordlist).lists
    kinds = {s.name: s.kind for s in wordlist.attribute_sets}
    asked = found[[kinds.get(name, "stereotype") == "stereotype" for name in found["list"]]]
    asked = asked[asked["role"] != "reference"]
    counts = {"found": int(asked["found"].sum()), "words": int(asked["words"].sum())}
    fewest = asked.loc[(asked["found"] / asked["words"].clip(upper=FEWEST)).idxmin()]
    if fewest["found"] < FEWEST and 2 * fewest["found"] < fewest["words"]:
        said = f"{fewest['found']} of {fewest['words']} words of {fewest['list']}"
        yield {"row": OVER_ALL, **counts, "reason": said.replace("_", " ")}
        return
    fit = bb.fit(bb.distances(vectors, wordlist), seed=1)
    table = fit.contrasts().table.set_index("contrast").loc[_CONTRAST]
    yield {"row": OVER_ALL, **counts, **_kept(table), **_weat(vectors, wordlist)}
    level = "list" if "list" in fit.contrast_levels else "group"
    by = fit.contrasts(level).table
    first = by["contrast"] == (_CONTRAST if level == "group" else by["contrast"].iloc[0])
    for row in by[first].to_dict("records"):
        yield {"row": _title(wordlist, row), **_kept(pd.Series(row))}


def _kept(row: pd.Series) -> dict[str, Any]:
    return {name: row[name] for name in _KEPT if name in row}


def _title(wordlist: WordList, row: dict[str, Any]) -> str:
    """Name a row by list, who is closer to what, or by group."""
    titles = dict(wordlist.titles)
    group = titles.get(row[GROUP], row[GROUP]).replace("_", " ")
    if ATTRIBUTE_SET not in row:
        return group
    name = row[ATTRIBUTE_SET]
    return f"{group} to {titles.get(name, name).replace('_', ' ')}"


def _weat(vectors: KeyedVectors, wordlist: WordList) -> dict[str, Any]:
    """Return WEAT's effect size and one-sided p; nothing where a list has no two groups."""
    found = bb.measures.all_measures(vectors, wordlist, names=["WEAT"], seed=1).table.iloc[0]
    if found["skipped"]:
        return {}
    return {"weat_d": found["value"], "weat_p": found["p_value"]}


def compute(data: Path) -> pd.DataFrame:
    """Return the rows of every list in every file: ``vectors``, ``list`` and what is said."""
    rows = []
    for name in FILES:
        vectors = vectors_of(data, name)
        for of_list in LISTS:
            for row in rows_of(vectors, bb.load_wordlist(of_list)):
                rows.append({"vectors": name, "list": of_list, **row})
        print(f"{name}: done", flush=True)
    return pd.DataFrame(rows).reindex(
        columns=["vectors", "list", "row", "found", "words", "reason", *_KEPT, "weat_d", "weat_p"]
    )


# The tables of the page


def answer(row: dict[str, Any]) -> str:
    """Say a difference with its interval, as the house style has it."""
    if not isinstance(row["verdict"], str):
        return f"– ({row['reason']})"
    low, mean, high = row["low"], row["mean"], row["high"]
    if low <= 0 <= high:
        return f"undecided ({-low:.2f} closer to {high:.2f} farther)"
    word, sign = ("closer", -1) if mean < 0 else ("farther", 1)
    ends = sorted((sign * low, sign * high))
    return f"**{word}** by {sign * mean:.2f} ({ends[0]:.2f} to {ends[1]:.2f})"


def weat(row: dict[str, Any]) -> str:
    """Say WEAT's effect size and its p."""
    if math.isnan(row["weat_d"]):
        return "–"
    p = row["weat_p"]
    said = "< .001" if p < 0.001 else f"= {p:.3f}".replace("0.", ".", 1)
    return f"{row['weat_d']:.2f} (p {said})".replace("-", "−")


def share(row: dict[str, Any]) -> str:
    """Say how often unrelated groups differ as much."""
    return "–" if math.isnan(row["chance"]) else f"{row['chance']:.0%}"


def in_sd(row: dict[str, Any]) -> str:
    """Say the difference in standard deviations of a neutral pair's distance."""
    if math.isnan(row["standardised"]):
        return "–"
    low, mean, high = (
        -row[name] for name in ("standardised_high", "standardised", "standardised_low")
    )
    return f"{mean:.2f} ({low:.2f} to {high:.2f})".replace("-", "−")


def counts(row: dict[str, Any]) -> str:
    """Say how many words of the groups and stereotypes were found."""
    return f"{row['found']:.0f} of {row['words']:.0f}"


def tables(results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the page's tables by name, every cell as it is printed."""
    over_all = results[results["row"] == OVER_ALL]
    parts = results[results["row"] != OVER_ALL]
    found = {
        "classics-answers": _matrix(over_all, answer),
        "classics-sd": _matrix(over_all, in_sd),
        "classics-weat": _matrix(over_all, weat),
        "classics-words": _matrix(over_all, counts),
        "classics-lists": _matrix(parts, answer),
        "classics-flowers": _one_list(over_all[over_all["list"] == "weat1"]),
    }
    if results["chance"].notna().any():
        found["classics-chance"] = _matrix(over_all, share)
    return found


def _matrix(rows: pd.DataFrame, say: Callable[[dict[str, Any]], str]) -> pd.DataFrame:
    """Return a row per list, or per list and row of it, and a column per file."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows.to_dict("records"):
        cells.setdefault((row["list"], row["row"]), {})[row["vectors"]] = say(row)
    several = set(rows["row"]) != {OVER_ALL}
    lines = []
    for (name, part), said in cells.items():
        first = {"list": LISTS[name]} | ({"who": part} if several else {})
        lines.append(first | {vectors: said.get(vectors, "–") for vectors in FILES})
    order = {title: place for place, title in enumerate(LISTS.values())}
    lines.sort(key=lambda line: order[line["list"]])
    return pd.DataFrame(lines)


def _one_list(rows: pd.DataFrame) -> pd.DataFrame:
    """Return both readings of one list, a row per file."""
    lines = []
    for row in rows.to_dict("records"):
        line = {"vectors": row["vectors"], "WEAT's d": weat(row), "difference": answer(row)}
        line["closer by, in sd"] = in_sd(row)
        if not math.isnan(row["chance"]):
            line["unrelated groups differ as much in"] = share(row)
        lines.append(line)
    return pd.DataFrame(lines)


def fill(page: Path, known: dict[str, pd.DataFrame]) -> None:
    """Write tables between the markers of a page."""
    text = page.read_text(encoding="utf-8")
    for name, table in known.items():
        start, end = f"<!-- numbers: {name} -->", "<!-- /numbers -->"
        before, found, rest = text.partition(start)
        if found:
            lines = [table.columns, ["---"] * len(table.columns), *table.to_numpy()]
            body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
            text = f"{before}{start}\n{body}\n{end}{rest.partition(end)[2]}"
    page.write_text(text, encoding="utf-8")


# The figure

MARKS = {
    "GoogleNews": ("o", "#D55E00"),
    "GloVe 840B": ("s", "#0072B2"),
    "GloVe 6B": ("^", "#00897B"),
    "GloVe Twitter": ("D", "#5F6B73"),
}
"""Marker and colour of a file, from a palette that colour-blind eyes tell apart."""


def figure(results: pd.DataFrame, width: float) -> Figure:
    """Draw every list: a mark per file, filled where the interval excludes 0."""
    over_all = results[(results["row"] == OVER_ALL) & results["verdict"].notna()]
    lines = []
    for name, title in LISTS.items():
        found = over_all[over_all["list"] == name].to_dict("records")
        marks = tuple(
            Mark(
                row["vectors"],
                row["standardised"],
                row["standardised_low"],
                row["standardised_high"],
                filled=row["verdict"] != "undecided" and not _by_chance(row),
            )
            for row in found
        )
        label = title if width > 5 else title.replace("WEAT ", "")
        lines.append(Row(label, marks, strong=name.startswith("weat")))
    ends = over_all[["standardised_low", "standardised_high"]].to_numpy().ravel()
    forest = Forest(
        "",
        "Differences of associated and different words by list and file of vectors",
        "associated − different, in sd",
        tuple(lines),
        span_of(ends.tolist(), 0.0),
        lines=(0.0,),
    )
    looks = {**LOOKS, **{name: Look(m, c, c) for name, (m, c) in MARKS.items()}}
    return plot_forests(
        [[forest]], size=(width, 6.2), legend_columns=4 if width > 5 else 2, looks=looks
    )


def _by_chance(row: dict[str, Any]) -> bool:
    """Tell whether unrelated groups differ as much in more than 11%; not where it is unknown."""
    return not math.isnan(row["chance"]) and row["chance"] > 1 - bb.constants.HDPI_PROB


def main() -> None:
    """Compute, or read what was computed, and write tables, page and figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--drawn", action="store_true", help="from results/classics.csv")
    arguments = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "classics.csv"
    if not arguments.drawn:
        data = Path(os.environ.get("BAYESBIAS_DATA", "../shared/data"))
        if not data.is_dir():
            raise BayesBiasError("set BAYESBIAS_DATA to the folder of reference data")
        warnings.simplefilter("ignore", bb.BayesBiasWarning)
        compute(data).to_csv(path, index=False, float_format="%.5f")
    results = pd.read_csv(path)
    known = tables(results)
    for name, table in known.items():
        table.to_csv(RESULTS / f"{name}.csv", index=False)
    fill(PAGE, known)
    for name, width in (("classics", 7.0), ("classics-column", 3.5)):
        figure(results, width).savefig(IMAGES / f"{name}.png", dpi=150)


if __name__ == "__main__":
    main()
