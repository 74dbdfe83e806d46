"""Write the tables of pages from the results that benchmarks have saved.

python .ci/page_numbers.py                    # writes the tables
python .ci/page_numbers.py --check            # says which tables are not those of their results
python .ci/page_numbers.py --make NAME ...    # runs what makes a result, then writes the tables

A table stands between `<!-- numbers: NAME -->` and `<!-- /numbers -->`. `TABLES` says which result
it shows, and how; `COMMANDS` what makes a result: a benchmark's `--save NAME` writes
benchmarks/results/NAME.csv, whose first lines have date, versions, seed and settings.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import pandas as pd

ROOT: Final = Path(__file__).parents[1]
sys.path.append(str(ROOT / "benchmarks"))

import classics_tables  # noqa: E402
from saved_results import read  # noqa: E402

from bayesbias.constants import ATTRIBUTE_KINDS  # noqa: E402
from bayesbias.simulate import Assumptions  # noqa: E402

COMMANDS: Final = {
    "few-people": "few_people.py --save few-people",  # this one needs no data
    "classics": "classics.py --save classics",
    "populations": "populations.py --lists 30 --save populations",
    "split-half": "split_half.py --splits 10 --save split-half",
    "power": "power.py --lists 100 --both --save power",
    "random-lists": "random_lists.py --lists 800 --both --seed 2027 --save random-lists",
    "random-steps": "random_lists.py --lists 400 --both --step --models maximal --seed 31"
    " --save random-steps",
    "prior-rates": "prior_rates.py --save prior-rates",
    "examples": "examples.py --save examples",
    "published": "published.py --save published",
    "placebo": "placebo.py --lists 200 --save placebo",
    "embeddings": "decisions.py embeddings --save embeddings",
    "occupations": "facts.py --example --seed 1 --save occupations",
    "names": "crossed.py --example --seed 1 --save names",
    "meta": "meta.py --save meta",
    "components": "components.py --save components",
    "changes": "changes.py --save changes",
    "debias-effects": "debias_effects.py --save debias-effects",
    "debias-listed": "debias_effects.py --neutralise list --save debias-listed",
    "plan": "decisions.py plan --save plan",  # these need no data either
    "simulated": "simulated.py --save simulated",
    "calibration": "calibration.py --save calibration",
    "agreement": "agreement.py --similar --save agreement",
    "facts": "facts.py --save facts",
    "crossed": "crossed.py --save crossed",
    "over-time": "over_time.py --save over-time",
    "contexts": "contexts.py --save contexts",
    "runs": "runs.py --save runs",
    "shuffled": "shuffled.py --save shuffled",
    "frequency": "frequency.py --save frequency",
    "group-worlds": "group_worlds.py --save group-worlds",
    "share-left": "share_left.py --worlds 200 --save share-left",
}
"""What makes a result, by its name; what needs no data is said, the rest reads BAYESBIAS_DATA."""

MARKED: Final = re.compile(r"(<!-- numbers: (\S+) -->\n).*?(<!-- /numbers -->)", re.DOTALL)

METHODS: Final = {
    "maximal": "**`maximal`**",
    "unrelated": "`maximal`, attributes unrelated",
    "topics": "`maximal`, topics as a term",
    "crossed": "`crossed`",
    "paper": "`paper`",
    "bootstrap": "bootstrap of words and attributes",
    "words": "spread over words (WEAT)",
}

VECTORS: Final = {
    "googlenews-16k-300d": "GoogleNews, 300 dimensions",
    "glove-840b-10k-300d-int8": "GloVe 840B, 300 dimensions",
    "glove-6b-13k-50d": "GloVe 6B, 50 dimensions",
    "glove-twitter-12k-25d": "GloVe Twitter, 25 dimensions",
}

SIDES: Final = ("before", "after", "change", "left")

CONTROLS: Final = ("human", "neutral")

EFFECTS: Final = {
    "association": dict.fromkeys(("left", "its change", "associated", *CONTROLS), "+.3f")
    | {"MAC": ".4f"},
    "directions": {
        "direct bias": ".4f",
        "along the old direction": ".4f",
        "share": ".2f",
        "largest ⟨w, x − y⟩": ".2g",
        "of cosines": ".2g",
        "neighbours": ".2f",
        "clusters": ".3f",
    },
    "cost": {
        "drift": ".4f",
        "of it, a shift": "+.4f",
        **dict.fromkeys(("WordSim-353", "SimLex-999", "MEN", "analogies"), "+.3f"),
    },
}
"""Of each table on debiasing its measures, and how their numbers are written."""

ASKED: Final = ("over all", "by list", "by group", "against neutral", "every contrast")

UNSAID: Final = ("made", "versions")

Rows = list[list[str]]


def real_lists(halves: pd.DataFrame, drawn: pd.DataFrame) -> Rows:
    """Show how honest answers over all groups are on real lists, and how often they decide."""
    by_split, by_design = (
        table[table["asked"] == "over all"].set_index(["model", by])
        for table, by in ((halves, "split"), (drawn, "design"))
    )
    heads = ["split lists, rms z: halves", "topics apart"]
    heads += ["drawn lists, truth in 89%: one by one", "topics"]
    rows = [["method", *heads, "drawn lists, decided rightly, %: one by one", "topics"]]
    designs = ("one by one", "topics")
    for name in (name for name in METHODS if name in by_split.index.unique(0)):
        cells = [f"{by_split.loc[(name, split), 'rms z']:.2f}" for split in ("halves", "topics")]
        cells += [
            f"{by_design.loc[(name, design), column]:.0f}"
            for column in ("89%", "right")
            for design in designs
        ]
        rows.append([METHODS[name], *cells])
    return rows


def populations(table: pd.DataFrame) -> Rows:
    """Show coverage, root mean square z and decisions by question and method."""
    columns = {"89%": "{:.0f}", "rms z": "{:.2f}", "right": "{:.0f}", "wrong": "{:.0f}"}
    heads = ["in 89%", "rms z", "right", "wrong"]
    return _by_question(table, "design", ("one by one", "topics"), columns, heads)


def split_half(table: pd.DataFrame) -> Rows:
    """Show root mean square z and coverage by question and method."""
    columns = {"rms z": "{:.2f}", "89%": "{:.0f}"}
    kinds = ("halves", "topics", "finer topics")
    return _by_question(table, "split", kinds, columns, ["rms z", "in 89%"])


def _by_question(
    table: pd.DataFrame, by: str, kinds: Sequence[str], columns: dict[str, str], heads: list[str]
) -> Rows:
    """Return a row for each question and method, and the columns for each kind in turn."""
    starts = [[f"{kind}: {heads[0]}", *heads[1:]] for kind in kinds]
    rows = [["question", "method", *(head for start in starts for head in start)]]
    for asked in ASKED:
        of_question = table[table["asked"] == asked].set_index(["model", by])
        methods = [name for name in METHODS if name in of_question.index.unique(0)]
        for place, method in enumerate(methods):
            cells = [
                form.format(of_question.loc[(method, kind), name])
                for kind in kinds
                for name, form in columns.items()
            ]
            rows.append(["" if place else asked, METHODS[method], *cells])
    return rows


def power(table: pd.DataFrame) -> Rows:
    """Show areas under the curve of both sizes, and power at 5% false alarms of the larger one."""
    methods = {"WEAT": "WEAT's effect size", "bootstrap": METHODS["bootstrap"], "MAC": "1 − MAC"}
    methods |= {name: METHODS[name] for name in ("paper", "crossed", "maximal")}
    small, large = sorted(set(table["size"]))
    heads = [f"area at {small:g}", f"area at {large:g}", f"power at {large:g}, 5% false alarms"]
    designs = list(dict.fromkeys(table["design"]))
    starts = [[f"{design}: {heads[0]}", *heads[1:]] for design in designs]
    rows = [["planted", "method", *(head for start in starts for head in start)]]
    for planted in ("towards own", "and away from other"):
        own = table[table["planted"] == planted].set_index(["method", "design", "size"])
        known = [name for name in methods if name in own.index.unique(0)]
        for place, name in enumerate(known):
            row = ["" if place else planted, methods[name]]
            for design in designs:
                of_sizes = [own.loc[(name, design, size)] for size in (small, large)]
                row += [f"{one['area']:.2f}" for one in of_sizes]
                row.append(f"{of_sizes[1]['power at 5%']:.0f}")
            rows.append(row)
    return rows


def false_alarms(table: pd.DataFrame) -> Rows:
    """Show how often methods say bias of associated − different where nothing is associated."""
    methods = {
        "WEAT p < .05, two-sided": "WEAT p < .05",
        "paper": "`paper`",
        "crossed": "`crossed`",
        "maximal, attributes unrelated": "`maximal`, attributes unrelated",
        "maximal": "`maximal`",
    }
    told = "small_chance" in table
    rows = [["attributes", "vectors", *methods.values(), *(["chance below 11%"] if told else [])]]
    for name, own in _by_design(table, "associated − different"):
        chance = [f"{100 * own.loc['maximal', 'small_chance']:.1f}"] if told else []
        rows.append([*name, *(_percent(own, method) for method in methods), *chance])
    return rows


def false_alarms_of_controls(table: pd.DataFrame) -> Rows:
    """Show the same of associated − neutral, and mean sds of associated − different."""
    methods = {
        "paper": "`paper`",
        "crossed": "`crossed`",
        "maximal, attributes unrelated": METHODS["unrelated"],
        "maximal": "`maximal`",
    }
    of_sd = list(methods)[2:]
    rows = [["attributes", "vectors", *methods.values(), *(f"sd: {methods[m]}" for m in of_sd)]]
    sds = dict(_by_design(table, "associated − different"))
    for name, own in _by_design(table, "associated − neutral"):
        sd = [f"{sds[name].loc[m, 'sd']:.3f}".removeprefix("0") for m in of_sd]
        rows.append([*name, *(_percent(own, method) for method in methods), *sd])
    return rows


def false_changes(table: pd.DataFrame) -> Rows:
    """Show how often a step on random lists is called a change."""
    rows = [["attributes", "vectors", "`change-maximal`"]]
    for name, own in _by_design(table, "associated − different"):
        rows.append([*name, f"{100 * own['share'].item():.1f}"])
    return rows


def _by_design(
    table: pd.DataFrame, contrast: str
) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Yield design and vectors as a row names them, and the methods' numbers."""
    own = table[table["contrast"] == contrast]
    for design in ("topics", "single words"):
        for place, (file, shown) in enumerate(VECTORS.items()):
            part = own[(own["attributes"] == design) & (own["vectors"] == file)]
            if design == "single words":
                shown = shown.partition(",")[0]
            yield ("" if place else design, shown), part.set_index("model")


