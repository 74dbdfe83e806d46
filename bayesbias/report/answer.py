"""The sentences that a report opens with: what was found, where, and whether to trust it.

They come from the contrasts (or changes), the diagnostics, the predictive check and the comparison
of models, and say no more than those do.
"""

from typing import Any, Final

import pandas as pd

from bayesbias.constants import AFTER, BEFORE, CONNECTION, CONTROL_CONNECTIONS, PROTECTED_WORD
from bayesbias.fits.contrasts import Contrasts
from bayesbias.inference.diagnostics import Diagnostics
from bayesbias.report.parts import bounds, probability, shown
from bayesbias.studies.across_models import ModelComparison
from bayesbias.studies.change import Change
from bayesbias.support.text_tables import interval_label

NEAR: Final = 0.05
"""A predictive interval that holds a share of pairs this near to its probability is on target."""

_MOST_NAMED: Final = 8


def answer_of_contrasts(contrasts: Contrasts) -> tuple[str, str]:
    """Return what the first contrast says, and what the others and the single words say."""
    rows = list(contrasts.groups.itertuples())
    label = interval_label(contrasts.prob, contrasts.interval)
    first, second = _sides(rows[0].contrast)
    main = (
        f"{_finding(rows[0], first, second, contrasts.rope)}: their mean cosine distances differ "
        f"by {shown(rows[0].mean, 'signed')} ({label} {bounds(rows[0], 'signed')}), and the "
        f"probability that {first} words are closer is {_of(rows[0].p_below_zero)}."
    )
    others = [row for row in rows[1:] if _sides(row.contrast)[0] == first]
    further = f"Against the controls, {_briefly(others, first)}; word" if others else "Word"
    words = contrasts.words[contrasts.words["contrast"] == rows[0].contrast]
    return main, f"{further} by word, {rows[0].contrast} is {_counted(words)}."


def answer_of_means(groups: pd.DataFrame) -> tuple[str, str]:
    """Return what can be said where no two connections can be compared."""
    label = interval_label(groups["prob"].iloc[0], groups["interval"].iloc[0])
    means = "; ".join(
        f"{shown(row.mean, 'distance')} to {row.connection} words ({label} {bounds(row)})"
        for row in groups.itertuples()
    )
    return (
        f"The mean cosine distance of the protected words is {means}.",
        "No two of the connections that are compared are here, so nothing can be said about an "
        "association.",
    )


def answer_of_change(change: Change) -> tuple[str, str]:
    """Return how the first connection moved, and how the others and the single words did."""
    rows = list(change.groups.itertuples())
    label = interval_label(change.prob, change.interval)
    own = change.pairs[change.pairs[CONNECTION] == rows[0].connection]
    sides = " to ".join(shown(float(own[side].mean()), "distance") for side in (BEFORE, AFTER))
    main = (
        f"{_movement(rows[0], change.rope)}: their pairs went from a mean cosine distance of "
        f"{sides}, the modelled change is {shown(rows[0].mean, 'signed')} ({label} "
        f"{bounds(rows[0], 'signed')}), and the probability that they came closer is "
        f"{_of(rows[0].p_below_zero)}."
    )
    others = [_moved(row) for row in rows[1:]]
    others += [f"{name} words did not move" for name in change.unmoved[CONNECTION]]
    further = f"Beside them, {'; '.join(others)}" if others else "No other connection is here"
    moved = [r.connection for r in rows if r.connection in CONTROL_CONNECTIONS
             and r.verdict in ("closer", "farther")]  # fmt: skip
    if moved:
        further += f" (controls should stay where they are, and {' and '.join(moved)} did not)"
    words = change.words[change.words[CONNECTION] == rows[0].connection]
    return main, f"{further}; word by word, the change to {rows[0].connection} words is " \
                 f"{_counted(words)}."  # fmt: skip


def answer_of_checks(diagnostics: Diagnostics, coverage: pd.DataFrame, prob: float) -> str:
    """Return whether the draws and the model can be relied on.

    Off target are shares more than `NEAR` from their probability: per connection for the interval
    of probability `prob`, and in all for the narrower one.
    """
    whole = coverage[coverage[CONNECTION] == "all"]
    probs = " and ".join(f"{100 * p:g}%" for p in whole["prob"])
    shares = " and ".join(shown(float(share), "share") for share in whole["inside"])
    watched = coverage[(coverage["prob"] == prob) | (coverage[CONNECTION] == "all")]
    off = [
        f"at {100 * r.prob:g}%" if r.connection == "all" else
        f"for {r.connection} pairs at {100 * r.prob:g}% ({shown(float(r.inside), 'share')})"
        for r in watched.itertuples() if abs(r.inside - r.prob) > NEAR
    ]  # fmt: skip
    draws = diagnostics.sentence if diagnostics.problems else "The draws passed their checks."
    said = (
        f"{draws.rstrip('.')}, and the model's {probs} predictive intervals hold {shares} of the "
        f"pairs"
    )
    if not off:
        return f"{said}, as they should if it fits."
    return (
        f"{said}: more than {100 * NEAR:g} points off target {', '.join(off)}, so that the scatter "
        f"of single distances is not quite what the model says."
    )


