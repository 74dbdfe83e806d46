"""How often a model finds an association where there is none, in the user's own vectors.

A placebo list takes the place of the stereotypes: neutral words drawn at random, or the real
attributes dealt anew among their sets. Whatever a model says of such lists is a false positive, and
the place of the real contrast among theirs is a p-value that does not need the model to be right:
a randomisation test (b + 1) / (m + 1), whose null is "words like any others", not "no difference".
The real list is fitted as placebo lists are, so that like is compared with like: neutral words
have no distances to reference words.

Topics drawn are as large as those that the fit counts in the real list (`pairs.topics`). But a
random word and the words most like it need not be one topic by that count, and words drawn apart
may be. So the result says how many topics the fit counts in placebo lists. In two files it counts
.99 to 1.10 times as many as in the real lists `gender`, `race` and `religion`, and .97 to 1.39
times as many as in WEAT 1 and 7; in attributes dealt anew .92 to 1.13 times.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    REFERENCE,
    STEREOTYPE_CONNECTIONS,
    TOPIC,
)
from bayesbias.errors import FitError, one_of
from bayesbias.fits import captions
from bayesbias.fits.check_sentences import tell
from bayesbias.fits.refitted import ALL_GROUPS, RefittedContrasts, failed, said_of_failed
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.intervals import binomial_interval
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.frequency import RARITY, with_rarity
from bayesbias.pairs.keys import distance_key, drop_repeats, repeated_columns
from bayesbias.pairs.reference import without_reference
from bayesbias.pairs.topics import correlations, topics_of
from bayesbias.support.arguments import whole_number
from bayesbias.support.arrays import Array, Index
from bayesbias.support.figure_style import Place
from bayesbias.support.progress import tracked
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Column, Table, counted, typeset
from bayesbias.support.types import Figure, Generator

KINDS: Final = ("neutral", "frequency", "redeal")

_OF_NEUTRAL: Final = (("associated", "different"), ("associated", "neutral"))

NULL: Final = {
    "neutral": _OF_NEUTRAL,
    "frequency": _OF_NEUTRAL,
    "redeal": (("associated", "different"),),
}
"""Contrasts that have no association by design: dealt anew, stereotypes stay stereotypes."""

_AS_FREQUENT: Final = 10
"""Words that a word of given frequency is drawn from."""

_OF_GROUPS: Final = (("associated", "different"),)


@dataclass(frozen=True, repr=False, eq=False)
class Placebo(Result):
    """The real contrasts among those of placebo lists; made by `Fit.placebo`.

    Parameters
    ----------
    table : DataFrame
        One row per contrast over all groups, and, of several groups, one per group for associated −
        different: ``group`` (``all`` for all); ``contrast``; ``n``, placebo lists; ``share``, of
        those whose interval excludes 0, with its 89% interval ``share_low`` and ``share_high``;
        ``nominal``, the most that should; ``placebo_sd``, the standard deviation of the placebo
        means, and ``posterior_sd``, the mean standard deviation of their posteriors; ``mean``, the
        real contrast, from a fit like those of placebo lists; ``p``, its place among random lists:
        the share of lists, the real one included, whose mean is as far from 0; ``n_bad_k``,
        placebo lists whose fit has a Pareto k above 0.7; and, where the fit has it, its ``chance``,
        which `Fit.contrasts` finds without placebo lists.
    lists : DataFrame
        One row per placebo list, group and contrast: ``number``, ``group``, ``contrast``, ``mean``,
        ``sd``, ``low``, ``high``, ``pareto_k``.
    kind : {"neutral", "frequency", "redeal"}
    notes : tuple of str
        How the words were drawn; in how many topics the fit counts those of the real list and of
        placebo lists; and in what the fits differ from the one that was asked.
    rule : DecisionRule
    seed : int
    """

    table: pd.DataFrame
    lists: pd.DataFrame
    kind: str
    notes: tuple[str, ...]
    rule: DecisionRule
    seed: int

    @property
    def blocks(self) -> Blocks:
        """The table, and what it means."""
        table = Table(
            self.table,
            [
                GROUP,
                "contrast",
                Column("n", form="count", drop_priority=3),
                Column(("share", "share_low", "share_high"), "excludes 0", "share"),
                Column("nominal", form="prob", drop_priority=1),
                Column("placebo_sd", form="fine", drop_priority=2),
                Column("posterior_sd", form="fine", drop_priority=2),
                Column("mean", "real", "signed"),
                Column("p", form="distance"),
                *([Column("chance", form="distance")] if "chance" in self.table else []),
            ],
        )
        explained = tell("excludes", self.rule.label)
        title = f"Placebo lists: {tell('placebo_lists', self.kind)}."
        beside = [captions.tell("placebo_chance")] if "chance" in self.table else []
        return [title, *self.notes, "", table, "", explained, *beside, *self._failed]

    @property
    def _failed(self) -> list[str]:
        return said_of_failed(self.lists, ["number"], "placebo list", "lists")

    @property
    def sentence(self) -> str:
        """The place of the first contrast over all groups, in words."""
        row = next(self.table.itertuples())
        said = tell(
            "place",
            lists=counted(row.n, "placebo list"),
            kind=self.kind,
            contrast=row.contrast,
            p=f"{row.p:.2g}",
            share=typeset(row.share, "share"),
            label=self.rule.label,
            nominal=typeset(row.nominal, "prob"),
            chance=typeset(getattr(row, "chance", None), "share"),
        )
        return " ".join([said, *self._failed])

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw the real contrasts among the placebo ones."""
        from bayesbias.fits.placebo_figure import plot_placebo

        return plot_placebo(self.table, self.lists, self.rule, **place)


