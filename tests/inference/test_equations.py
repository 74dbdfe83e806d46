"""A model's mathematics, as text and as MathML, from the same lines."""

import re
from xml.etree import ElementTree

import pytest

import bayesbias as bb
from bayesbias.inference.equations import TextPart
from bayesbias.inference.priors import Prior
from bayesbias.inference.terms import NoiseSpec, TermSpec
from bayesbias.report.method import equations_of

MAXIMAL = """\
distance[i]                   ~ Normal(mean[i], noise_sd[pair_kind])
mean[i]                       = connection_mean[c]
                              + word_effect[w]  (associated, different, reference)
                              + word_list_effect[w, l]
                              + group_list_effect[g, l]  (associated, different, human, neutral)
                              + attribute_effect[j]
                              + protected_attribute_effect[j]  (associated, different)
                              + group_attribute_effect[g, j]
word_effect[w]                ~ Normal(0, word_sd[pair_kind])
word_list_effect[w, l]        ~ Normal(0, word_list_sd[pair_kind])
group_list_effect[g, l]       ~ Normal(0, 0.5 × unit)
attribute_effect[j]           ~ Normal(0, attribute_sd[k])
protected_attribute_effect[j] ~ Normal(0, protected_attribute_sd)
group_attribute_effect[g, j]  ~ Normal(0, group_attribute_sd[pair_kind])
connection_mean[c]            ~ Normal(mean=centre, sd=10 × unit)
word_sd[pair_kind]            ~ Exponential(rate=1.5) × unit
word_list_sd[pair_kind]       ~ Exponential(rate=6) × unit
attribute_sd[k]               ~ Exponential(rate=1.5) × unit
protected_attribute_sd        ~ Exponential(rate=3) × unit
group_attribute_sd[pair_kind] ~ Exponential(rate=3) × unit
noise_sd[pair_kind]           ~ Exponential(rate=1.5) × unit
unit                          = the sd of a neutral pair's distance
centre                        = the mean of all pairs
word_mean[w, c]               = connection_mean[c]
                              + word_effect[w]  (associated, different, reference)
                              + word_list_effect[w, l]
                              + group_list_effect[g, l]  (associated, different, human, neutral)"""


def test_maximal_as_text():
    assert bb.load_model("maximal").without_similarity().equations() == MAXIMAL


def test_text_says_which_effects_are_alike():
    spec = bb.load_model("maximal")
    lines, plain = (s.equations().splitlines() for s in (spec, spec.without_similarity()))
    for term in spec.terms:
        law, without = (
            next(line for line in text if re.match(rf"{term.name}_effect\[.*~", line)).split("~")[1]
            for text in (lines, plain)
        )
        assert (law != without) is bool(term.similar)
        assert ("N[j]" in law) is (term.name == "attribute")
    known = [line for line in lines if line.startswith(("K[", "N["))]
    assert not any(line.startswith(("K[", "N[")) for line in plain)
    assert [line.split(" = ")[1].split()[0] for line in known] == ["within", "how"]
    assert "their means sampled by topic" in known[0]
    (said,) = (
        m for m in (line.meaning for line in spec.mathematics) if "of the term attribute" in m
    )
    assert said.endswith("covariance sd² K + N Nᵀ, N how near all words are to attribute j")


def test_fixed_means_and_standard_deviations_are_numbers():
    text = bb.load_model("no-pooling").equations()
    assert re.search(r"mean\[i\] +  ?= 1\n", text)
    assert "word_effect[w, c]  ~ Normal(0, 0.3)" in text
    assert text.endswith("connection_mean[c] = mean of word_mean[w, c] over w")


@pytest.mark.parametrize("name", bb.list_models())
def test_every_shipped_model_prints_its_mathematics(name):
    spec = bb.load_model(name)
    text = spec.equations()
    for parameter, prior in spec.priors.items():
        law, unit = re.escape(str(prior)), " × unit" if spec.prior_unit else ""
        if parameter == "connection_mean" and unit:
            law = "Normal\\(mean=(centre|0), sd=(10|3) × unit\\)"
        elif prior.is_positive and parameter.endswith("_sd"):
            law += unit
        assert re.search(rf"^{parameter}(\[\w+\])? +~ {law}$", text, re.MULTILINE)
    assert spec.is_gaussian == ("StudentT" not in text)
    assert text.startswith("change[i]" if spec.response == "change" else "distance[i]")


@pytest.mark.parametrize("name", bb.list_models())
def test_text_and_mathml_say_the_same(name):
    spec = bb.load_model(name)
    written, text = equations_of(spec), spec.equations().splitlines()
    assert len(written) == len(text)
    for (mathml, meaning), line in zip(written, text, strict=True):
        root = ElementTree.fromstring(mathml)
        assert meaning
        said = "".join(root.itertext())
        for law in ("Normal", "Exponential", "StudentT", "Gamma"):
            assert (law in said) == (law in line)
        texts = {line.right.text for line in spec.mathematics if isinstance(line.right, TextPart)}
        words = {"mean", *texts}
        terms = {element.text for element in root.iter("mtext")} - words
        assert terms == {t.name for t in spec.terms if re.search(rf"\b{t.name}_(sd|effect)", line)}


def test_columns_of_the_users_own_are_indices():
    prior = Prior("exponential", rate=10.0)
    spec = bb.load_model("paper").replace(
        terms=[TermSpec("context", ["context", "<b>"], prior, sd_by="context")],
        noise=NoiseSpec(prior, "run"),
    )
    text = spec.equations()
    assert "+ context_effect[context, <b>]" in text
    assert "context_sd[context] " in text
    assert "noise_sd[run]" in text
    assert text.splitlines()[-1].startswith("word_mean[w, c]")
    assert not any("<b>" in mathml for mathml, _ in equations_of(spec))
