"""What a worker does: open an embedding once, and fit one task after the other.

A task is an embedding × step × word list × model. A worker keeps the vectors and the frames that
it used last, since reading vectors costs more than most fits. What a task raises becomes its
reason, so that one bad input fails alone.
"""

import traceback
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE_SET, CONNECTION, REFERENCE
from bayesbias.debias import METHODS, find_method
from bayesbias.errors import BayesBiasError, BayesBiasWarning, DistancesError
from bayesbias.fits.between_groups import BETWEEN, LIST
from bayesbias.fits.contrasts import can_compare, compared_pairs
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.fits.sentences import Names
from bayesbias.inference.decision import DecisionRule
from bayesbias.measures import all_measures
from bayesbias.pairs.case import case_sentence
from bayesbias.pairs.distance_frame import distances
from bayesbias.pairs.files import read_distances
from bayesbias.pairs.provenance import missing_of
from bayesbias.pairs.word_lists import WordList
from bayesbias.studies.pooling import influences, influences_on_list, packed_influences
from bayesbias.studies.sweep_file import EMBEDDING_KEYS, Sweep, Task, content_of
from bayesbias.support.readers import in_key_terms
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.phrases import with_sample

_MOST_OPEN: Final = 2

COLUMNS: Final = (
    *("table", "what", "n_pairs", "mean", "sd", "low", "high", "interval", "prob"),
    *("p_below_zero", "inside_rope", "rope", "chance", "chance_reason", "verdict", "scale"),
    *("words", "influence", "p_value"),
)
"""Of the rows that a sweep keeps of a fit."""

_Made = tuple[Any, list[warnings.WarningMessage]]

_open: OrderedDict[tuple[Any, ...], _Made] = OrderedDict()
"""Vectors that this process has open, the least recently used first, by what their files hold."""

_frames: OrderedDict[tuple[Any, ...], _Made] = OrderedDict()
"""Frames of distances that this process has made last, likewise."""


def do_task(sweep: Sweep, task: Task) -> dict[str, Any]:
    """Fit a task; return its ``rows``, plain dicts, or the ``reason`` why there are none."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", BayesBiasWarning)
            rows = _rows(sweep, task)
    except BayesBiasError as error:
        return {"reason": " ".join(in_key_terms(error.typed, EMBEDDING_KEYS).split())}
    except Exception:  # one task's defect must not stop the others; it is recorded whole
        return {"reason": traceback.format_exc()}
    said = (one.message.typed for one in caught if isinstance(one.message, BayesBiasWarning))
    notes = "; ".join(dict.fromkeys(in_key_terms(text, EMBEDDING_KEYS) for text in said))
    return {
        "rows": [row | {"notes": ". ".join(filter(None, (notes, row["notes"])))} for row in rows]
    }


def _rows(sweep: Sweep, task: Task) -> list[dict[str, Any]]:
    frame, measured = _frame(sweep, task)
    # Falling back to NUTS would take minutes: a doubtful fit is kept with its note instead.
    result = fit(frame, model=sweep.models[task.model], seed=task.seed, engine="collapsed")
    table = _stacked([_means_and_contrasts(result, sweep.rule), measured])
    record = {
        "log_marginal_likelihood": result.log_marginal_likelihood,
        "n_missing": sum(word["role"] != REFERENCE for word in missing_of(result.frame) or ()),
        "trusted": not result.diagnostics.problems,
        "pareto_k": float(result.sample_stats["pareto_k"].max()),
        "seed": task.seed,
        "fit": result.id,
        "pairs_sha256": result.record["pairs_sha256"],
        "notes": case_sentence(result.frame),
    }
    return [{**task.names, **row, **record} for row in table.to_dict("records")]


def _means_and_contrasts(result: Fit, rule: DecisionRule) -> pd.DataFrame:
    """Return the rows that a sweep keeps of a fit; ``table`` and ``what`` say what each is."""
    means = result.summary(rule=rule).table
    tables = [means.rename(columns={CONNECTION: "what"}).assign(table="mean")]
    if LIST in result.contrast_levels:
        tables.append(_by_list(result, rule))
    if can_compare(result.design):
        found = result.contrasts(rule=rule)
        contrasts = found.table.rename(columns={"contrast": "what"})
        of_words = [
            packed_influences(influences(result.frame, p)) for p in compared_pairs(result.design)
        ]
        contrasts = contrasts.assign(**pd.DataFrame(of_words))
        tables.append(contrasts.assign(table="contrast", scale=found.rule.scale))
    return _stacked(tables)


def _stacked(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return tables under each other, with the columns that a sweep keeps.

    Columns in which a table has nothing do not decide what kind the others hold (pandas before 3).
    """
    known = [table.dropna(axis="columns", how="all") for table in tables]
    return pd.concat(known, ignore_index=True).reindex(columns=COLUMNS)


