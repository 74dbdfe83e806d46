"""What makes the results that pages show, and how a page shows them; `.ci/pages.py` writes them.

`COMMANDS` says what makes a result: a benchmark's `--save NAME` writes results/NAME.csv, whose
first lines have date, versions, seed and settings. `TABLES` says which results a table shows.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import classics_tables
import debias_tables
import pandas as pd
from page_tables import Rows, as_saved, signed
from random_lists import WEAT
from saved_results import read

COMMANDS: Final = {
    "pictures": "pictures.py",
    "few-people": "few_people.py --save few-people",  # this one needs no data
    "classics": "classics.py --save classics",
    "populations": "populations.py --seed 90210 --save",  # constants were chosen on other seeds
    "split-half": "split_half.py --save",
    "random-lists": "random_lists.py --save",
    "no-association": "no_association.py --save",
    "subsets": "subsets.py --save",
    "prior-rates": "prior_rates.py --save prior-rates",
    "published": "published.py --save published",
    "embeddings": "decisions.py --save embeddings",
    "debias-effects": "debias_effects.py --save debias-effects",
    "debias-listed": "debias_effects.py --neutralise list --save debias-listed",
    "agreement-nuts": "agreement.py --save agreement-nuts",
    "agreement": "agreement.py --similar --save agreement",
}
"""What makes a result, by its name; what needs no data is said, the rest reads BAYESBIAS_DATA."""

UNSAID: Final = ("made", "versions")


CALIBRATED: Final = {
    **dict.fromkeys(("rms z", "slope", "± z", "width"), "{:.2f}"),
    **dict.fromkeys(("RMSE", "mean sd"), "{:.4f}"),
    "apart": "{:.1f}",
    "±": "{:.1f}",
    "n": "{:.0f}",
    "%": "{:.0f}",
}
"""How numbers of the calibration scripts are written."""

AS_SAVED: Final[dict[str, dict[str, str]]] = {
    "few-people": {},
    **dict.fromkeys(
        ("populations", "split-half", "random-lists", "no-association", "subsets"), CALIBRATED
    ),
    "agreement-nuts": {"R-hat": "{:.3f}", "in sd": "{:.2f}"},
    "agreement": {"R-hat": "{:.3f}", "in sd": "{:.2f}"},
    "embeddings": {"neutral": "{:.3f}", "in sd": "{:+.2f}", "cosine": "{:+.3f}"},
}
"""Results that pages show as they are, with forms of numbers (`as_saved`)."""


def evidence(table: pd.DataFrame) -> Rows:
    """Show logarithms of Bayes factors of `maximal` to `crossed` and `paper`."""
    own = table.pivot_table("log_evidence", "data", "model", aggfunc="first", sort=False)
    rows = [["data", "ln BF to `crossed`", "ln BF to `paper`"]]
    for data, row in own.loc[list(dict.fromkeys(table["data"]))].iterrows():
        gains = (row["maximal"] - row["crossed"], row["maximal"] - row["paper"])
        rows.append([str(data), *(signed(f"{gain:+,.1f}") for gain in gains)])
    return rows


def why_not_weat(table: pd.DataFrame) -> Rows:
    """Compare measures with the model in words, and by false alarms on random lists."""
    false = table.groupby("method")["false %"].agg(["min", "max"]).round()
    shares = [f"{low:.0f} to {high:.0f}%" for low, high in false.loc[[WEAT, "maximal"]].to_numpy()]
    return [
        ["", "WEAT, MAC", "bayesbias"],
        [
            "How large is the bias?",
            "effect size in units of spread",
            "cosine distance, with an 89% HPDI",
        ],
        ["Which group, which word?", "one number for all", "word- and group-level means"],
        [
            "Would similar words agree?",
            "fixed attribute words",
            "the interval covers words and topics like these",
        ],
        [
            "Lists of random words called biased",
            f"{shares[0]} (nominal 5%)",
            f"{shares[1]} (nominal 11%, [error rates](docs/evidence/error-rates.md))",
        ],
    ]


TABLES: Final[dict[str, tuple[tuple[str, ...], Callable[..., Rows]]]] = {
    "evidence": (("published",), evidence),
    "why-not-weat": (("random-lists",), why_not_weat),
    **debias_tables.TABLES,
    **classics_tables.TABLES,
    "prior-rates": (("prior-rates",), partial(as_saved, rates="{:+.0f}", lists="{:.0f}")),
    **{name: ((name,), partial(as_saved, **forms)) for name, forms in AS_SAVED.items()},
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
        raise SystemExit(f"no table {name!r}; there are {', '.join(TABLES)}")
    results, layout = TABLES[name]
    tables, heads = zip(*map(read, results), strict=True)
    rows, made = markdown(layout(*tables)), caption(results, heads)
    if made in said:
        return rows
    said.add(made)
    return f"{rows}\n{made}"


def phrase(picture: str, kind: str) -> str:
    """Return a fit's answer in words, from results/pictures.csv: its size, random or lists."""
    row = read("pictures")[0].set_index("picture").loc[picture]
    if kind == "lists":
        return str(row["lists"])
    if kind == "random":
        return f"{100 * row['random_groups']:.2g}%"
    near, far = sorted(abs(row[["low", "high"]].astype(float)))
    if kind != "size" or row["low"] * row["high"] <= 0:
        raise SystemExit(f"{picture}: no {kind!r} in words; its interval ends at {near}, {far}")
    return f"{abs(row['mean']):.2f} (89% HPDI {near:.2f} to {far:.2f})"
