"""How often intervals hold the truth and decide, for lists drawn from known populations of words.

    BAYESBIAS_DATA=../shared/data python benchmarks/populations.py [--vectors FILE ...]
        [--populations occupations ...] [--lists 30] [--models maximal ...] [--seed 1] [--jobs 1]
        [--cells] [--out answers.csv] [--save NAME]

A population is two groups of protected words and two lists of attributes, all that the reference
data and the shipped lists name: words for men and women with occupations of either stereotype or
with adjectives, flowers and insects with pleasant and unpleasant words, instruments and weapons
with the same, first names with occupations. Its contrasts in the whole are the truth. A list has
seven protected words a group and eight attributes a list, one by one, or in two topics of four: a
random word and its three nearest in the population. Thirty-five neutral words are the
control. Real topics overlap, as those of `random_lists.py` do not.

By list: the mean distance of the groups that a list is a stereotype of, less that of the others.
By group: associated − different, less what reference words have (models without these: as it is).

Prints, in percent, how often 89% and 50% intervals hold the truth, the root mean square of z (error
over sd; 1 is honest), the mean sd, and how often the 89% interval excludes 0 in the truth's
direction and in the other. Lists are drawn without replacement from 26 to 201 words, so that honest
intervals hold the truth a little more often than they say. --cells prints the same for each file of
vectors, population and design, and --out has a row per answer. Where a model's table has `chance`
(how often unrelated groups differ as much), prints how often it is below .11. With
--cells --save keeps what models say over all groups in every cell, else the summary of all cells.
"""

import argparse
import csv
import dataclasses
import json
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from real_lists import (
    DATA,
    KEYS,
    MODELS,
    Answers,
    Pairs,
    embeddings,
    named,
    over_processes,
    plain_answers,
    root_mean_square,
    shown_level,
    unit,
    vectors_of,
)
from saved_results import save

import bayesbias as bb
from bayesbias.errors import BayesBiasWarning
from bayesbias.pairs.word_lists import AttributeSet, ProtectedGroup, WordList

N_WORDS, N_ATTRIBUTES, N_TOPIC, N_NEUTRAL = 7, 8, 4, 35
FEWEST_WORDS, FEWEST_ATTRIBUTES = 10, 16
DESIGNS: Final = ("one by one", "topics")
NAMES: Final = ("occupations", "adjectives", "flowers", "instruments", "names")
CELL: Final = ["vectors", "population", "design"]


@dataclass(frozen=True)
class Population:
    """Two groups, the list that is associated with each, and words of no group."""

    groups: dict[str, tuple[str, ...]]
    lists: dict[str, tuple[str, ...]]
    reference: tuple[str, ...]

    def drawn(
        self,
        words: tuple[tuple[str, ...], tuple[str, ...]],
        attributes: tuple[tuple[str, ...], tuple[str, ...]],
        controls: tuple[AttributeSet, ...],
    ) -> WordList:
        """Return the word list of some of the words."""
        groups = tuple(
            ProtectedGroup(name, tuple(own), (associated,))
            for name, own, associated in zip(self.groups, words, self.lists, strict=True)
        )
        lists = tuple(
            AttributeSet(name, "stereotype", tuple(own))
            for name, own in zip(self.lists, attributes, strict=True)
        )
        return WordList(
            "population", "population", "", groups, (*lists, *controls), reference=self.reference
        )


def population(name: str) -> Population:
    """Return a population of words, as the sources name them."""
    jobs = occupations() if name in ("occupations", "names") else {}
    if name == "occupations":
        return Population(people(), jobs, reference_of("gender"))
    if name == "names":
        return Population(first_names(), jobs, reference_of("gender"))
    if name == "adjectives":
        return Population(people(), adjectives(), reference_of("gender"))
    source = {"flowers": "weat1", "instruments": "weat2"}[name]
    groups = {group.name: group.words for group in bb.load_wordlist(source).groups}
    return Population(groups, valence(), reference_of(source))


def reference_of(name: str) -> tuple[str, ...]:
    """Return the reference words of a shipped list."""
    return bb.load_wordlist(name).reference


def people() -> dict[str, tuple[str, ...]]:
    """Return words for men and for women: Bolukbasi et al. (2016) and Garg et al. (2018)."""
    pairs = [[b, a] for a, b in read_json("bolukbasi/definitional_pairs.json")]  # woman first
    pairs += read_json("bolukbasi/equalize_pairs.json")
    men = [man.lower() for man, _ in pairs] + read_words("garg/male_pairs.txt")
    women = [woman.lower() for _, woman in pairs] + read_words("garg/female_pairs.txt")
    return apart({"man": men, "woman": women})