def caution_of_comparison(found: ModelComparison | None, fitted: str) -> str:
    """Return which model to look at as well; empty if none predicts clearly better.

    Clearly is by more than two standard errors of the difference.
    """
    if found is None or found.table["model"].iloc[0] == fitted:
        return ""
    best = str(found.table["model"].iloc[0])
    own = found.table.set_index("model").loc[fitted]
    if not -own["elpd_diff"] > 2 * own["diff_se"]:
        return ""
    return (
        f"Caution: model {best!r} predicts left-out pairs better than {fitted!r}, by "
        f"{shown(-own['elpd_diff'], 'number')} log units (s.e. {shown(own['diff_se'], 'number')}): "
        f"before you report this answer, see whether it stands there (--model {best})."
    )


def _sides(contrast: str) -> tuple[str, str]:
    first, _, second = contrast.partition(" − ")
    return first, second


def _of(p: float) -> str:
    """Write a probability after "is"."""
    return probability(p).replace("= ", "").replace("> ", "above ").replace("< ", "below ")


def _finding(row: Any, first: str, second: str, rope: float) -> str:
    """Say in words what a contrast's verdict is."""
    name = first.capitalize()
    if row.verdict == "closer":
        return f"{name} words are closer to the protected words than {second} words"
    if row.verdict == "farther":
        return f"{name} words are farther from the protected words than {second} words"
    if row.verdict == "practically equal":
        return (
            f"{name} and {second} words are practically equally far from the protected words "
            f"(within ±{rope:g})"
        )
    if row.low > 0 or row.high < 0:
        which = "closer to" if row.high < 0 else "farther from"
        than = f"the protected words than {second} words, but perhaps by too little to matter"
        return f"{name} words are probably {which} {than} (undecided at ±{rope:g})"
    return (
        f"It is undecided whether {first} or {second} words are closer to the protected words "
        f"(at ±{rope:g})"
    )


def _movement(row: Any, rope: float) -> str:
    """Say in words how a connection moved."""
    name = f"{row.connection.capitalize()} words"
    if row.verdict in ("closer", "farther"):
        where = "closer to" if row.verdict == "closer" else "farther from"
        return f"{name} moved {where} the protected words"
    if row.verdict == "practically equal":
        return f"{name} practically stayed where they were (within ±{rope:g})"
    if row.low > 0 or row.high < 0:
        where = "closer" if row.high < 0 else "farther away"
        return (
            f"{name} probably moved {where}, but perhaps by too little to matter (undecided at "
            f"±{rope:g})"
        )
    return f"It is undecided whether {row.connection} words moved (at ±{rope:g})"


def _moved(row: Any) -> str:
    name = f"{row.connection} words"
    what = {
        "closer": f"{name} moved closer",
        "farther": f"{name} moved farther away",
        "practically equal": f"{name} practically stayed",
        "undecided": f"whether {name} moved is undecided",
    }[row.verdict]
    return f"{what} ({shown(row.mean, 'signed')}, {bounds(row, 'signed')})"


def _briefly(rows: list[Any], first: str) -> str:
    """Say further contrasts in few words, with mean and probability of direction."""
    said, before = [], ""
    for row in rows:
        what = {
            "closer": f"{first} words are closer than",
            "farther": f"{first} words are farther than",
            "practically equal": f"{first} words are practically as far as",
            "undecided": f"it is undecided whether {first} words are closer or farther than",
        }[row.verdict]
        numbers = f"{shown(row.mean, 'signed')}, P(closer) {probability(row.p_below_zero)}"
        one = f"{_sides(row.contrast)[1]} words ({numbers})"
        said.append(one if what == before else f"{what} {one}")
        before = what
    return " and ".join(said)


def _counted(words: pd.DataFrame) -> str:
    """Count words by verdict, and name the decided ones."""
    parts = []
    for verdict in ("closer", "farther", "practically equal", "undecided"):
        names = [str(w) for w in words.loc[words["verdict"] == verdict, PROTECTED_WORD]]
        if not names:
            continue
        named = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
        decided = verdict in ("closer", "farther")
        parts.append(f"{verdict} for {len(names)}{f' ({named})' if decided else ''}")
    listed = " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)
    return f"{listed} of {len(words)} protected words"