def placebo_of(
    frame: pd.DataFrame,
    spec: ModelSpec,
    rule: DecisionRule,
    *,
    n: int,
    kind: str,
    seed: int,
    progress: bool | None,
) -> Placebo:
    """Fit placebo lists; see `Fit.placebo`."""
    one_of(kind, "kind", KINDS)
    n = whole_number(n, "n", "placebo lists", least=1)
    notes: tuple[str, ...] = ()
    if kind != "redeal" and len(pairs := without_reference(frame)) < len(frame):
        frame, notes = pairs.reset_index(drop=True), (captions.tell("placebo_alone"),)
        spec, _ = drop_unidentified_terms(spec, frame)
    if kind == "redeal":
        deal, how = _redealer(frame, spec.repeating)
    else:
        deal, how = _neutral_dealer(frame, like=kind == "frequency")
    refitted = RefittedContrasts(spec, rule, _asked(frame, kind))
    real, _ = refitted.of_frame(frame)
    parts, counts = [], []
    for number in tracked(range(n), "Fitting placebo lists", progress, n):
        # A stream of its own: list k is the same however many are asked for.
        dealt = deal(np.random.default_rng([seed, 2, number]))
        found, _ = refitted.of_frame(dealt)
        parts.append(found.assign(number=number))
        counts.append(_n_topics(dealt))
    columns = ["number", GROUP, "contrast", "mean", "sd", "low", "high", "pareto_k"]
    lists = pd.concat(parts, ignore_index=True)[columns]
    how = (*how, *_said_of_topics(frame, counts), *notes)
    return Placebo(_table(lists, real, rule), lists, kind, how, rule, seed)


def with_chance_beside(found: Placebo, contrasts: Sequence[pd.DataFrame]) -> Placebo:
    """Give placebo lists the chance of the fit's own contrasts; unchanged where it has none."""
    every = pd.concat(contrasts, ignore_index=True)
    if "chance" not in every:
        return found
    known = every.fillna({GROUP: ALL_GROUPS})[[GROUP, "contrast", "chance"]]
    table = found.table.merge(known, on=[GROUP, "contrast"], how="left")
    return replace(found, table=table)


def _asked(frame: pd.DataFrame, kind: str) -> dict[str, Any]:
    """Return the contrasts that a placebo list has, by level; groups only where there are two."""
    present = set(frame[CONNECTION])
    asked = {"connection": NULL[kind], "group": _OF_GROUPS}
    if without_reference(frame)[GROUP].nunique() < 2:
        asked["group"] = ()
    if not any(set(pair) <= present for pair in NULL[kind]):
        wanted = " or ".join(" with ".join(pair) for pair in NULL[kind])
        raise FitError(f"placebo lists compare {wanted}, and this fit has not both")
    return asked


