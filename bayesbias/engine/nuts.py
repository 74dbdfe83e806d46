"""Draws from the posterior by the No-U-Turn sampler, PyMC's own or nutpie.

Cost: one pass over the pairs per leapfrog step; compiling takes some 10 to 20 seconds whatever the
data.
"""

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import xarray as xr

from bayesbias.errors import ArgumentError, one_of
from bayesbias.models.design import Design
from bayesbias.models.parameters import axes, derived, labelled, samples
from bayesbias.models.pymc_models import pymc_model
from bayesbias.models.specification import ModelSpec
from bayesbias.support.compatibility import quiet_imports, sampled_groups

SAMPLERS: Final = ("auto", "pymc", "nutpie")
MOST_DRAWS: Final = 10_000_000
"""Draws of all chains; more would rather fill the memory than tell anything."""

_STATISTICS: Final = ("diverging", "energy", "tree_depth", "depth", "step_size")


@dataclass(frozen=True)
class NutsSettings:
    """How to sample; an `ArgumentError` where a setting is outside its range.

    `draws`, `tune`: kept draws and warm-up of each of `chains`. `cores`: chains sampled at a time;
    None leaves it to PyMC. Draws do not depend on it. `sampler`: auto (nutpie where it is
    installed), pymc or nutpie. `target_accept`: nearer to 1 means smaller steps. For all else that
    samplers offer there is the model (`Fit.pymc_model`), which they take.
    """

    draws: int = 2000
    tune: int = 1000
    chains: int = 4
    cores: int | None = None
    sampler: str = "auto"
    target_accept: float = 0.97

    def __post_init__(self) -> None:
        for name in ("draws", "tune", "chains", "cores"):
            value = getattr(self, name)
            if (name, value) == ("cores", None):
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ArgumentError(f"{name}={value!r}: must be a whole number, at least 1")
        if self.draws * self.chains > MOST_DRAWS:
            raise ArgumentError(
                f"draws={self.draws}, chains={self.chains}: the most are {MOST_DRAWS:,} in all"
            )
        if not isinstance(self.target_accept, int | float) or not 0 < self.target_accept < 1:
            raise ArgumentError(f"target_accept={self.target_accept!r}: must be between 0 and 1")
        one_of(self.sampler, "sampler", SAMPLERS)
        if self.sampler == "nutpie" and find_spec("nutpie") is None:
            raise ArgumentError("sampler='nutpie': nutpie is not installed; pip install nutpie")


def sample_nuts(
    design: Design, spec: ModelSpec, settings: NutsSettings, *, seed: int, progress: bool
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any]]:
    """Sample the posterior: its `parameters.axes`, the statistics, and what was chosen."""
    with quiet_imports():
        import pymc as pm

    sampler = settings.sampler
    if sampler == "auto":
        sampler = "nutpie" if find_spec("nutpie") else "pymc"
    names = "draws", "tune", "chains", "target_accept"
    options: dict[str, Any] = {name: getattr(settings, name) for name in names}
    model = pymc_model(spec, design, non_centred=True)
    with _only_errors_logged(), quiet_imports(), _ended_by_ctrl_c(), model:
        result = pm.sample(
            **options,
            cores=settings.cores,
            nuts_sampler=sampler,
            random_seed=seed,
            progressbar=progress,
            compute_convergence_checks=False,  # `diagnostics` does these, in plain words
        )
    sampled, statistics = sampled_groups(result)
    statistics = statistics[[name for name in _STATISTICS if name in statistics]]
    record = {"engine": "nuts", "sampler": sampler, **options}
    return completed(sampled, design, spec), statistics, record


def completed(sampled: xr.Dataset, design: Design, spec: ModelSpec) -> xr.Dataset:
    """Return the posterior of sampled parameters: with those that follow from them, labelled."""
    names = axes(design, spec)
    values = {name: samples(sampled, name) for name in names if name in sampled}
    values |= derived(values, design)
    chains, draws = sampled.sizes["chain"], sampled.sizes["draw"]
    return labelled(values, design, spec, draws=draws, chains=chains)


class _CtrlC(BaseException):
    """A Ctrl-C, by another name than that which samplers wait for."""


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end all chains: samplers would swallow it and return the draws that they have.

    PyMC would go on with the next chain first.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise _CtrlC

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    except _CtrlC:
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _only_errors_logged() -> Iterator[None]:
    """Keep PyMC's own account of the run out of the user's way; ours follows the fit."""
    logger = logging.getLogger("pymc")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
