"""One question under several conditions, and what differs between them."""

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayesbias.comparison import changes, output, pages
from bayesbias.comparison.conditions import SharedPairs, conditions_of, one_training, weights_of
from bayesbias.comparison.used import held_out_pairs, rests_on_used, used_words
from bayesbias.errors import ArgumentError, BayesBiasWarning, short
from bayesbias.fits.contrasts import COLUMNS
from bayesbias.fits.decision import DecisionRule
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.output import document, inputs_of, means_of
from bayesbias.models.specification import ModelSpec
from bayesbias.show import answers, page
from bayesbias.support.arguments import Array, KeyedVectors, refuse_other, seed_as_integer
from bayesbias.support.whole_files import check_folder
from bayesbias.vectors.lookup import find_words
from bayesbias.words.list_files import load_wordlist
from bayesbias.words.word_lists import WordList


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison:
    """Fits under several conditions, and of what differs between them; made by `compare`.

    Parameters
    ----------
    levels, differences : mapping of str to Fit
        Of every condition by itself, as `bayesbias.analyze` has it; of weighted sums of the pairs
        that conditions share, without those in which nothing moved.
    weights : mapping of str to array
        Of each difference, on the conditions, (n_conditions,).
    pairs : SharedPairs or None
        The shared pairs; None where conditions are word lists or models.
    rule : DecisionRule
    agreement, is_one_training : float or None, bool
        Correlation of coordinates; whether vectors are of one training, .4 or more, so that their
        distances compare as they are.
    used, tested : frozenset of str, str
        Words that a method of debiasing used; the list of words that it did not use, which are
        compared: "" is the rest of the asked list.
    in_sample : Comparison or None
        The same of the asked list with the words that were used, where other words are compared.
    """

    levels: Mapping[str, Fit]
    differences: Mapping[str, Fit]
    weights: Mapping[str, Array]
    pairs: SharedPairs | None
    rule: DecisionRule
    agreement: float | None = None
    is_one_training: bool = False
    used: frozenset[str] = frozenset()
    tested: str = ""
    in_sample: "Comparison | None" = None

    @cached_property
    def contrasts(self) -> pd.DataFrame:
        """Every answer of every condition, then of every difference, a row each.

        Columns ``condition``, ``is_difference``, those of `Fit.contrasts`, and ``mark``: *0 by
        construction*, where no attribute tells the compared groups apart; *used*, where no pair
        without a used word is left; *unchanged*, where nothing moved. Counts of a difference are of
        the shared pairs. Differences of vectors of one training are in cosine distance; of others
        ``standardised`` compares, and ``mean`` is in the mean unit of the conditions.
        """
        levels = self.levels.items()
        tables = {name: of.contrasts(rule=self.rule).assign(mark="") for name, of in levels}
        used = set[Any]()
        if self.pairs is not None:
            tables = changes.with_differences(self, self.pairs, tables)
            used = rests_on_used(self.pairs.frame, self.used)
        table = pd.concat(tables, names=["condition", None]).reset_index("condition")
        table["is_difference"] = table["condition"].isin(self.weights)
        table.loc[changes.named(table).isin(used) & (table["mark"] == ""), "mark"] = "used"
        columns = ["condition", "is_difference", *COLUMNS, "mark"]
        return table[columns].reset_index(drop=True)

    @property
    def compares_sds(self) -> bool:
        """Whether distances may spread differently under conditions, so that only sds compare."""
        return self.pairs is not None and not self.is_one_training and self.rule.rope is None

    @property
    def is_change(self) -> bool:
        """Whether there are two conditions, and the one difference is the second less the first."""
        return self.pairs is not None and [w.tolist() for w in self.weights.values()] == [[-1, 1]]

    @cached_property
    def ranks(self) -> pd.DataFrame:
        """How probable each rank of a condition is, by contrasts over all and by list.

        Columns ``level``, ``list``, ``contrast``, ``condition``; ``rank_1`` (the lowest contrast,
        closest to its own) to the last. Of the differences of every two conditions, without which
        it is an `ArgumentError`.
        """
        if not {f"{a} → {b}" for a, b in combinations(self.levels, 2)} <= set(self.weights):
            raise ArgumentError("ranks need every pair of conditions: differences='pairs'")
        return changes.ranks_of([*self.levels], self.contrasts)

    left = cached_property(changes.left_of)
    sentences = property(output.sentences_of)
    plot = output.plot
    __repr__ = output.screen

    def to_dict(self, *, command: str | None = None) -> dict[str, Any]:
        """Return everything that is said as plain data, in the form of `Fit.to_dict`."""
        first = next(iter(self.levels.values()))
        scale = first.scale[0] if self.pairs is None else self.pairs.scale
        rule = dataclasses.replace(self.rule, scale=scale)
        content = self.levels, rule, command, self.sentences, self.contrasts
        whole = document(*content, pages.checks_of(self), **self._tables())
        if self.in_sample is not None:
            levels = {f"{name}, in sample": of for name, of in self.in_sample.levels.items()}
            whole["inputs"] += inputs_of(levels)
        return whole

    def _tables(self) -> dict[str, pd.DataFrame]:
        """Return what is left of contrasts, and the contrasts of the asked list, if any."""
        tables = {}
        if self.is_change:
            names = self.left["contrast"].map(answers.ascii_name)
            tables["left"] = answers.with_columns(self.left.assign(contrast=names), "left")
        if self.in_sample is not None:
            tables["in_sample"] = answers.contrast_rows(self.in_sample.contrasts)
        return tables

    def report(self, path: str | Path, *, command: str | None = None) -> None:
        """Write the page of the comparison: one HTML file that needs nothing else."""
        page.write_page(pages.comparison_page(self, command), path)

    def write(
        self,
        folder: str | Path,
        *,
        report: bool = True,
        command: str | None = None,
        overwrite: bool = False,
    ) -> None:
        """Write a folder of results, whole or not at all, as `Fit.write` does."""
        check_folder(folder, overwrite=overwrite)  # before any long work
        frames = {"contrasts": answers.contrast_rows(self.contrasts), **self._tables()}
        frames |= {"means": means_of(self.levels, self.rule), "checks": pages.checks_of(self)}
        if self.pairs is not None:
            frames["pairs"] = self.pairs.frame
        fits = enumerate(self.levels.values(), start=1)
        files: dict[str, Any] = {f"fit-{i}.nc": of.save for i, of in fits}
        if report:
            files["report.html"] = partial(self.report, command=command)
        content = self.to_dict(command=command)
        answers.write_results(folder, content, frames, files, overwrite=overwrite)