def _percent(rows: pd.DataFrame, method: str) -> str:
    share = f"{100 * rows.loc[method, 'share']:.1f}"
    return f"**{share}**" if method == "maximal" else share


def demo(table: pd.DataFrame) -> Rows:
    """Show what the demo finds, by list and over all, as the terminal does."""
    own = _of_example(table, "GloVe (shipped)", "gender")
    heads = ["listed", "mean", "89% interval", "in sd", "P(< 0)", "in ROPE", "chance", "verdict"]
    rows = [["difference", *heads]]
    between = own[(own["level"] == "list") & (own["contrast"] == "between groups")]
    for row in [*between.itertuples(), *own[own["level"] == "connection"].itertuples()]:
        name = f"between groups: {row.title}" if row.level == "list" else row.contrast
        cells = [f"{number:+.3f}" for number in (row.listed, row.mean)]
        cells += [_interval(row), f"{row.standardised:+.2f}", f"{row.p_below_zero:.3f}"]
        cells += [f"{share:.1%}" for share in (row.inside_rope, row.chance)]
        rows.append([name, *map(_signed, cells), _verdict(row)])
    return rows


def two_questions(table: pd.DataFrame) -> Rows:
    """Show both answers over all groups, list by list, with how many topics there are."""
    rows = [["list", "vectors", "attributes in topics", "how large", "chance", "verdict"]]
    whole = table[(table["level"] == "connection") & (table["model"] == "maximal")]
    whole = whole[whole["contrast"] == "associated − different"]
    for row in whole.sort_values("list", kind="stable").itertuples():
        size = f"{_signed(f'{row.mean:+.3f}')} ({_interval(row)})"
        counts = f"{row.attributes} in {row.topics}"
        rows.append([row.list, row.vectors, counts, size, _share(row.chance), _verdict(row)])
    return rows