def occupations() -> dict[str, tuple[str, ...]]:
    """Return occupations of either stereotype: Bolukbasi et al. (2016), WinoBias (2018).

    Of professions with two ratings, from −1 (female) to 1, those that are not so by definition.
    """
    rated = read_json("bolukbasi/professions.json")
    free = [(word, stereotype) for word, definition, stereotype in rated if abs(definition) < 0.5]
    male = [word for word, stereotype in free if stereotype > 0.1]
    female = [word for word, stereotype in free if stereotype < -0.1]
    more_male, more_female = (
        read_words(f"winobias/{which}_occupations.txt") for which in ("male", "female")
    )
    male, female = (
        male + [word for word in more_male if word not in female],
        female + [word for word in more_female if word not in male],
    )
    return apart({"occupations of men": male, "occupations of women": female})


def adjectives() -> dict[str, tuple[str, ...]]:
    """Return adjectives rated as of men or of women (Williams and Best, by Garg et al. 2018)."""
    with (DATA / "wordlists" / "garg" / "adjectives_williamsbest.csv").open() as file:
        rated = pd.DataFrame(row for row in csv.DictReader(file) if row["year"] == "1970")
    score = rated["score"].astype(float).groupby(rated["word"].str.strip().str.lower()).mean()
    return apart(
        {
            "adjectives of men": score.index[score > 550].tolist(),
            "adjectives of women": score.index[score < 450].tolist(),
        }
    )


def valence() -> dict[str, tuple[str, ...]]:
    """Return the pleasant and unpleasant words of WEAT (Caliskan et al. 2017)."""
    lists = [bb.load_wordlist(name) for name in ("weat1", "weat3", "weat5", "weat10")]
    sets = [one for found in lists for one in found.attribute_sets]
    return apart(
        {
            name: [word for one in sets if one.name == name for word in one.words]
            for name in ("pleasant", "unpleasant")
        }
    )


def first_names() -> dict[str, tuple[str, ...]]:
    """Return the names of men and women of the shipped lists."""
    words = {g.name: g.words for name in ("names", "weat6") for g in bb.load_wordlist(name).groups}
    men = [*words["black_men"], *words["white_men"], *words["male_names"]]
    women = [*words["black_women"], *words["white_women"], *words["female_names"]]
    return apart({"men": men, "women": women})


def read_json(name: str):
    return json.loads((DATA / "wordlists" / name).read_text(encoding="utf-8"))


def read_words(name: str) -> list[str]:
    text = (DATA / "wordlists" / name).read_text(encoding="utf-8")
    return [word.strip() for word in text.splitlines() if word.strip()]


