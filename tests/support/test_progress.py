"""Bars are shown where they can be seen, and nothing is printed elsewhere."""

import warnings

import pytest
import rich.console

from bayesbias.support import machine


@pytest.mark.parametrize("installed", [True, False])
def test_a_notebook_without_ipywidgets_has_no_bar_and_no_warnings(monkeypatch, installed):
    monkeypatch.setattr(rich.console, "_is_jupyter", lambda: True)
    monkeypatch.setattr(machine, "find_spec", lambda name: object() if installed else None)
    assert machine.shows_progress() is installed
    if installed:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for asked in (None, True, False):
            assert list(machine.tracked(range(60), "counting", asked)) == list(range(60))
