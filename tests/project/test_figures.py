"""Every figure can be drawn where its user wants it."""

import inspect
import pkgutil
from importlib import import_module
from typing import get_args

import pytest

import bayesbias
from bayesbias.support.figure_style import Place
from bayesbias.support.result import Result

PUBLIC = {*dir(bayesbias), *dir(bayesbias.pairs), *dir(bayesbias.results)}


def public_plots():
    """Yield the public functions that draw, and the methods of results and fits."""
    for found in pkgutil.walk_packages(bayesbias.__path__, "bayesbias."):
        module = import_module(found.name)
        for name, thing in vars(module).items():
            if getattr(thing, "__module__", "") != found.name:
                continue
            is_public = name in PUBLIC or found.name.endswith("null_figures")
            if inspect.isfunction(thing) and name.startswith("plot_") and is_public:
                yield thing
            if inspect.isclass(thing) and (issubclass(thing, Result) or name in PUBLIC):
                yield from (m for n, m in vars(thing).items() if n.startswith("plot"))


PLOTS = {plot.__qualname__: plot for plot in public_plots()}


def test_the_plots_are_found():
    assert {"plot_distances", "Fit.plot_contrasts", "Placebo.plot", "Gaps.plot"} <= set(PLOTS)


@pytest.mark.parametrize("name", sorted(PLOTS))
def test_a_plot_takes_axes_a_size_and_colours(name):
    *_, last = inspect.signature(PLOTS[name]).parameters.values()
    assert last.kind is inspect.Parameter.VAR_KEYWORD
    (taken,) = get_args(last.annotation)
    assert issubclass(taken, dict)
    assert set(Place.__annotations__) <= set(taken.__annotations__)
