"""The comparison of both engines counts what each has drawn, and as its page says."""

import pytest
from samples import ROOT, load_benchmark, make_frame

import bayesbias as bb


@pytest.fixture(scope="module")
def study():
    return load_benchmark("agreement")


def test_draws_of_the_collapsed_engine_are_those_of_all_chains():
    """On a grid every draw counts; of proposals, what their weights leave."""
    frame = make_frame()
    exact = bb.fit(frame, model="paper", engine="collapsed", seed=1, draws=700)
    assert float(exact.sample_stats["importance_ess"].min()) == 4 * 700
    weighted = bb.fit(frame, model="crossed", engine="collapsed", seed=1, draws=700).sample_stats
    assert 700 < float(weighted["importance_ess"].min()) < int(weighted["proposals"].min())


def test_draws_of_nuts_are_those_of_the_page(study):
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    page = " ".join(page.split())
    assert "Draws per chain: 4,000, of `crossed` 10,000." in page
    drawn = {model: study.nuts_draws(model) for model in study.MODELS}
    assert drawn.pop("crossed") == 10_000
    assert set(drawn.values()) == {4000}
