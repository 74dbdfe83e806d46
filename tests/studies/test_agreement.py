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
    said = "the runs of `crossed` above have 10,000, those of `maximal` 8,000, on WEAT 7 4,000, and"
    assert f"{said} all others 4,000" in page
    for name in study.FILES:
        drawn = {model: study.nuts_draws(model, name) for model in study.MODELS}
        assert drawn.pop("crossed") == 10_000
        assert drawn.pop("maximal") == (4000 if name == study.WEAT_7 else 8000)
        assert set(drawn.values()) == {4000}