def compare(
    conditions: Any,
    wordlist: "WordList | str | Path | Mapping[str, Any] | None" = None,
    *,
    differences: str | Mapping[str, Any] | None = None,
    baseline: str | None = None,
    models: Sequence[str | Path | ModelSpec] = (),
    model: str | Path | ModelSpec = "maximal",
    vectors: "KeyedVectors | None" = None,
    used: Any = None,
    test: "WordList | str | Path | Mapping[str, Any] | None" = None,
    rule: DecisionRule | None = None,
    seed: int | np.random.Generator | None = None,
) -> Comparison:
    """Ask one question under several conditions, and what differs between them.

    Parameters
    ----------
    conditions : mapping of name to vectors, DataFrame, tuple or Fit
        Gensim KeyedVectors (or what a method of `bayesbias.debias` returns), distances, ``(frame,
        vectors)``, or a Fit. If all names are numbers they are times. With `models`, one of these
        alone. With `vectors`, a mapping of name to word list.
    wordlist : WordList, str, Path or mapping, optional
        What `load_wordlist` takes; needed with vectors.
    differences : {"pairs", "steps", "trend"} or mapping, optional
        Every pair of conditions; each and the next; a straight line over times, with the steps; or
        from a name to weights on conditions. By default the trend of three times or more, else
        every pair.
    baseline : str, optional
        The condition that all others are compared with, in place of every pair.
    models : sequence of str, Path or ModelSpec
        Models of the same pairs, a condition each.
    model : str, Path or ModelSpec
        Of distances under every condition.
    vectors : gensim.models.KeyedVectors, optional
        The one embedding of several word lists, or the vectors of one frame with `models`.
    used : sequence of str, WordList, str, Path, DebiasRecord or mapping, optional
        Words that a method of debiasing used: as words, a word list, or the record that it wrote.
        The answer then leads with words that it did not use.
    test : WordList, str, Path or mapping, optional
        The list of such words; by default the rest of the asked list, or else the shipped list
        about the same groups that has most of them.
    rule : DecisionRule, optional
    seed : int or Generator, optional
        Of all fits. None draws one.

    Returns
    -------
    Comparison

    Raises
    ------
    ArgumentError, DistancesError
        If there are fewer than two conditions, or an argument does not fit them; if a frame cannot
        be analysed, or conditions have no pair in common.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.example_embedding()
    >>> rounded = bb.load_embedding({word: kv[word].round(1) for word in kv.index_to_key})
    >>> change = bb.compare({"before": kv, "after": rounded}, "gender", seed=1)
    >>> list(change.levels), list(change.differences)
    (['before', 'after'], ['before → after'])
    """
    rule, number = DecisionRule() if rule is None else rule, seed_as_integer(seed)
    refuse_other(rule, DecisionRule, "rule", "a bayesbias.DecisionRule")
    test = None if test is None else load_wordlist(test)  # before any long work
    prepared = conditions_of(conditions, wordlist, models, model, vectors)
    kvs = [kv for _, kv in prepared.values()]
    if used is None and isinstance(conditions, Mapping):  # a debiasing step says what it used
        records = [getattr(source, "record", None) for source in conditions.values()]
        methods = [used_words(source) for source in records if hasattr(source, "neutralised")]
        used = sorted(frozenset[str]().union(*methods)) or None
    words = frozenset[str]() if used is None else used_words(used)
    if words and not any(kv is None or any(find_words(kv, words).values()) for kv in kvs):
        raise ArgumentError(f"used={short(used)}: none of these words is in the vectors")
    if test is not None and not words:
        raise ArgumentError("test: is of words that a method did not use; say used= as well")
    shares_pairs = not models and vectors is None
    if not shares_pairs and (differences is not None or baseline is not None or words):
        raise ArgumentError(
            "differences, baseline and used are of pairs that conditions share; word lists and "
            "models have none"
        )
    weights = weights_of(differences, [*prepared], baseline) if shares_pairs else {}
    with warnings.catch_warnings(action="ignore", category=BayesBiasWarning):
        levels = {name: fitted(seed=number) for name, (fitted, _) in prepared.items()}
    if not shares_pairs:
        return Comparison(levels=levels, differences={}, weights={}, pairs=None, rule=rule)
    frames = {name: fitted.frame for name, fitted in levels.items()}
    agreement, is_one_training = one_training([*levels], kvs)
    pairs = SharedPairs.of(frames, in_sds=rule.rope is None and not is_one_training)
    comparison = Comparison(
        levels=levels,
        differences=changes.fit_changes(pairs, weights, kvs, number),
        weights=weights,
        pairs=pairs,
        rule=rule,
        agreement=agreement,
        is_one_training=is_one_training,
        used=words,
    )
    tested, unused = held_out_pairs([*frames.values()], kvs, wordlist, test, words)
    if not unused:
        return comparison
    rest = dict(zip(levels, zip(unused, kvs, strict=True), strict=True))
    of_rest = compare(rest, differences=weights, model=model, rule=rule, seed=number)
    return dataclasses.replace(of_rest, used=words, tested=tested, in_sample=comparison)