def similarity(table: pd.DataFrame) -> Rows:
    """Show associated − different with and without the similarity of attributes."""
    heads = ["attributes in topics", "unrelated", "with K", "chance", "ln evidence for K"]
    rows = [["vectors, list", *heads]]
    own = table[table["contrast"] == "associated − different"]
    keys = ["vectors", "list", "level", "of"]
    for names, both in own.fillna({"of": ""}).groupby(keys, sort=False):
        one, plain = (both[both["model"] == m].iloc[0] for m in ("maximal", "unrelated"))
        whole = one["level"] == "connection"
        if not whole and one["list"] != "gender":
            continue
        cells = [_signed(f"{row['mean']:+.3f} ± {row['sd']:.3f}") for row in (plain, one)]
        gain = f"{one['log_evidence'] - plain['log_evidence']:,.0f}" if whole else ""
        counts = f"{one['attributes']} in {one['topics']}" if whole else ""
        name = f"{names[0]}, {names[1]}" if whole else f"… {one['title']}"
        rows.append([name, counts, *cells, _share(one["chance"]), gain])
    return rows


def prior_rates(table: pd.DataFrame) -> Rows:
    """Show how much less likely lists are under other rates, in each file of vectors."""
    factors = [name for name in table if name not in ("vectors", "lists")]
    rows = [["vectors", "lists", *(f"rates × {float(name):.2g}" for name in factors)]]
    for row in table.to_dict("records"):
        gains = [_signed(f"{row[name]:+.0f}") if round(row[name]) else "0" for name in factors]
        rows.append([VECTORS[row["vectors"]], str(row["lists"]), *gains])
    return rows