def _table(lists: pd.DataFrame, real: pd.DataFrame, rule: DecisionRule) -> pd.DataFrame:
    rows = []
    of_row = dict(iter(lists.groupby([GROUP, "contrast"])))
    for row in real.itertuples():
        part = of_row[row.group, row.contrast]
        n, false = len(part), int(((part["low"] > 0) | (part["high"] < 0)).sum())
        low, high = binomial_interval(false, n)
        farther = int((part["mean"].abs() >= abs(row.mean)).sum())
        rows.append(
            {
                GROUP: row.group,
                "contrast": row.contrast,
                "n": n,
                "share": false / n,
                "share_low": float(low),
                "share_high": float(high),
                "nominal": 1.0 - rule.prob,
                "placebo_sd": float(part["mean"].std(ddof=1)) if n > 1 else np.nan,
                "posterior_sd": float(part["sd"].mean()),
                "mean": row.mean,
                "p": (1 + farther) / (n + 1),
                "n_bad_k": int(failed(part).sum()),
            }
        )
    return pd.DataFrame(rows)


Dealer = Callable[[np.random.Generator], pd.DataFrame]
Dealing = tuple[Dealer, tuple[str, ...]]
"""What deals a list, and how the words are drawn, in words."""


def _stereotypes(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs with stereotype attributes, those of reference words among them."""
    part = frame[frame[CONNECTION].isin((*STEREOTYPE_CONNECTIONS, REFERENCE))]
    if part.empty:
        raise FitError("a placebo list replaces stereotype attributes, and this fit has none")
    return part


def _n_topics(frame: pd.DataFrame) -> int | None:
    """Return how many topics the fit counts among stereotypes; None where it knows none."""
    found = topics_of(_stereotypes(frame))
    return None if found is None else found[TOPIC].nunique()


def _said_of_topics(frame: pd.DataFrame, counts: Sequence[int | None]) -> tuple[str, ...]:
    """Say how many topics the real list has, and placebo lists on average; nothing if not known."""
    real, known = _n_topics(frame), [n for n in counts if n is not None]
    if real is None or len(known) < len(counts):
        return ()
    attributes = counted(_stereotypes(frame)[ATTRIBUTE].nunique(), "attribute")
    return (tell("counted", attributes, counted(real, "topic"), f"{np.mean(known):,.1f}"),)


def _connections(stereotypes: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Return the connection of every group with every attribute set."""
    keys = stereotypes[[GROUP, ATTRIBUTE_SET, CONNECTION]].drop_duplicates()
    return {(group, name): connection for group, name, connection in keys.itertuples(index=False)}


def _neutral_dealer(frame: pd.DataFrame, *, like: bool) -> Dealing:
    """Deal neutral words to the stereotype sets, as many as these have; the others stay neutral.

    `like` draws words that are about as frequent as the real ones.
    """
    stereotypes = _stereotypes(frame)
    neutral = frame[frame[CONNECTION] == "neutral"]
    owned = stereotypes[[ATTRIBUTE, ATTRIBUTE_SET]].drop_duplicates()
    words = neutral[ATTRIBUTE].unique()
    if len(words) < len(owned) + 2:
        raise FitError(
            f"placebo lists of neutral words need at least {len(owned) + 2} of them, and this fit "
            f"has {len(words)}",
            advice="ask for kind='redeal'",
            typed="add neutral words to the word list, or leave --placebo out",
        )
    rest = frame[~frame[CONNECTION].isin((*STEREOTYPE_CONNECTIONS, "neutral"))]
    connection = _connections(stereotypes)
    code = pd.Categorical(neutral[ATTRIBUTE], categories=words).codes
    nearest = _nearest(frame, words)
    known = None if nearest is None else topics_of(stereotypes)
    # The largest first, while words of a kind are all free.
    wanted = sorted(_topics_of_sets(owned, known), key=lambda topic: -len(topic.words))
    names, labels = (np.array([t[i] for t in wanted], dtype=object) for i in range(2))
    far = _far_in_rarity(frame, words, wanted) if like else [None] * len(wanted)

    def deal(rng: Generator) -> pd.DataFrame:
        place = np.full(len(words), -1)
        for at, (topic, apart) in enumerate(zip(wanted, far, strict=True)):
            place[_draw(rng, place < 0, nearest, len(topic.words), apart)] = at
        of_pair = place[code]
        dealt = of_pair >= 0
        drawn, at = neutral[dealt], of_pair[dealt]
        if TOPIC in frame and known is not None:
            drawn = drawn.assign(**{TOPIC: labels[at]})
        parts = [rest, neutral[~dealt], _as_set(drawn, names[at], connection)]
        return _like(frame, pd.concat(parts, ignore_index=True))

    most = "" if known is None else counted(len(wanted[0].words), "attribute")
    return deal, (tell("drawn", most, _AS_FREQUENT if like else ""),)


class _Topic(NamedTuple):
    set: str
    name: Hashable
    words: list[str]


def _topics_of_sets(owned: pd.DataFrame, known: pd.DataFrame | None) -> Iterator[_Topic]:
    """Yield every topic of every set, as the fit knows them; single words where it does not."""
    for name, words in owned.groupby(ATTRIBUTE_SET, sort=False)[ATTRIBUTE]:
        of = words if known is None else words.map(known.set_index(ATTRIBUTE)[TOPIC])
        yield from (
            _Topic(name, topic, list(part)) for topic, part in words.groupby(of, sort=False)
        )


def _nearest(frame: pd.DataFrame, words: NDArray[Any]) -> Index | None:
    """Return the order of words by how alike each is, (n, n), itself first; None if not known."""
    if (similarity := correlations(frame, list(words))) is None:
        return None
    np.fill_diagonal(similarity, np.inf)
    return np.asarray(np.argsort(-similarity, axis=1, kind="stable"), np.int64)


def _far_in_rarity(
    frame: pd.DataFrame, words: NDArray[Any], topics: Sequence[_Topic]
) -> list[Array]:
    """Return how far every word is in rarity from the mean of each topic, (n_words,) each."""
    pairs = with_rarity(frame).drop_duplicates(ATTRIBUTE).set_index(ATTRIBUTE)
    rarity = pairs[RARITY[ATTRIBUTE]]
    own = rarity.loc[list(words)].to_numpy()
    return [np.abs(own - rarity.loc[topic.words].mean()) for topic in topics]


def _draw(
    rng: Generator,
    is_free: NDArray[np.bool_],
    nearest: Index | None,
    size: int,
    apart: Array | None,
) -> Index:
    """Return a random word that is in no set yet, and the words most like it that are in none.

    `apart`: how far words are in rarity from those wanted; the random word is then a near one.
    """
    free = np.flatnonzero(is_free)
    may = free if apart is None else free[np.argsort(apart[free], kind="stable")][:_AS_FREQUENT]
    first = int(rng.choice(may))
    if nearest is None:
        return np.array([first])
    order = nearest[first]
    return order[is_free[order]][:size]


def _redealer(frame: pd.DataFrame, copies: Sequence[str]) -> Dealing:
    """Deal the stereotype attributes anew among their sets, whose sizes stay."""
    stereotypes = _stereotypes(frame)
    rest = frame[~frame.index.isin(stereotypes.index)]
    owned = stereotypes[[ATTRIBUTE, ATTRIBUTE_SET]].drop_duplicates(ATTRIBUTE)
    if owned[ATTRIBUTE_SET].nunique() < 2:
        raise FitError("attributes cannot be redealt: all are in one set; ask for kind='neutral'")
    # A pair may stand in the frame once per set of its attribute; once is enough here.
    pairs = drop_repeats(stereotypes, distance_key([*copies, *repeated_columns(frame)]))
    code = pd.Categorical(pairs[ATTRIBUTE], categories=owned[ATTRIBUTE]).codes
    names = owned[ATTRIBUTE_SET].to_numpy(dtype=object)
    connection = _connections(stereotypes)

    def deal(rng: Generator) -> pd.DataFrame:
        dealt = _as_set(pairs, rng.permutation(names)[code], connection)
        return _like(frame, pd.concat([rest, dealt], ignore_index=True))

    return deal, ()


def _like(frame: pd.DataFrame, dealt: pd.DataFrame) -> pd.DataFrame:
    """Give dealt pairs the record of the frame, which knows how alike attributes are."""
    dealt.attrs = dict(frame.attrs)
    return dealt


def _as_set(pairs: pd.DataFrame, sets: Any, connection: dict[tuple[str, str], str]) -> pd.DataFrame:
    """Return pairs as stereotypes of given sets; those of no connection are left out."""
    found = [connection.get(key) for key in zip(pairs[GROUP], sets, strict=True)]
    dealt = pairs.assign(**{ATTRIBUTE_SET: sets, CONNECTION: found})
    return dealt[dealt[CONNECTION].notna()]
