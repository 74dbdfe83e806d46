"""Coverage of a planted truth in contexts, and false alarms where only the contexts vary.

    python benchmarks/contexts.py --worlds 200
    python benchmarks/contexts.py --example contexts.png   # table and figure of docs/sources.md

In the first worlds words, attributes, pairs and contexts all have effects, and associated pairs
are nearer by a known amount. In the second nothing but the contexts varies: in each sentence one
list is a little nearer than the other, and over sentences there is no difference. Every method
sees the same worlds and is asked for an 89% interval of associated − different: the model
``contextual``; ``maximal`` on the distances averaged over contexts; and a t-interval that treats
rows as independent.
"""

import dataclasses
import time
import zlib
from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats
from worlds import Fitters, options

import bayesbias as bb
from bayesbias.constants import CONTEXT, DISTANCE, HDPI_PROB
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import binomial_interval
from bayesbias.inference.questions import connection_weights
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame

MEAN = 0.9
EFFECT = -0.03
CONTEXT_SDS = {
    "context": 0.03,
    "context_connection": 0.015,
    "word_context": 0.02,
    "attribute_context": 0.03,
}
PAIR_SDS = {"word": 0.047, "word_list": 0.016, "group_attribute": 0.019, "pair": 0.03}
METHODS = ("contextual", "averaged first", "rows independent")


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


def example() -> pd.DataFrame:
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

    def intervals(self, response: np.ndarray) -> tuple[list[tuple[float, float]], float]:
        """Return the interval of each of `METHODS`, and the model's Pareto k."""
        mean = response.reshape(-1, len(self.once.response)).mean(axis=0)
        fits = []
        for name, design in (
            ("contextual", dataclasses.replace(self.design, response=response)),
            ("maximal", dataclasses.replace(self.once, response=mean)),
        ):
            weights = connection_weights(design).combined(np.array([[1.0, -1.0]]))
            fits.append(self.fitters[name].answers(design, weights))
        of_rows = [response[self.design.connection == c] for c in (0, 1)]
        t = stats.ttest_ind(*of_rows, equal_var=False).confidence_interval(HDPI_PROB)
        ends = [fit.answers[0].interval(HDPI_PROB) for fit in fits]
        return [*ends, (float(t.low), float(t.high))], fits[0].pareto_k


def misses(
    methods: Methods, worlds: int, effect: float, *, only_contexts: bool, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return, per world and method, whether the interval misses the truth; and Pareto k."""
    parameters = truth(methods.design, effect, only_contexts=only_contexts)
    missed, k = np.zeros((worlds, len(METHODS)), dtype=bool), np.zeros(worlds)
    for world, rng in enumerate(np.random.default_rng(seed).spawn(worlds)):
        response = draw_responses(methods.design, parameters, rng)
        intervals, k[world] = methods.intervals(response)
        missed[world] = [not low <= effect <= high for low, high in intervals]
    return missed, k


def main() -> None:
    """Print the shares."""
    parser = options(__doc__.splitlines()[0], worlds=200, seed=1)
    for name, default in (("words", 8), ("attributes", 16), ("contexts", 6)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--example", metavar="FILE", help="make the page's example instead")
    given = parser.parse_args()
    if given.example:
        found = bb.fit(example(), "contextual", seed=given.seed).summary(by="context")
        print(found)
        found.plot().savefig(given.example, dpi=110)
        return
    methods = Methods(layout(given.words, given.attributes, given.contexts))
    for title, effect, only in (
        (f"planted {EFFECT:+g}: interval misses it", EFFECT, False),
        ("only contexts vary: false alarms", 0.0, True),
    ):
        start = time.perf_counter()
        missed, k = misses(methods, given.worlds, effect, only_contexts=only, seed=given.seed)
        print(f"{title} (nominal {1 - HDPI_PROB:.0%}), {given.worlds} worlds")
        for name, count in zip(METHODS, missed.sum(axis=0), strict=True):
            low, high = binomial_interval(int(count), given.worlds)
            print(f"  {name:18} {count / given.worlds:6.1%}  ({low:.1%} to {high:.1%})")
        bad = (k > 0.7).sum()
        print(f"  Pareto k above 0.7 in {bad}; {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
