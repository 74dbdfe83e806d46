"""A shipped list in German, without control lists, from the words to the verdict."""

import pytest

import bayesbias as bb
from bayesbias.simulate import planted_embedding

PUBLISHED = """
math Mathematik, algebra Algebra, geometry Geometrie, calculus Infinitesimalrechnung,
equations Gleichungen, computation Berechnung, numbers Zahlen, addition Zusatz,
poetry Poesie, art Kunst, dance tanzen, literature Literatur, novel Roman,
symphony Symphonie, drama Theater, sculpture Skulptur, male männlich, man Mann, boy Junge,
brother Bruder, he er, him ihm, his seine, son Sohn, female weiblich, woman Frau,
girl Mädchen, sister Schwester, she sie, her ihr, hers ihres, daughter Tochter
"""
"""The English words of WEAT 7 and the German ones."""


@pytest.fixture(scope="module")
def german():
    return bb.load_wordlist("weat7-de")


@pytest.fixture(scope="module")
def planted(german):
    return planted_embedding(german, similarity=0.3, seed=1)


def test_the_words_are_those_published(german):
    """Word by word the German of WEAT 7 in Lauscher and Glavaš's vocabulary."""
    published = dict(pair.split() for pair in PUBLISHED.split(","))
    english = bb.load_wordlist("weat7")
    stereotypes = [w for s in english.attribute_sets[:2] for w in s.words]
    words = (*german.protected_words, *german.attributes)
    assert words == tuple(published[w] for w in (*english.protected_words, *stereotypes))


def test_a_planted_association_is_found_without_controls(german, planted):
    frame = bb.distances(planted.vectors, german)
    counts = frame["connection"].value_counts().to_dict()
    assert counts == {"associated": 128, "different": 128, "reference": 128}
    for model in ("paper", "crossed"):
        fit = bb.fit(frame, model=model, seed=1)
        table = fit.summary().table.set_index("connection")
        for connection in ("associated", "different"):
            truth = planted.expected_distance[connection]
            assert table.loc[connection, "low"] < truth < table.loc[connection, "high"]
        contrasts = fit.contrasts().to_frame()
        assert set(contrasts["contrast"]) == {"associated − different"}
        (whole,) = contrasts.itertuples()
        assert whole.verdict == "closer"
        assert whole.low < -0.3 < whole.high
