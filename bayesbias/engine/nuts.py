"""Draws from the posterior by the No-U-Turn sampler, PyMC's own or nutpie.

Cost: one pass over the pairs per leapfrog step; compiling takes some 10 to 20 seconds whatever the
data.
"""

import logging
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from inspect import signature
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xarray as xr

from bayesbias.errors import ArgumentError, SamplingInterrupted, one_of, suggest
from bayesbias.models.design import Design
from bayesbias.models.parameters import coordinates, derived, dimensions, samples
from bayesbias.models.pymc_models import pymc_model
from bayesbias.models.specification import ModelSpec
from bayesbias.support.compatibility import has_inferencedata, quiet_imports, sampled_groups

if TYPE_CHECKING:
    import pymc

SAMPLERS: Final = ("auto", "pymc", "nutpie")
MOST_DRAWS: Final = 10_000_000
"""Draws of all chains; more would rather fill the memory than tell anything."""

_OWN_OPTIONS: Final = (
    "nuts_sampler",
    "random_seed",
    "progressbar",
    "callback",
    "model",
    "return_inferencedata",
    "compute_convergence_checks",
)
_STATISTICS: Final = ("diverging", "energy", "tree_depth", "depth", "step_size")


@dataclass(frozen=True)
class NutsSettings:
    """How to sample; an `ArgumentError` where a setting is outside its range.

    `draws`, `tune`: kept draws and warm-up of each of `chains`. `cores`: chains sampled at a time;
    None leaves it to PyMC. Draws do not depend on it. `sampler`: auto (nutpie where it is
    installed), pymc or nutpie. `target_accept`: nearer to 1 means smaller steps. `options`: passed
    on to ``pymc.sample``, such as ``init`` or ``max_treedepth``.
    """

    draws: int = 2000
    tune: int = 1000
    chains: int = 4
    cores: int | None = None
    sampler: str = "auto"
    target_accept: float = 0.97
    options: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name in ("draws", "tune", "chains", "cores"):
            value = getattr(self, name)
            if name == "cores" and value is None:
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
        for name in self.options or {}:
            if name in _OWN_OPTIONS:
                raise ArgumentError(f"{name}: has its own argument, or is set by the fit")
        if self.sampler == "nutpie" and find_spec("nutpie") is None:
            raise ArgumentError("sampler='nutpie': nutpie is not installed; pip install nutpie")

    @property
    def chosen_sampler(self) -> str:
        """The sampler that "auto" stands for on this machine."""
        if self.sampler != "auto":
            return self.sampler
        return "nutpie" if find_spec("nutpie") else "pymc"


def sample_nuts(
    design: Design, spec: ModelSpec, settings: NutsSettings, *, seed: int, progress: bool
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any]]:
    """Sample the posterior: its `parameters.dimensions`, the statistics, and what was chosen."""
    model = pymc_model(spec, design, non_centred=True)
    sampled, statistics = sample_model(model, settings, seed=seed, progress=progress)
    posterior = completed(sampled, design, spec, seed)
    statistics = statistics[[name for name in _STATISTICS if name in statistics]]
    record = {
        "engine": "nuts",
        "sampler": settings.chosen_sampler,
        "draws": settings.draws,
        "tune": settings.tune,
        "chains": settings.chains,
        "target_accept": settings.target_accept,
    }
    lengths = chain_lengths(posterior)
    if was_interrupted(lengths, settings):
        raise SamplingInterrupted(_partial(posterior, statistics, record, lengths, settings))
    return posterior, statistics, record


def completed(sampled: xr.Dataset, design: Design, spec: ModelSpec, seed: int) -> xr.Dataset:
    """Return the posterior of sampled parameters: with those that follow from them, labelled."""
    dims = dimensions(design, spec)
    values = {name: samples(sampled, name) for name in dims if name in sampled}
    chains, draws = sampled.sizes["chain"], sampled.sizes["draw"]
    added = {
        name: (("chain", "draw", *dims[name]), array.reshape(chains, draws, *array.shape[1:]))
        for name, array in derived(values, design, np.random.default_rng([seed, 2])).items()
    }
    return sampled.assign(added)[list(dims)].assign_coords(coordinates(design))


