"""Frames and records that are odd as frames, not as files: a seed makes each.

A frame goes through the fit and every question of it; it is answered, or refused in words.
"""

import contextlib
import functools
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from samples import in_copies, make_frame

import bayesbias as bb
from bayesbias.fits.storage import SEAL
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.profile_records import packed
from bayesbias.pairs.provenance import KEY, provenance_of, with_provenance

FEW = {"draws": 200, "chains": 2, "seed": 1}
MODELS = ("paper", "crossed", "maximal", "runs", "contextual", "no-pooling")


@functools.cache
def with_profiles() -> pd.DataFrame:
    """Return a small frame that knows how alike its attributes are."""
    frame = make_frame(n_words=4, n_attributes={"associated": 4, "different": 4, "neutral": 4})
    words = [*frame["attribute"].unique(), *frame["protected_word"].unique()]
    profiles = np.random.default_rng(1).normal(0, 0.1, (30, len(words)))
    record = packed(words, ["a", "b"], profiles, n_attributes=12)
    return with_provenance(frame, source={"made": "by a test"}, missing=[], profiles=record)


def ask(fit: bb.results.Fit) -> None:
    """Ask a fit everything that is quick."""
    for by in {"attribute", "slope", *fit.contrast_levels}:
        for question in (fit.summary, fit.contrasts):
            try:
                repr(question(by))
            except bb.BayesBiasError:
                continue
    for question in (fit.check, fit.criticism, fit.report, fit.slope_effect):
        try:
            repr(question())
        except bb.BayesBiasError:
            continue
    words = fit.frame["attribute"].unique()
    table = pd.DataFrame({"word": words, "number": np.arange(len(words)) % 7})
    with contextlib.suppress(bb.BayesBiasError):
        bb.facts(fit, table, "number", seed=1)


def hostile_frame(rng: np.random.Generator) -> pd.DataFrame:
    """Return a frame with a few oddities."""
    names = ("associated", "different", "human", "neutral")
    sizes = {name: int(rng.integers(1, 6)) for name in names if rng.random() < 0.85}
    noise = float(
        rng.choice([0.0, 1e-12, 1e-6, 1e-3, 0.05, 0.3], p=[0.05, 0.05, 0.1, 0.1, 0.5, 0.2])
    )
    frame = make_frame(
        n_words=int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.05, 0.15, 0.2, 0.2, 0.2, 0.2])),
        n_attributes=sizes or {"neutral": 2},
        word_sd=float(rng.choice([0.0, 1e-6, 0.05])),
        noise_sd=noise,
        seed=int(rng.integers(1000)),
    )
    frame = in_copies(frame, [c for c in ("run", "context", "embedding") if rng.random() < 0.15], 2)
    frame["cosine_distance"] = frame["cosine_distance"].clip(0, 2)
    for at in rng.choice(len(ODDITIES), int(rng.integers(0, 4)), replace=False):
        frame = ODDITIES[at](frame, rng)
    return frame