def _by_list(result: Fit, rule: DecisionRule) -> pd.DataFrame:
    """Return a row for every list on which groups are compared."""
    found, names = result.contrasts(LIST, rule=rule), Names.of_frame(result.frame)
    table = found.table[found.table["contrast"] == BETWEEN].reset_index(drop=True)
    what = [f"{r.attribute_set}: {r.group} − {r.other_groups}" for r in table.itertuples()]
    of_words = [
        packed_influences(influences_on_list(result.frame, name, *names.sides(name)))
        for name in table[ATTRIBUTE_SET]
    ]
    table = table.assign(what=what, table="list", scale=found.rule.scale)
    return table.assign(**pd.DataFrame(of_words))


def _frame(sweep: Sweep, task: Task) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a task's distances and measures, which the next may share with another model."""
    key = (repr(task.source), task.content, repr(task.step), sweep.words_id(task), sweep.measures)
    found: tuple[pd.DataFrame, pd.DataFrame] = _once(_frames, key, lambda: _new_frame(sweep, task))
    return found


def _new_frame(sweep: Sweep, task: Task) -> tuple[pd.DataFrame, pd.DataFrame]:
    source = task.source
    if source.kind == "distances":
        frame = read_distances(source.path)
        _refuse_changed(task)
        return frame, _measured(sweep, frame, None)
    wordlist = sweep.wordlists[task.wordlist]
    vectors = _vectors(sweep, task)
    for part in task.step.parts:
        vectors = find_method(part.method)(vectors, wordlist=wordlist, **part.options).vectors
    frame = distances(vectors, wordlist, fallbacks=source.fallbacks)
    return frame, _measured(sweep, vectors, wordlist)


def _measured(
    sweep: Sweep, source: "KeyedVectors | pd.DataFrame", wordlist: WordList | None
) -> pd.DataFrame:
    """Return a row for each measure that the sweep asks for; without a value, with the reason."""
    if not sweep.measures:
        return pd.DataFrame(columns=COLUMNS)
    found = all_measures(source, wordlist, names=sweep.measures, seed=sweep.seed).table
    renamed = found.rename(columns={"value": "mean", "skipped": "verdict"})
    what = found["measure"] + (": " + found["applies_to"]).where(found["applies_to"] != "", "")
    return renamed.assign(table="measure", what=what).reindex(columns=COLUMNS)


def _vectors(sweep: Sweep, task: Task) -> KeyedVectors:
    """Return a source's vectors, opened once: those of the words that are named, or all."""
    source = task.source
    whole = any(METHODS[part.method].whole_vocabulary for part in task.step.parts)
    words = None if whole else sweep.words()
    key = (repr(source), task.content, None if words is None else tuple(words))

    def load() -> KeyedVectors:
        vectors = source.vectors(words)
        _refuse_changed(task)
        return vectors if whole else with_sample(vectors)  # steps treat those words too

    return _once(_open, key, load)


def _refuse_changed(task: Task) -> None:
    """Refuse what was read if it is not what the task's id speaks of."""
    if content_of(task.source.path) != task.content:
        raise DistancesError(
            f"{task.source.path}: was changed while the sweep ran; run the sweep again"
        )


def _once(
    kept: OrderedDict[tuple[Any, ...], _Made], key: tuple[Any, ...], make: Callable[[], Any]
) -> Any:
    """Return what is kept, or make it; a task's notes must not tell which task came first."""
    if key not in kept:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", BayesBiasWarning)
            kept[key] = make(), caught
        if len(kept) > _MOST_OPEN:
            kept.popitem(last=False)
    kept.move_to_end(key)
    made, caught = kept[key]
    for one in caught:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return made