def placebo(table: pd.DataFrame) -> Rows:
    """Show how often placebo lists show something, and the place of the real list."""
    heads = ["intervals that exclude 0", "sd of placebo lists", "real", "its place, p"]
    rows = [["placebo lists", "group", "contrast", *heads]]
    for row in table.itertuples():
        cells = [f"{row.share:.1%}", f"{row.placebo_sd:.3f}", _signed(f"{row.mean:+.3f}")]
        rows.append([row.kind, row.group, row.contrast, *cells, f"{row.p:.3f}"])
    return rows


def names(table: pd.DataFrame) -> Rows:
    """Show the contrasts of crossed groups by factor."""
    rows = [["factor", "comparison", table["contrast"].iloc[0], "89% interval", "verdict"]]
    for row in table.itertuples():
        cells = [row.factor, row.comparison, _signed(f"{row.mean:+.3f}")]
        rows.append([*cells, _interval(row), _verdict(row)])
    return rows


def three_models(table: pd.DataFrame) -> Rows:
    """Show associated − different of the published files under three models."""
    models = ("paper", "crossed", "maximal")
    heads = [f"`{name}`" for name in models]
    rows = [["data", *heads, "in sd", "ROPE", "verdict of `maximal`"]]
    own = table[table["contrast"] == "associated − different"]
    for data, part in own.groupby("data", sort=False):
        one = part.set_index("model")
        cells = [f"{one.loc[m, 'mean']:+.3f} [{_interval(one.loc[m])}]" for m in models]
        last = one.loc["maximal"]
        scale = f"{last['standardised']:+.2f}"
        rows.append([data, *map(_signed, cells), _signed(scale), f"±{last['rope']:.3f}"])
        rows[-1].append(_verdict(last))
    return rows