def apart(lists: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    """Return two lists without repeated words and without those of both."""
    first, second = lists.values()
    both = set(first) & set(second)
    return {
        name: tuple(word for word in dict.fromkeys(words) if word not in both)
        for name, words in lists.items()
    }


def spelled(words: tuple[str, ...], vectors, without: frozenset[str] = frozenset()):
    """Return the words as vectors spell them, those that they lack or that are taken left out."""
    found = (word if word in vectors else word.lower() for word in words)
    return tuple(word for word in dict.fromkeys(found) if word in vectors and word not in without)


def in_vectors(whole: Population, vectors) -> tuple[Population, tuple[AttributeSet, ...]] | None:
    """Return what of a population, and of controls, vectors have; None where that is too little."""
    groups = apart({name: spelled(words, vectors) for name, words in whole.groups.items()})
    taken = frozenset(word for words in groups.values() for word in words)
    lists = {name: spelled(words, vectors, taken) for name, words in whole.lists.items()}
    if min(map(len, groups.values())) < FEWEST_WORDS:
        return None
    if min(map(len, lists.values())) < FEWEST_ATTRIBUTES:
        return None
    taken |= {word for words in lists.values() for word in words}
    sets = [s for s in bb.load_wordlist("gender").attribute_sets if s.kind == "neutral"]
    controls = tuple(
        dataclasses.replace(one, words=spelled(one.words, vectors, taken)) for one in sets
    )
    taken |= {word for one in controls for word in one.words}
    reference = spelled(whole.reference, vectors, taken)
    return Population(groups, lists, reference), controls


def drawn_topics(vectors: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw topics of four that have no word in common: a word and its nearest of unit vectors."""
    while True:
        heads = rng.choice(len(vectors), N_ATTRIBUTES // N_TOPIC, replace=False)
        chosen = np.argsort(-(vectors[heads] @ vectors.T), axis=1)[:, :N_TOPIC].ravel()
        if len(set(chosen)) == N_ATTRIBUTES:
            return chosen


def drawn_words(words: tuple[str, ...], n: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Draw words without replacement."""
    return tuple(words[i] for i in rng.choice(len(words), min(n, len(words)), replace=False))


def drawn_list(
    known: Population,
    controls: tuple[AttributeSet, ...],
    units: dict[str, np.ndarray],
    design: str,
    rng: np.random.Generator,
) -> WordList:
    """Draw a list from a population; `units`: the unit vectors of each list's words."""
    words = [drawn_words(own, N_WORDS, rng) for own in known.groups.values()]
    attributes = [
        tuple(own[i] for i in drawn_topics(units[name], rng))
        if design == "topics"
        else drawn_words(own, N_ATTRIBUTES, rng)
        for name, own in known.lists.items()
    ]
    n = N_NEUTRAL // len(controls)
    some = tuple(dataclasses.replace(one, words=drawn_words(one.words, n, rng)) for one in controls)
    return known.drawn(tuple(words), tuple(attributes), some)


def cell(path: str, name: str, n_lists: int, models: tuple[str, ...], seed: int) -> pd.DataFrame:
    """Return a row for every answer about lists of a population in a file of vectors."""
    vectors, started = vectors_of(path), time.perf_counter()
    found = in_vectors(population(name), vectors)
    if found is None:
        print(f"{named(path)}, {name}: too few of its words", flush=True)
        return pd.DataFrame()
    known, controls = found
    whole = known.drawn(tuple(known.groups.values()), tuple(known.lists.values()), controls)
    pairs = Pairs.of_frame(bb.distances(vectors, whole))
    truths = {flag: plain_answers(pairs, reference=flag) for flag in (True, False)}
    units = {
        one: unit(np.array([vectors[word] for word in words], dtype=float))
        for one, words in known.lists.items()
    }
    answers, rows = Answers(models), []
    for number in range(n_lists):
        rng = np.random.default_rng([seed, *f"{named(path)} {name}".encode(), number])
        for design in DESIGNS:
            of_list, of_methods = rng.spawn(2)  # the lists are the same whatever the methods draw
            wordlist = drawn_list(known, controls, units, design, of_list)
            table = answers.of_frame(bb.distances(vectors, wordlist), of_methods)
            for model, part in table.groupby("model", sort=False):
                truth = truths[answers.has_reference(model)].rename(columns={"mean": "truth"})
                rows.append(part.merge(truth, on=KEYS).assign(design=design, number=number))
    sizes = [len(words) for words in (*known.groups.values(), *known.lists.values())]
    seconds = time.perf_counter() - started
    print(f"{named(path)}, {name}: {sizes} words, {seconds:.0f} s", flush=True)
    return pd.concat(rows, ignore_index=True).assign(vectors=named(path), population=name)


def summary(rows: pd.DataFrame) -> pd.Series:
    """Return what the answers of a method to one kind of question are worth, in percent."""
    truth, outside = rows["truth"], (rows["low"] > 0) | (rows["high"] < 0)
    right = np.sign(rows["mean"]) == np.sign(truth)
    found = {
        "n": len(rows),
        "89%": 100 * rows["truth"].between(rows["low"], rows["high"]).mean(),
        "50%": 100 * rows["truth"].between(rows["low50"], rows["high50"]).mean(),
        "rms z": root_mean_square((rows["mean"] - truth) / rows["sd"]),
        "mean sd": rows["sd"].mean(),
        "right": 100 * (outside & right).mean(),
        "wrong": 100 * (outside & ~right).mean(),
    }
    if "chance" in rows and rows["chance"].notna().any():
        found["chance < .11"] = 100 * (rows["chance"].dropna() < 0.11).mean()
    return pd.Series(found)


def summarised(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the summary of every method and kind of question, by some columns besides."""
    lines = rows.assign(asked=[shown_level(row) for row in rows.itertuples()])
    lines = lines[lines["asked"] != ""]
    found = lines.groupby([*keys, "asked", "model"], sort=False)[lines.columns.tolist()]
    return found.apply(summary).reset_index()


def cells_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the summary of answers over all groups in every cell, and the contrast there."""
    own = rows[[shown_level(row) == "over all" for row in rows.itertuples()]]
    return summarised(own, CELL).join(own.groupby(CELL)["truth"].first(), on=CELL)


def printed(table: pd.DataFrame) -> None:
    """Print a summary."""
    form = dict.fromkeys(("n", "right", "wrong", "chance < .11"), "{:.0f}".format)
    form |= {"89%": "{:.1f}".format, "50%": "{:.1f}".format}
    form |= {"rms z": "{:.2f}".format, "mean sd": "{:.4f}".format}
    print(table.to_string(index=False, formatters=form))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", nargs="+", default=embeddings())
    parser.add_argument("--populations", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--lists", type=int, default=30)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=tuple(MODELS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cells", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--save", metavar="NAME")
    given, started = parser.parse_args(), time.perf_counter()
    warnings.simplefilter("ignore", BayesBiasWarning)
    tasks = [(path, name) for path in given.vectors for name in given.populations]

    def of_task(task: tuple[str, str]) -> pd.DataFrame:
        warnings.simplefilter("ignore", BayesBiasWarning)
        return cell(*task, given.lists, tuple(given.models), given.seed)

    found = over_processes(of_task, tasks, given.jobs)
    if given.out:
        found.to_csv(given.out, index=False)
    if given.cells:
        printed(summarised(found, CELL))
    table = summarised(found, ["design"])
    n = len(found[["vectors", "population"]].drop_duplicates())
    if given.save:
        save(
            cells_of(found) if given.cells else table,
            given.save,
            {"seed": given.seed, "populations in vectors": n, "lists of each": given.lists},
            methods="model",
        )
    print(f"\n{n} populations in vectors, {given.lists} lists of each in either design")
    printed(table)
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
