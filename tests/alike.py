"""Frames whose attributes are alike, and the covariance of their distances, pair by pair."""

from itertools import combinations, compress

import numpy as np
import pandas as pd
from densities import alike_levels, between_groups, loadings_levels, same_value

from bayesbias.constants import KIND_OF_CONNECTION
from bayesbias.engine.adapting import adapt_model_to_data
from bayesbias.models.specification import load_model
from bayesbias.models.terms import NoiseSpec, Prior
from bayesbias.words.profiles import Profiles
from bayesbias.words.provenance import with_provenance

RATE = Prior("exponential", rate=10.0)
SHARE = Prior("beta", alpha=0.5, beta=0.5)


def list_frame(
    *, n_words=(3, 2), sizes=(4, 3), n_human=4, n_neutral=3, matched=False, seed=0
) -> pd.DataFrame:
    """Lay out groups, each associated with the list of its number, and draw distances.

    A list of a number without a group is different for all. The distances have what a word, an
    attribute, a group and a list share; every word meets every attribute. `matched`: the words of
    a number are a set.
    """
    rng = np.random.default_rng(seed)
    lists = {f"list{i}": [f"s{i}{j}" for j in range(n)] for i, n in enumerate(sizes)}
    controls = {"human": [f"h{j}" for j in range(n_human)], "neutral": list("abcdefg"[:n_neutral])}
    rows = []
    for g, n in enumerate(n_words):
        connections = {name: "associated" if name == f"list{g}" else "different" for name in lists}
        connections |= {name: name for name in controls}
        rows += [
            (f"word{g}{w}", f"group{g}", attribute, name, connections[name], 1.0)
            for w in range(n)
            for name, attributes in (lists | controls).items()
            for attribute in attributes
        ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    frame = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    for by in ("protected_word", "attribute", "group attribute_set", "group attribute"):
        code = frame.groupby(by.split(), sort=False).ngroup().to_numpy()
        frame["cosine_distance"] += 0.05 * rng.standard_normal(code.max() + 1)[code]
    frame["cosine_distance"] += 0.05 * rng.standard_normal(len(frame))
    if matched:
        frame["match"] = "set" + frame["protected_word"].str[5:]
    return with_provenance(frame, source={"made": "by a test"}, missing=[])


def profiles_for(frame, *, n_sample=40, seed=0) -> Profiles:
    """Profiles of the attributes; of fewer words than attributes they are of lower rank."""
    attributes = frame["attribute"].unique().tolist()
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal((n_sample, 2)) @ rng.standard_normal((2, len(attributes)))
    profiles = shared + rng.standard_normal((n_sample, len(attributes)))
    mean = 0.2 * rng.standard_normal(len(attributes))
    profiles -= profiles.mean(axis=0)
    profiles -= profiles.mean(axis=1, keepdims=True)
    return Profiles(tuple(attributes), profiles, mean - mean.mean(), None)


def absolute(model):
    """A model with its priors in cosine distance, where a neutral pair's sd is .1."""
    spec = load_model(model)
    return spec.in_unit(0.1, 1.0 if spec.response == "cosine_distance" else 0.0)


def designed(frame, model, alike=None):
    """The frame as a model sees it, and of the model what the frame has."""
    spec, design, _ = adapt_model_to_data(absolute(model), frame, alike)
    return design, spec


def with_similar_noise(spec, by="attribute_kind"):
    return spec.replace(noise=NoiseSpec(RATE, by, SHARE))


def with_kinds(frame) -> pd.DataFrame:
    """The frame with the column that follows from the connection."""
    return frame.assign(attribute_kind=frame["connection"].map(KIND_OF_CONNECTION))


_LAST: dict[str, object] = {}


def alike_by_hand(frame, profiles) -> tuple[pd.DataFrame, pd.DataFrame]:
    """K and N Nᵀ of a frame's attributes; of a frame that comes again they are not computed again.

    K: within every kind of list the covariance of the profiles' deviations from lists' means, and
    that of the lists' means: of a sample of topics, and for the rest of these very lists; the
    diagonal is 1 on average. N Nᵀ: what main effects have beyond K, half of it: products of the
    deviations of distances to the mean sampled word, those of a kind's and its lists' means for the
    rest, and the sampling variance of each list's.
    """
    if _LAST.get("of") != (id(frame), id(profiles)):
        both = _alike_by_hand(frame, profiles)
        _LAST.update(of=(id(frame), id(profiles)), frame=frame, profiles=profiles, both=both)
    return _LAST["both"]


def _alike_by_hand(frame, given) -> tuple[pd.DataFrame, pd.DataFrame]:
    joined = 0.4 if given.random_sd is None else 1.5 * given.random_sd
    profiles = pd.DataFrame(given.matrix, columns=list(given.words))
    distance = pd.Series(given.nearness, index=list(given.words))
    first = with_kinds(frame).drop_duplicates("attribute").set_index("attribute")
    found = pd.DataFrame(0.0, index=first.index, columns=first.index)
    near = found.copy()
    for _, rows in first.groupby("attribute_kind"):
        own = profiles[rows.index]
        mean = own.mean(axis=1)
        share = len(rows) / profiles.shape[1]
        own = own.sub(mean * (1 - max(1 - share, 1e-3) ** -0.5), axis=0)
        means = own.T.groupby(rows.attribute_set).transform("mean").T
        of_kind = distance[rows.index]
        of_kind = of_kind - of_kind.mean() * (1 - max(1 - share, 1e-3) ** -0.5)
        of_lists = of_kind.groupby(rows.attribute_set).transform("mean")
        topic = topics_by_hand(own - means, rows.attribute_set, joined)
        n_topics = 0
        for name in set(rows.attribute_set):
            n_topics += topic[rows.attribute_set == name].nunique() - 1
        weight = n_topics / (n_topics + 5)
        of_all = sampling_by_hand(own - means, rows.attribute_set, topic)
        of_near = sampling_by_hand((of_kind - of_lists).to_frame().T, rows.attribute_set, topic)
        same = rows.attribute_set.to_numpy()[:, None] == rows.attribute_set.to_numpy()
        covariance = products(own - means) + (1 - weight) * products(means)
        covariance += weight * same * rows.attribute_set.map(of_all).to_numpy()
        found.loc[rows.index, rows.index] = covariance / np.diag(covariance).mean()
        near.loc[rows.index, rows.index] = 0.5 * (
            np.outer(of_kind - of_lists, of_kind - of_lists)
            + (1 - weight) * of_kind.mean() ** 2
            + (1 - weight) * np.outer(of_lists - of_kind.mean(), of_lists - of_kind.mean())
            + weight * same * rows.attribute_set.map(of_near).to_numpy()
        )
    return found, near


def products(profiles) -> np.ndarray:
    return profiles.to_numpy().T @ profiles.to_numpy()


def topics_by_hand(deviations, lists, joined) -> pd.Series:
    """The topics of every list: clusters of a large mean correlation, joined pair by pair."""
    found = pd.Series("", index=lists.index)
    for name, own in lists.groupby(lists):
        length = np.linalg.norm(deviations[own.index], axis=0)
        length[length == 0] = 1
        correlation = products(deviations[own.index]) / np.outer(length, length)
        clusters = [[i] for i in range(len(own))]
        while len(clusters) > 1:
            pairs = [(a, b) for a in range(len(clusters)) for b in range(a)]
            means = [correlation[np.ix_(clusters[a], clusters[b])].mean() for a, b in pairs]
            if max(means) < joined:
                break
            a, b = pairs[int(np.argmax(means))]
            clusters[b] += clusters.pop(a)
        for number, members in enumerate(clusters):
            found[own.index[members]] = f"{name} {number}"
    return found


def sampling_by_hand(deviations, lists, topic) -> dict[str, float]:
    """The variance of every list's mean as that of a sample of topics, from all pairs in turn."""
    within, across = [], []
    for a, b in combinations(lists.index, 2):
        if lists[a] == lists[b]:
            squared = ((deviations[a] - deviations[b]) ** 2).sum() / 2
            (within if topic[a] == topic[b] else across).append(squared)
    of_topics = np.mean(within) if within else 0.0
    between = max(np.mean(across) - of_topics, 0.0) if across else 0.0
    return {
        name: between * (topic[own.index].value_counts(normalize=True) ** 2).sum()
        + of_topics / len(own)
        for name, own in lists.groupby(lists)
    }


def standard_deviations(block, seed, size=1):
    """Standard deviations of a block's effects and of its noise at random, `size` of each."""
    rng = np.random.default_rng(seed)
    effects = rng.exponential(0.1, (len(block.sds), size))
    is_fixed = ~block.is_free
    is_fixed[block.shared[1]] = False
    effects[is_fixed] = block.fixed_sds[is_fixed, None]
    return effects, rng.uniform(0.03, 0.3, (len(block.noise), size))


def named_sds(design, block, effects, noise) -> dict[str, dict[str, float]]:
    """The standard deviations of a block by parameter and label."""
    found = {"noise": dict(zip((design.noise_labels[i] for i in block.noise), noise, strict=True))}
    labels = {f"{term.name}_sd": term.sd_labels for term in design.terms}
    similar = list(compress(design.noise_labels, design.noise_similar))
    labels |= {"noise_similar_sd": similar, "connection_sd": [""]}
    for name, of in labels.items():
        at = design.sd_places[name]
        for number, sd in zip(block.sds, effects, strict=True):
            if at.start <= number < at.stop:
                found.setdefault(name.removesuffix("_sd"), {})[of[number - at.start]] = sd
    return found


def sd_of_pairs(frame, by, sds) -> np.ndarray:
    if by is None:
        return np.full(len(frame), sds.get("", 0.0))
    return frame[by].map(sds).fillna(0.0).to_numpy(dtype=float)


def dense_covariance(frame, spec, sds, profiles=None) -> np.ndarray:
    """Covariance of the distances of a frame, by adding up what pairs share.

    Parameters
    ----------
    frame : DataFrame
        Attributes of one name are one.
        For slopes with a column ``standard <column>``, whose mean is 0 and whose sd 1.
    spec : ModelSpec
    sds : mapping of str to mapping of str to float
        From `named_sds`.
    profiles : Profiles
        Of the attributes, where the specification asks for similarity.
    """
    alike = nearness = np.ones((len(frame), len(frame)))
    if spec.is_similar:
        both = alike_by_hand(frame, profiles)
        alike, nearness = (m.loc[frame.attribute, frame.attribute].to_numpy() for m in both)
    frame = with_kinds(frame)
    mean_sd = sds.get("connection", {}).get("", 0.0)
    total = mean_sd**2 * same_value(frame["connection"].to_numpy())
    for term in spec.terms:
        if term.similar and term.has_common_factor:
            total += nearness
        sd = sd_of_pairs(frame, term.sd_by, sds.get(term.name, {}))
        sd = sd * [name in (term.connections or [name]) for name in frame["connection"]]
        if term.of:
            sd = sd * frame[f"standard {term.of}"].to_numpy()
        shared = np.outer(sd, sd)
        for column in term.by:
            values = frame[column].to_numpy()
            if column in term.sum_to_zero:
                shared *= between_groups(values)
            else:
                is_alike = term.similar and column == "attribute"
                shared *= alike if is_alike else same_value(values)
        total += shared
    total += np.diag(sd_of_pairs(frame, spec.noise.sd_by, sds["noise"]) ** 2)
    if spec.noise.similar_share:
        sd = sd_of_pairs(frame, spec.noise.sd_by, sds["noise_similar"])
        total += same_value(frame["protected_word"].to_numpy()) * np.outer(sd, sd) * alike
    return total


def dense_effects(frame, design, block, effects):
    """Regressors and prior covariance of the means and effects of the design in a block."""
    z = np.zeros((len(frame), design.n_parameters))
    prior = np.zeros((design.n_parameters, design.n_parameters))
    sds = np.zeros(len(design.sd_priors))
    sds[block.sds] = effects
    for term, place in zip(design.families, design.places.values(), strict=True):
        level = term.level[block.rows]
        on, of = np.flatnonzero(level >= 0), sds[design.sd_places[f"{term.name}_sd"]][term.sd]
        z[on, place.start + level[on]] = 1.0 if term.x is None else term.x[block.rows][on]
        near = loadings_levels(design, term)
        prior[place, place] = np.outer(of, of) * alike_levels(design, term) + near @ near.T
    at = block.parameters
    return z[:, at], prior[np.ix_(at, at)]


def dense_conditional(frame, spec, design, block, effects, noise, profiles=None):
    """Mean and covariance of a block's means and effects, given the distances."""
    z, prior = dense_effects(frame, design, block, effects)
    sds = named_sds(design, block, effects, noise)
    covariance = dense_covariance(frame, spec, sds, profiles)
    gain = np.linalg.solve(covariance, z @ prior).T
    y = frame["cosine_distance"].to_numpy() - block.mean
    return gain @ y, prior - gain @ z @ prior


def lacking(spec, names):
    """A model without some of its terms."""
    return spec.replace(terms=[term for term in spec.terms if term.name not in names])


def named_term(spec, name):
    """The term of a model that has this name."""
    return {term.name: term for term in spec.terms}[name]