def every_contrast(table: pd.DataFrame) -> Rows:
    """Show all contrasts of the published files under `maximal`, marked by their verdicts."""
    own = table[table["model"] == "maximal"]
    contrasts = list(dict.fromkeys(own["contrast"]))
    rows = [["data", *contrasts]]
    for data, part in own.groupby("data", sort=False):
        cells = [data]
        for row in part.set_index("contrast").loc[contrasts].itertuples():
            mark = {"closer": "**", "farther": "**", "undecided": ""}.get(row.verdict, "*")
            cells.append(f"{mark}{_signed(f'{row.mean:+.3f}')} [{_interval(row)}]{mark}")
        rows.append(cells)
    return rows


def evidence(table: pd.DataFrame) -> Rows:
    """Show logarithms of Bayes factors of `maximal` to `crossed` and `paper`."""
    own = table.pivot_table("log_evidence", "data", "model", aggfunc="first", sort=False)
    own = own.loc[list(dict.fromkeys(table["data"]))]
    rows = [["data", "ln BF to `crossed`", "ln BF to `paper`"]]
    for data, row in own.iterrows():
        gains = (row["maximal"] - row["crossed"], row["maximal"] - row["paper"])
        rows.append([str(data), *(_signed(f"{gain:+,.1f}") for gain in gains)])
    return rows


def as_saved(table: pd.DataFrame, only: str = "", **forms: str) -> Rows:
    """Show a result as it is, without what repeats the row above or the head to the left.

    `only`: what names of columns with numbers begin with; rows without such numbers are left out.
    `forms`: of numbers in columns whose names contain a word; the others have one digit.
    """
    numbers = [name for name in table.select_dtypes("number") if re.match(only, name)]
    table = table.dropna(subset=numbers, how="all")
    texts = table.select_dtypes(exclude="number").dropna(axis=1, how="all").fillna("")
    cells = texts.mask((texts == texts.shift()).cummin(axis=1), "").replace(
        r"\|", r"\|", regex=True
    )
    for name in numbers:
        form = next((form for word, form in forms.items() if word in name), "{:.1f}")
        cells[name] = [_signed(form.format(x)) if x == x else "" for x in table[name]]
    heads, left = [], ""
    for name in cells:
        start = name.rpartition(": ")[0]
        heads.append(name.removeprefix(f"{start}: ") if start == left else name)
        left = start
    return [heads, *cells.to_numpy().tolist()]


def assumptions(_: pd.DataFrame) -> Rows:
    """Show the standard deviations that worlds are made from."""
    found = Assumptions()
    by_kind = {
        "a word, on one list": found.word_list_sd,
        "an attribute": found.attribute_sd,
        "a group, on a single attribute": found.group_attribute_sd,
        "a single pair (noise)": found.noise_sd,
    }
    rows = [
        [name, *(f"{sd[kind]:.3f}" for kind in ATTRIBUTE_KINDS)] for name, sd in by_kind.items()
    ]
    shared = ["a word, on all stereotype attributes", f"{found.word_sd:.3f}", "", ""]
    return [["standard deviation of effects of", *ATTRIBUTE_KINDS], shared, *rows]


def share_left(table: pd.DataFrame) -> Rows:
    """Show how often intervals before, after, of the change and of the share miss the truth."""
    rows = [["removed", "true share", "before", "after", "change", "left", "median width, points"]]
    kinds = table["removed"].mask(table["removed"].duplicated(), "")
    for row in table.assign(removed=kinds).to_dict("records"):
        missed = [f"{row[name]:.1%}" for name in ("before", "after", "change", "left")]
        rows.append([row["removed"], f"{row['share']:g}", *missed, f"{100 * row['width']:.0f}"])
    return rows


