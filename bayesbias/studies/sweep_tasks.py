"""What a worker does: open an embedding once, and fit one task after the other."""

import time
import traceback
import warnings
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.constants import CONNECTION
from bayesbias.debias import find_method
from bayesbias.errors import BayesBiasError, BayesBiasWarning
from bayesbias.fits.contrasts import can_compare, group_contrasts
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.pairs.distance_frame import distances
from bayesbias.pairs.files import read_distances
from bayesbias.pairs.provenance import missing_of
from bayesbias.studies.sweep_file import Source, Sweep, Task
from bayesbias.vectors.loading import load_embedding

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

_MOST_OPEN: Final = 2
_WHOLE: Final = ("soft",)
"""Methods that depend on the whole vocabulary; the others on the list's words alone."""

_open: "OrderedDict[tuple[Any, ...], KeyedVectors]" = OrderedDict()
"""Vectors that this process has open, the least recently used first."""


_frames: "OrderedDict[tuple[str, str, str], pd.DataFrame]" = OrderedDict()
"""Frames of distances that this process has made last."""


def do_task(sweep: Sweep, task: Task) -> dict[str, Any]:
    """Fit a task.

    Returns
    -------
    dict
        ``rows``, a list of plain dicts; or ``reason``, why there are none.
    """
    started = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", BayesBiasWarning)
            rows = _rows(sweep, task)
    except BayesBiasError as error:
        return {"reason": " ".join(str(error).split())}
    except Exception:  # one task's defect must not stop the others; it is recorded whole
        return {"reason": traceback.format_exc()}
    notes = "; ".join(dict.fromkeys(
        str(w.message) for w in caught if issubclass(w.category, BayesBiasWarning)
    ))  # fmt: skip
    seconds = time.perf_counter() - started
    return {"rows": [{**row, "notes": notes, "seconds": seconds} for row in rows]}


def _rows(sweep: Sweep, task: Task) -> list[dict[str, Any]]:
    frame = _frame(sweep, task)
    # Falling back to NUTS would take minutes: a fit to be doubted is kept with its note instead.
    result = fit(frame, model=sweep.models[task.model], seed=task.seed, engine="collapsed")
    groups = result.group_summary(prob=sweep.prob, interval=sweep.interval)
    tables = [groups.rename(columns={CONNECTION: "what"}).assign(table="group")]
    if can_compare(result.design):
        contrasts = group_contrasts(
            result.posterior, result.design, rope=sweep.rope, prob=sweep.prob,
            interval=sweep.interval,
        )  # fmt: skip
        tables.append(contrasts.rename(columns={"contrast": "what"}).assign(table="contrast"))
    columns = ["table", "what", "n_pairs", "mean", "sd", "low", "high", "interval", "prob",
               "p_below_zero", "inside_rope", "rope", "verdict"]  # fmt: skip
    table = pd.concat(tables, ignore_index=True).reindex(columns=columns)
    return [{**task.names, **row, **_record(task, result)} for row in table.to_dict("records")]


def _record(task: Task, result: Fit) -> dict[str, Any]:
    return {
        "log_marginal_likelihood": result.log_marginal_likelihood,
        "n_missing": len(missing_of(result.frame) or ()),
        "trusted": not result.diagnostics.problems,
        "seed": task.seed,
        "fit": result.id,
        "pairs_sha256": result.record["pairs_sha256"],
    }


def _frame(sweep: Sweep, task: Task) -> pd.DataFrame:
    """Return a task's distances, which the next task may share with another model."""
    words = sweep.wordlists[task.wordlist].checksum() if task.wordlist else ""
    key = (repr(task.source), repr(task.step), words)
    if key not in _frames:
        _frames[key] = _new_frame(sweep, task)
        if len(_frames) > _MOST_OPEN:
            _frames.popitem(last=False)
    return _frames[key]


def _new_frame(sweep: Sweep, task: Task) -> pd.DataFrame:
    source = task.source
    if source.kind == "distances":
        return read_distances(source.path)
    wordlist = sweep.wordlists[task.wordlist]
    vectors = _vectors(sweep, source, whole=task.step.method in _WHOLE)
    if task.step.method:
        method = find_method(task.step.method)
        vectors = method(vectors, wordlist=wordlist, **task.step.options).vectors
    return distances(vectors, wordlist, fallbacks=source.fallbacks)


def _vectors(sweep: Sweep, source: Source, *, whole: bool) -> "KeyedVectors":
    """Return a source's vectors, opened once: those of all lists' words, or all."""
    key = (source, whole, None if whole else tuple(sweep.words(source)))
    if key not in _open:
        _open[key] = load_embedding(
            source.path,
            words=None if whole else sweep.words(source),
            limit=source.limit,
            trusted=source.trusted,
            progress=False,
        )
        if len(_open) > _MOST_OPEN:
            _open.popitem(last=False)
    _open.move_to_end(key)
    return _open[key]