def sample_model(
    model: "pymc.Model", settings: NutsSettings, *, seed: int, progress: bool
) -> tuple[xr.Dataset, xr.Dataset]:
    """Sample a PyMC model; return its posterior and the sampler's statistics.

    Both samplers swallow Ctrl-C and return the draws that they have: see `was_interrupted`.
    """
    with quiet_imports():
        import pymc as pm

    options = _passed_on(settings.options or {})
    with _only_errors_logged(), quiet_imports(), _interrupts_noted() as stop, model:
        result = pm.sample(
            draws=settings.draws,
            tune=settings.tune,
            chains=settings.chains,
            cores=settings.cores,
            target_accept=settings.target_accept,
            nuts_sampler=settings.chosen_sampler,
            random_seed=seed,
            progressbar=progress,
            callback=stop if settings.chosen_sampler == "pymc" else None,
            compute_convergence_checks=False,  # `diagnostics` does these, in plain words
            **options,
        )
    return sampled_groups(result)


def _passed_on(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as this PyMC takes them: 6 wants those of NUTS itself apart.

    PyMC passes over what it does not know, so that a slip of the pen would do nothing.
    """
    with quiet_imports():
        import pymc as pm

    arguments = set(signature(pm.sample).parameters) - {"kwargs"}
    inits = [vars(c)["__init__"] for c in pm.NUTS.__mro__ if "__init__" in vars(c)]
    of_step = {name for init in inits for name in signature(init).parameters}
    of_step -= {"self", "vars", "args", "kwargs"}
    for name in options:
        if name not in {*arguments, *of_step, "nuts"}:
            raise ArgumentError(f"{name}=: no option of pymc.sample{suggest(name, arguments)}")
    if has_inferencedata():
        return dict(options)
    of_nuts = {name: value for name, value in options.items() if name not in {*arguments, "nuts"}}
    of_nuts |= options.get("nuts", {})
    rest = {name: value for name, value in options.items() if name in arguments}
    return {**rest, "nuts": of_nuts} if of_nuts else rest


@contextmanager
def _interrupts_noted() -> Iterator[Callable[..., None]]:
    """Give a callback that stops the chains which follow an interrupted one.

    PyMC samples chains in turn on one core, and Ctrl-C ends the one at hand alone.
    """
    noted = False
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: Any) -> None:
        nonlocal noted
        noted = True
        if callable(before):
            before(number, frame)

    def stop(trace: object, draw: object) -> None:
        if noted:
            raise KeyboardInterrupt

    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield stop
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def was_interrupted(lengths: list[int], settings: NutsSettings) -> bool:
    """Tell whether chains of these lengths are fewer or shorter than was asked for."""
    return len(lengths) < settings.chains or min(lengths) < settings.draws


def chain_lengths(posterior: xr.Dataset) -> list[int]:
    """Return how many draws each chain has made; nutpie fills up with NaN."""
    first = posterior[next(iter(posterior.data_vars))]
    finite = np.isfinite(first.transpose("chain", "draw", ...).to_numpy())
    made = finite.all(axis=tuple(range(2, finite.ndim)))
    return [int(np.cumprod(chain).sum()) for chain in made]


def _partial(
    posterior: xr.Dataset,
    statistics: xr.Dataset,
    record: dict[str, Any],
    lengths: list[int],
    settings: NutsSettings,
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any]] | None:
    """Return the largest block of draws that has no gaps; None where there is none."""
    order = np.argsort(lengths)[::-1]
    # The k longest chains, cut to the shortest of them, for every k.
    sizes = [(k + 1) * lengths[chain] for k, chain in enumerate(order)]
    if not sizes or max(sizes) == 0:
        return None
    chosen = np.sort(order[: int(np.argmax(sizes)) + 1])
    n = min(lengths[chain] for chain in chosen)
    what = {
        "draws": n,
        "chains": len(chosen),
        "interrupted": f"after {n:,} of {settings.draws:,} draws in {len(chosen)} of "
        f"{settings.chains} chains",
    }
    block = {"chain": chosen, "draw": slice(n)}
    return posterior.isel(block), statistics.isel(block), {**record, **what}


@contextmanager
def _only_errors_logged() -> Iterator[None]:
    """Keep PyMC's own account of the run out of the user's way; ours follows the fit."""
    loggers = [logging.getLogger(name) for name in ("pymc", "pymc.sampling", "pymc.stats")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