def left(table: pd.DataFrame) -> Rows:
    """Show before, after, change and share left of one's own debiasing, over all and by group."""
    own = table[table["data"].str.contains("slice") & table["of"].notna()]
    rows = [["vectors", "", *SIDES]]
    for (data, of), part in own.groupby(["data", "of"], sort=False):
        sides = _sides(part.set_index("measure"))
        rows.append([data if of == "all" else "", str(of), *sides])
    return rows


def published_left(table: pd.DataFrame) -> Rows:
    """Show the same of the published debiasing over all groups."""
    own = table[(table["of"] == "all") & ~table["data"].str.contains("slice")]
    parts = own.groupby("data", sort=False)
    return [["list", *SIDES], *([data, *_sides(one.set_index("measure"))] for data, one in parts)]


def published_change(table: pd.DataFrame) -> Rows:
    """Show how associated − different changed in the published files, by two models."""
    heads = ["before", "after", "`change-maximal`", "in sd", "verdict", "`change-crossed`"]
    rows = [["list", *heads, "ln evidence for `change-maximal`"]]
    for data, part in table[table["of"].isna()].groupby("data", sort=False):
        one = part.set_index("measure")
        plain = [f"{one.loc[f'plain {side}', 'value']:+.3f}" for side in SIDES[:2]]
        sd = f"{one.loc['change-maximal, in sd', 'value']:+.2f}"
        maximal, crossed = (_number(one.loc[f"change-{m}"], "+.3f") for m in ("maximal", "crossed"))
        gain = f"{one.loc['ln evidence', 'value']:,.0f}"
        row = [data, *plain, maximal, sd, _verdict(one.loc["change-maximal"]), crossed, gain]
        rows.append([_short(cell) for cell in row])
    return rows


def published_moved(table: pd.DataFrame) -> Rows:
    """Show how far each connection moved in the published files."""
    own = table[table["measure"] == "moved"].set_index(["of", "data"])
    lists = list(own.index.unique(1))
    rows = [["", *lists]]
    for of in own.index.unique(0):
        cells = [own.loc[(of, data)] for data in lists]
        rows.append([of, *(f"{_number(row, '+.3f')}, {_verdict(row)}" for row in cells)])
    return rows


def _sides(rows: pd.DataFrame) -> list[str]:
    share = rows.loc["left"]
    known = _number(share, ".0%") if pd.isna(share["verdict"]) else f"not known: {share['verdict']}"
    return [*(_number(rows.loc[name], "+.3f") for name in SIDES[:3]), known]


def debias_effects(vectors: str, part: str, table: pd.DataFrame) -> Rows:
    """Show measures of every method in a file of vectors, marked by their verdicts."""
    own = table[table["vectors"] == vectors].set_index(["method", "measure"])
    rows = [["method", *EFFECTS[part]]]
    for method in own.index.unique(0):
        cells = [_effect(own, (method, name), form) for name, form in EFFECTS[part].items()]
        rows.append([_method(method), *cells])
    return rows


def debias_listed(table: pd.DataFrame) -> Rows:
    """Show what became of control words where the listed words alone are neutralised."""
    heads = [(vectors, name) for vectors in table["vectors"].unique() for name in CONTROLS]
    own = table[table["method"] != "before"].set_index(["vectors", "method", "measure"])
    rows = [["method", *(f"{name}, {vectors}" for vectors, name in heads)]]
    for method in own.index.unique(1):
        cells = [_effect(own, (vectors, method, name), "+.3f") for vectors, name in heads]
        rows.append([_method(method), *cells])
    return rows


def _method(name: str) -> str:
    return "before" if name == "before" else re.sub(r"^\w+", r"`\g<0>`", name)