def _outlier(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    frame.loc[frame.index[rng.integers(len(frame))], "cosine_distance"] = rng.choice([0.0, 2.0])
    return frame


def _same(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return frame.assign(cosine_distance=float(rng.choice([0.0, 1.0, 2.0])))


def _number(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    frame.loc[frame.index[0], "cosine_distance"] = rng.choice([np.nan, np.inf, -1.0, 5.0])
    return frame


def _repeated(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return pd.concat([frame, frame.iloc[rng.integers(0, len(frame), 3)]], ignore_index=True)


def _lost(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return frame[rng.random(len(frame)) < rng.choice([0.1, 0.5, 0.9])]


def _name(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    column = rng.choice(["protected_word", "group", "attribute", "attribute_set", "connection"])
    new = rng.choice(["", " ", "reference", "a" * 3000, "$\\x$", "<b>", "\u202e", "associated"])
    return frame.assign(**{column: frame[column].replace({frame[column].iloc[0]: new})})


def _rarity(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    def values(column: str) -> Any:
        codes = pd.factorize(frame[column])[0]
        kinds = [
            lambda: 1.0,
            lambda: codes * 1e300,
            lambda: np.where(codes == 0, rng.choice([np.nan, np.inf]), codes),
            lambda: rng.normal(size=len(frame)),  # not one a word
            lambda: codes.astype(str),
            lambda: (frame["group"] == frame["group"].iloc[0]).to_numpy(float),
        ]
        return kinds[rng.integers(len(kinds))]()

    return frame.assign(word_rarity=values("protected_word"), attribute_rarity=values("attribute"))


def _topic(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    codes = pd.factorize(frame["attribute"])[0]
    topics = [np.where(codes % 2, "a", "b"), "a", codes, rng.choice(["a", "b"], len(frame)), None]
    return frame.assign(topic=topics[rng.integers(len(topics))])


def _factor(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    levels = {"x": ["group0"], "y": ["group1"]}
    factors = [{"race": levels, "age": levels}, {"race": levels}, {"race": {}}, [], "race"]
    first = np.where(frame["group"] == "group0", "x", "y")
    frame = frame.assign(race=first, age=rng.choice(["z", "w"], len(frame)))
    frame.attrs = {KEY: {"source": {"factors": factors[rng.integers(len(factors))]}}}
    return frame


def _reference(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    rows = frame[frame["protected_word"] == frame["protected_word"].iloc[0]].assign(
        protected_word=rng.choice(["person", frame["attribute"].iloc[0]]),
        group=rng.choice(["reference", "group0"]),
        connection="reference",
    )
    return pd.concat([frame, rows.iloc[: rng.integers(1, len(rows) + 1)]], ignore_index=True)


def _profiles(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    words = [*frame["attribute"].unique(), *frame["protected_word"].unique()]
    n = int(rng.choice([1, 2, 30]))
    kind = rng.integers(5)
    values = rng.normal(0, rng.choice([1e-4, 0.1, 100]), (n, len(words)))
    values = [values, values * 0, values[:, :1] + 0 * values, values, values][kind]
    if kind == 3:
        words, values = words[1:], values[:, 1:]
    n_attributes = 1 if kind == 4 else len(words)
    record = packed(words, ["a"], values, n_attributes=n_attributes)
    with contextlib.suppress(TypeError):  # words that another oddity made one
        return with_provenance(frame.copy(), source={}, missing=[], profiles=record)
    return frame


ODDITIES = [_outlier, _same, _number, _repeated, _lost, _name, _rarity, _topic, _factor]
ODDITIES += [_reference, _profiles]


def read_frame(path: Path) -> None:
    """Make the frame of a seed, fit it and ask."""
    rng = np.random.default_rng(list(path.read_bytes()))
    frame = hostile_frame(rng)
    if "embedding" in frame and rng.random() < 0.2:  # seconds each
        parts = {name: part.drop(columns="embedding") for name, part in frame.groupby("embedding")}
        repr(bb.compare_embeddings(parts, **FEW))
        return
    needed = {"runs": "run", "contextual": "context"}
    models = [name for name in MODELS if needed.get(name, "group") in frame]
    model = str(rng.choice(models))
    frequency = "word_rarity" in frame
    ask(bb.fit(frame, model, engine="collapsed", frequency=frequency, **FEW))


def read_profiles(path: Path) -> None:
    """Read a Parquet file with this record of its pairs; fit and ask."""
    frame = with_profiles().copy()
    frame.attrs = {KEY: json.loads(path.read_text())}
    place = path.with_suffix(".parquet")
    frame.to_parquet(place, index=False)
    ask(bb.fit(bb.read_distances(place), "maximal", engine="collapsed", **FEW))


def sound_profiles() -> bytes:
    """Return the record of a sound frame."""
    return json.dumps(provenance_of(with_profiles())).encode()


@functools.cache
def _saved(folder: Path) -> bytes:
    place = folder / "sound-fit.nc"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bb.fit(with_profiles(), "maximal", engine="collapsed", **FEW).save(place)
    return place.read_bytes()


def sound_record(folder: Path) -> bytes:
    """Return what a saved fit says of itself."""
    import h5py

    _saved(folder)
    with h5py.File(folder / "sound-fit.nc", "r") as file:
        found = {k: v for k, v in file.attrs.items() if k[0] != "_"}
    # Old releases of h5netcdf write a number as it is, newer ones as an array of one.
    found = {k: v if isinstance(v, str) else int(np.ravel(v)[0]) for k, v in found.items()}
    return json.dumps({k: _parsed(v) for k, v in found.items()}).encode()


def _parsed(value: Any) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


def read_record(path: Path) -> None:
    """Load a fit whose record is this one, sealed; the ids in it are made to fit again."""
    import hashlib

    import h5py

    given = json.loads(path.read_text())
    place = path.with_suffix(".nc")
    place.write_bytes(_saved(path.parent)[: -len(SEAL) - 64])
    with contextlib.suppress(Exception):  # a damaged model has no id
        given["record"]["spec_id"] = ModelSpec.from_json(json.dumps(given["spec"])).id
    with h5py.File(place, "r+") as file:
        for name, value in given.items():
            try:
                file.attrs[name] = value if isinstance(value, int) else json.dumps(value)
            except Exception:
                continue
    content = place.read_bytes()
    place.write_bytes(content + SEAL + hashlib.sha256(content).hexdigest().encode())
    ask(bb.load_fit(place))
