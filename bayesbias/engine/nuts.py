"""Draws from the posterior by the No-U-Turn sampler, PyMC's own or nutpie.

Cost: one pass over the pairs per leapfrog step; compiling takes some 10 to 20 seconds whatever the
data.
"""

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any, Final

import xarray as xr

from bayesbias.errors import ArgumentError
from bayesbias.models.design import Design
from bayesbias.models.parameters import axes, derived, labelled, samples
from bayesbias.models.specification import ModelSpec
from bayesbias.support.arguments import whole_number
from bayesbias.support.compatibility import quiet_imports, sampled_groups
from bayesbias.support.machine import on_signal

MOST_DRAWS: Final = 10_000_000
"""Draws of all chains; more would rather fill the memory than tell anything."""

_STATISTICS: Final = ("diverging", "energy", "tree_depth", "depth", "step_size")


@dataclass(frozen=True)
class NutsSettings:
    """How to sample; an `ArgumentError` where a setting is outside its range.

    `draws`, `tune`: kept draws and warm-up of each of `chains`. `target_accept`: nearer to 1 means
    smaller steps. For all else that samplers offer there is the model (`Fit.pymc_model`).
    """

    draws: int = 2000
    tune: int = 1000
    chains: int = 4
    target_accept: float = 0.97

    def __post_init__(self) -> None:
        for name in ("draws", "tune", "chains"):
            whole_number(getattr(self, name), name, name, least=1)
        if self.draws * self.chains > MOST_DRAWS:
            raise ArgumentError(
                f"draws={self.draws}, chains={self.chains}: the most are {MOST_DRAWS:,} in all"
            )
        if not isinstance(self.target_accept, int | float) or not 0 < self.target_accept < 1:
            raise ArgumentError(f"target_accept={self.target_accept!r}: must be between 0 and 1")


def sample_nuts(
    design: Design, spec: ModelSpec, settings: NutsSettings, *, seed: int, progress: bool
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any]]:
    """Sample the posterior: its `parameters.axes`, the statistics, and what was chosen."""
    with quiet_imports():
        import pymc as pm

        from bayesbias.models.pymc_models import pymc_model

    sampler = "nutpie" if find_spec("nutpie") else "pymc"
    options: dict[str, Any] = asdict(settings)
    model = pymc_model(spec, design, non_centred=True)
    with _only_errors_logged(), quiet_imports(), _ended_by_ctrl_c(), model:
        result = pm.sample(
            **options,
            nuts_sampler=sampler,
            random_seed=seed,
            progressbar=progress,
            compute_convergence_checks=False,  # `diagnostics` does these, in plain words
        )
    sampled, statistics = sampled_groups(result)
    statistics = statistics[[name for name in _STATISTICS if name in statistics]]
    record = {"engine": "nuts", "sampler": sampler, **options}
    return completed(sampled, design), statistics, record


def completed(sampled: xr.Dataset, design: Design) -> xr.Dataset:
    """Return the posterior of sampled parameters: with those that follow from them, labelled."""
    names = axes(design)
    values = {name: samples(sampled, name) for name in names if name in sampled}
    values |= derived(values, design)
    chains, draws = sampled.sizes["chain"], sampled.sizes["draw"]
    return labelled(values, design, draws=draws, chains=chains)


class _CtrlC(BaseException):
    """A Ctrl-C, by another name than that which samplers wait for."""


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end all chains: samplers would swallow it and return the draws that they have.

    PyMC would go on with the next chain first.
    """

    def stop(number: int, frame: Any) -> None:
        raise _CtrlC

    try:
        with on_signal(signal.SIGINT, stop):
            yield
    except _CtrlC:
        raise KeyboardInterrupt from None


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