def _effect(rows: pd.DataFrame, key: tuple[str, ...], form: str) -> str:
    """Return a measure's cell; bold and "equal" tell its verdict beyond what its interval does."""
    if key not in rows.index:
        return ""
    row = rows.loc[key]
    if pd.isna(row["value"]):
        return str(row["verdict"])
    counted = not pd.isna(row.get("n"))  # what it was before is no change
    text = _number(row, form.lstrip("+") if counted else form)
    for column, shown in (("p", ".1g"), ("n", ",.0f")):
        text += "" if pd.isna(row.get(column)) else _short(f" ({row[column]:{shown}})")
    verdict = str(row["verdict"])
    mark = "**" if verdict in ("closer", "farther", "better", "worse") else ""
    return f"{mark}{text}{mark}" + (", equal" if verdict.endswith("equal") else "")


def _number(row: Any, form: str) -> str:
    """Return a value, with its interval if it has one."""
    value, low, high = (_short(f"{row[name]:{form}}") for name in ("value", "low", "high"))
    return value if pd.isna(row["low"]) else f"{value} [{low}, {high}]"


def _short(text: str) -> str:
    """Write numbers without 0 before the point, nor in an exponent."""
    return re.sub(r"(?<!\d)0\.", ".", _signed(re.sub(r"(?<=e-)0", "", text)))


def _of_example(table: pd.DataFrame, vectors: str, wordlist: str) -> pd.DataFrame:
    own = (table["vectors"] == vectors) & (table["list"] == wordlist)
    return table[own & (table["model"] == "maximal")]


def _interval(row: Any) -> str:
    return _signed(f"{row.low:+.3f} to {row.high:+.3f}")


def _verdict(row: Any) -> str:
    return f"{row.verdict} (on the edge)" if row.on_edge else str(row.verdict)


def _share(chance: float) -> str:
    return "<1%" if chance < 0.01 else f"{chance:.0%}"


def _signed(text: str) -> str:
    """Write minus signs as such, and no sign before 0."""
    return re.sub(r"[-+](0\.0+(?!\d))", r"\1", text).replace("-", "−")


WORLDS: Final[dict[str, dict[str, str]]] = {
    "few-people": {},
    "occupations": {"words": "{:.0f}", "raw": "{:.2f}"},
    "facts": {},
    "crossed": {},
    "over-time": {"width": "{:.3f}"},
    "contexts": {},
    "runs": {"width": "{:.3f}"},
    "shuffled": {"mean": "{:+.3f}"},
    "meta": {"mean": "{:.2f}", "low": "{:.2f}", "high": "{:.2f}"},
    "frequency": {},
    "group-worlds": {},
    "calibration": {"parameters": "{:.0f}", "smallest": "{:.3f}", "below": "{:.0f}"},
    "agreement": {"R-hat": "{:.3f}", "in sd": "{:.2f}"},
    "components": {},
    "embeddings": {"neutral": "{:.3f}", "in sd": "{:+.2f}", "cosine": "{:+.3f}"},
    "plan": {"width": "{:.3f}", "words": "{:.0f}", "attributes": "{:.0f}", "%": "{:.0f}"},
}
"""Results, most of made worlds, that pages show as they are, with forms of numbers (`as_saved`)."""

