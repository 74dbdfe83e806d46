"""Draw the picture of the README: the occupations that are closer to words for women, or to men.

python .ci/readme_picture.py            # writes docs/images/readme-picture.png

Dots are occupations: the plain difference over the listed words. Bars are 89% intervals of each
list between groups, `fit.contrasts("list")`; grey and hollow if the interval contains 0.
"""

import warnings
from pathlib import Path
from typing import Final

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import bayesbias as bb

GOAL: Final = Path(__file__).parents[1] / "docs" / "images" / "readme-picture.png"
LISTS: Final = {
    "woman_stereotype": "Occupations\nstereotyped\nas female",
    "man_stereotype": "Occupations\nstereotyped\nas male",
}
LETTER: Final = 0.0037
"""Width of a letter of a name, in units of the axis, so that names do not meet."""


def leanings(frame: pd.DataFrame) -> pd.Series:
    """Return by list and occupation how much closer words for women are than words for men."""
    stereotypes = frame[frame["attribute_set"].isin(list(LISTS))]
    by_group = stereotypes.pivot_table(
        index=["attribute_set", "attribute"], columns="group", values="cosine_distance"
    )
    return by_group["man"] - by_group["woman"]


def draw_list(ax: Axes, height: float, words: pd.Series, row: pd.Series) -> None:
    """Draw a list's interval, and its occupations below it with their names."""
    sign = -1 if row["group"] == "woman" else 1  # to the right: closer to words for women
    decided = row["high"] < 0 or row["low"] > 0
    colour = "#0b7a6b" if decided else "#6b6b6b"
    ends = [sign * row["low"], sign * row["high"]]
    ax.plot(ends, [height, height], color=colour, lw=8, alpha=0.9, solid_capstyle="butt", zorder=3)
    fill = colour if decided else "white"
    ax.plot(sign * row["mean"], height, "o", ms=13, color=colour, mfc=fill, mew=2, zorder=4)
    ordered = words.sort_values()
    name_words(ax, height, colour, ordered[ordered >= 0], side=1)
    name_words(ax, height, colour, ordered[ordered < 0][::-1], side=-1)


def name_words(ax: Axes, height: float, colour: str, words: pd.Series, side: int) -> None:
    """Draw words from 0 outwards, with their names on the outer side, on lines where they fit."""
    taken: list[float] = []  # how far from 0 the last name of each line reaches
    for word, x in words.items():
        free = (line for line, end in enumerate(taken) if end < abs(x))
        line = next(free, len(taken))
        taken[line : line + 1] = [abs(x) + LETTER * (len(str(word)) + 3)]
        y = height - 0.22 - 0.12 * line
        ax.plot(x, y, "o", color=colour, ms=5, alpha=0.8, zorder=3)
        ax.annotate(
            str(word),
            (x, y),
            xytext=(5 * side, 0),
            textcoords="offset points",
            ha="left" if side > 0 else "right",
            va="center_baseline",
            fontsize=9,
            color="#333333",
        )


def main() -> None:
    """Fit the demo's vectors, and draw."""
    warnings.simplefilter("ignore", bb.BayesBiasWarning)
    frame = bb.distances(bb.example_embedding(), "gender")
    contrasts = bb.fit(frame, seed=1).contrasts("list")
    own = contrasts.table[contrasts.table["contrast"] == "between groups"]
    rows, words = own.set_index("attribute_set"), leanings(frame)
    figure = Figure(figsize=(9, 4.4), layout="constrained", facecolor="white")
    ax = figure.add_subplot()
    rope = contrasts.rule.width
    ax.axvspan(-rope, rope, color="#e4e4e4", zorder=0)
    ax.axvline(0, color="#444444", lw=1, ls="--", zorder=1)
    for height, name in zip((1, 0), LISTS, strict=True):
        draw_list(ax, height, words[name], rows.loc[name])
    ax.set_yticks([0.8, -0.25], list(LISTS.values()), fontsize=12)
    ax.set_ylim(-1.0, 1.4)
    ax.text(rope, -0.92, " too small to matter", fontsize=9, color="#666666", va="center")
    far = 1.12 * words.abs().max()
    ax.set_xlim(-far, 1.25 * far)
    for side, x, text in (
        ("left", -far, "◄ closer to words for men"),
        ("right", 1.25 * far, "closer to words for women ►"),
    ):
        ax.text(x, 1.28, text, ha=side, va="center", fontsize=11)
    ax.set_xlabel("difference in mean cosine distance")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    with mpl.rc_context({"savefig.dpi": 130}):
        figure.savefig(GOAL, metadata={"Software": None})
    print(words.round(2).to_string())


if __name__ == "__main__":
    main()
