"""Coverage of a planted truth in contexts, and false alarms where only the contexts vary.

    python benchmarks/contexts.py [--worlds 200] [--save contexts]
    python benchmarks/contexts.py --example --save contexts   # figure of docs/sources.md

In the first worlds words, attributes, pairs and contexts all have effects, and associated pairs
are nearer by a known amount. In the second nothing but the contexts varies: in each sentence one
list is a little nearer than the other, and over sentences there is no difference. Every method
sees the same worlds and is asked for an 89% interval of associated − different: the model
``contextual``; ``maximal`` on the distances averaged over contexts; and a t-interval that treats
rows as independent.
"""

import dataclasses
import zlib
from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats
from worlds import PROB, Fitters, Namespace, Records, run

import bayesbias as bb
from bayesbias.constants import CONTEXT, DISTANCE
from bayesbias.inference.design import Design
from bayesbias.inference.questions import connection_weights
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame
from bayesbias.support.result import Result

MEAN = 0.9
EFFECT = -0.03
KINDS = {"planted −.03": EFFECT, "only contexts vary": 0.0}
CONTEXT_SDS = {
    "context": 0.03,
    "context_connection": 0.015,
    "word_context": 0.02,
    "attribute_context": 0.03,
}
PAIR_SDS = {"word": 0.047, "word_list": 0.016, "group_attribute": 0.019, "pair": 0.03}
METHODS = (
    "`contextual`",
    "distances averaged over contexts, then `maximal`",
    "rows as independent, t-interval",
)


def stand_in(texts: list[str]) -> np.ndarray:
    """Return vectors as a language model might: GloVe, moved by the sentence and by the text."""
    vectors, rows = bb.example_embedding(), []
    for text in texts:
        word = next(w for t in bb.vectors.SEAT_TEMPLATES if (w := _filled(t, text)) in vectors)
        row, size = vectors[word], np.linalg.norm(vectors[word])
        for seed, share in ((text.replace(word, "{}"), 0.7), (text, 0.15)):
            move = np.random.default_rng(zlib.crc32(seed.encode())).normal(size=len(row))
            row = row + share * size * move / np.linalg.norm(move)
        rows.append(row)
    return np.array(rows)


def _filled(template: str, text: str) -> str:
    """Return the word that stands in a template, if the text is that template."""
    before, after = template.split("{}")
    fits = text.startswith(before) and text.endswith(after)
    return text[len(before) : len(text) - len(after)] if fits else ""


def pairs_in_contexts() -> pd.DataFrame:
    """Return distances of the words of the list `gender` that the shipped vectors have."""
    wordlist, vectors = bb.load_wordlist("gender"), bb.example_embedding()
    groups, sets = (
        tuple(
            dataclasses.replace(one, words=tuple(w for w in one.words if w in vectors))
            for one in getattr(wordlist, name)
        )
        for name in ("groups", "attribute_sets")
    )
    wordlist = dataclasses.replace(wordlist, groups=groups, attribute_sets=sets)
    return bb.pairs.contextual_distances(stand_in, wordlist)


def layout(words: int, attributes: int, contexts: int) -> pd.DataFrame:
    """Return a frame in which every pair stands in every context."""
    once = world_frame(words, attributes, n_groups=2, n_human=0, n_neutral=0)
    parts = [once.assign(**{CONTEXT: f"context {i + 1}"}) for i in range(contexts)]
    return pd.concat(parts, ignore_index=True)


def truth(design: Design, effect: float, *, only_contexts: bool) -> dict[str, Mapping[str, float]]:
    """Return the parameters of a world, each by the labels that its values have."""
    sds = {**CONTEXT_SDS, **dict.fromkeys(PAIR_SDS, 0.0)}
    if not only_contexts:
        sds |= PAIR_SDS
    found: dict[str, Mapping[str, float]] = {
        "connection_mean": {"associated": MEAN + effect, "different": MEAN},
        "noise_sd": Assumptions().noise_sd,
    }
    for term in design.terms:
        if term.fixed_sd is not None:
            continue  # groups differ in nothing by design
        sd = sds.get(term.name, 0.0 if only_contexts else 0.076)  # the last is attribute's
        found[f"{term.name}_sd"] = dict.fromkeys(term.sd_labels, sd)
    return found


class Methods:
    """The three intervals of one layout."""

    def __init__(self, frame: pd.DataFrame) -> None:
        keys = [c for c in frame.columns if c not in (CONTEXT, DISTANCE)]
        averaged = frame.groupby(keys, sort=False, as_index=False)[DISTANCE].mean()
        self.fitters = Fitters()
        self.design, self.once = (
            self.fitters.design(name, bb.load_model(name).in_unit(0.1, 1.0), pairs)
            for name, pairs in (("contextual", frame), ("maximal", averaged))
        )

    def intervals(self, response: np.ndarray) -> list[tuple[float, float]]:
        """Return the interval of each of `METHODS`."""
        mean = response.reshape(-1, len(self.once.response)).mean(axis=0)
        ends = []
        for name, design in (
            ("contextual", dataclasses.replace(self.design, response=response)),
            ("maximal", dataclasses.replace(self.once, response=mean)),
        ):
            weights = connection_weights(design).combined(np.array([[1.0, -1.0]]))
            ends.append(self.fitters[name].answers(design, weights).answers[0].interval(PROB))
        of_rows = [response[self.design.connection == c] for c in (0, 1)]
        t = stats.ttest_ind(*of_rows, equal_var=False).confidence_interval(PROB)
        return [*ends, (t.low, t.high)]


def records(given: Namespace) -> Records:
    """Yield for every world and method whether the interval misses the truth."""
    methods = Methods(layout(given.words, given.attributes, given.contexts))
    for kind, effect in KINDS.items():
        parameters = truth(methods.design, effect, only_contexts=not effect)
        for rng in np.random.default_rng(given.seed).spawn(given.worlds):
            response = draw_responses(methods.design, parameters, rng)
            for name, (low, high) in zip(METHODS, methods.intervals(response), strict=True):
                yield {"data": kind, "method": name, "misses": not low <= effect <= high}


def example(seed: int) -> Result:
    """Return associated − different and other contrasts in every context."""
    return bb.fit(pairs_in_contexts(), "contextual", seed=seed).summary(by="context")


if __name__ == "__main__":
    run(records, __doc__, worlds=200, seed=1, example=example, words=8, attributes=16, contexts=6)