TABLES: Final[dict[str, tuple[tuple[str, ...], Callable[..., Rows]]]] = {
    "real-lists": (("split-half", "populations"), real_lists),
    "split-half": (("split-half",), split_half),
    "populations": (("populations",), populations),
    "power": (("power",), power),
    "random-lists": (("random-lists",), false_alarms),
    "random-lists-controls": (("random-lists",), false_alarms_of_controls),
    "random-steps": (("random-steps",), false_changes),
    "demo": (("examples",), demo),
    "two-questions": (("examples",), two_questions),
    "similarity": (("examples",), similarity),
    "prior-rates": (("prior-rates",), prior_rates),
    "placebo": (("placebo",), placebo),
    "simulated": (("simulated",), partial(as_saved, only="false|power")),
    "assumptions": (("simulated",), assumptions),
    "rope-edge": (("simulated",), partial(as_saved, only="at the edge")),
    "names": (("names",), names),
    "three-models": (("published",), three_models),
    "every-contrast": (("published",), every_contrast),
    "evidence": (("published",), evidence),
    "share-left": (("share-left",), share_left),
    **{name: ((name,), partial(as_saved, **forms)) for name, forms in WORLDS.items()},
    "left": (("changes",), left),
    "published-change": (("changes",), published_change),
    "published-moved": (("changes",), published_moved),
    "published-left": (("changes",), published_left),
    "debias-listed": (("debias-listed",), debias_listed),
    **{
        f"debias-{part}-{vectors.lower()}": (
            ("debias-effects",),
            partial(debias_effects, vectors, part),
        )
        for part in EFFECTS
        for vectors in ("GoogleNews", "GloVe")
    },
    **{name: (("classics",), rows) for name, rows in classics_tables.TABLES.items()},
}
"""Of every table its results, and the function that makes rows of them, first the head."""


def markdown(rows: Rows) -> str:
    """Return rows as a table; columns of numbers are to the right."""
    head, *rest = rows
    columns = zip(*rest, strict=True)
    numeric = [
        all(re.fullmatch(r"\**[−+<]?[\d.,]*(e−\d+)?%?\**", text) for text in one) for one in columns
    ]
    rule = "|" + "".join("---:|" if right else "---|" for right in numeric)
    lines = ["| " + " | ".join(row) + " |" for row in (head, *rest)]
    return "\n".join([lines[0], rule, *lines[1:]]).replace("|  ", "| ") + "\n"


def caption(results: Sequence[str], heads: Sequence[dict[str, str]]) -> str:
    """Say what made results, from their first lines; versions are there."""
    said = []
    for name, head in zip(results, heads, strict=True):
        settings = ", ".join(f"{key} {value}" for key, value in head.items() if key not in UNSAID)
        made = f"`benchmarks/{COMMANDS[name].split()[0]}` ({head['made']})"
        said.append(f"{made}: {settings}" if settings else made)
    return f"*{'; '.join(said)}.*\n"


def shown(name: str, said: set[str]) -> str:
    """Return what stands between the markers of a table; a caption that was `said` is left out."""
    if name not in TABLES:
        raise SystemExit(f"no table {name!r}; .ci/page_numbers.py knows {', '.join(TABLES)}")
    results, layout = TABLES[name]
    tables, heads = zip(*map(read, results), strict=True)
    rows, made = markdown(layout(*tables)), caption(results, heads)
    if made in said:
        return rows
    said.add(made)
    return f"{rows}\n{made}"


def written(page: str) -> str:
    """Return the text of a page with its tables made anew; it says once what made a result."""
    said: set[str] = set()
    return MARKED.sub(lambda found: f"{found[1]}{shown(found[2], said)}{found[3]}", page)


def differing(*, write: bool = False) -> list[str]:
    """Return the pages whose tables are not those of their results; write them if asked to."""
    names = []
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        old = path.read_text(encoding="utf-8")
        new = written(old)
        if new != old:
            names.append(str(path.relative_to(ROOT)))
            if write:
                path.write_text(new, encoding="utf-8")
    return names


def main(arguments: list[str]) -> int:
    """Write, check or make."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--make", nargs="+", choices=COMMANDS, default=[])
    given = parser.parse_args(arguments)
    for name in given.make:
        script, *options = COMMANDS[name].split()
        subprocess.run([sys.executable, ROOT / "benchmarks" / script, *options], check=True)
    found = differing(write=not given.check)
    for name in found:
        print(
            f"{name}: " + ("differs; run python .ci/page_numbers.py" if given.check else "written")
        )
    return int(given.check and bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
