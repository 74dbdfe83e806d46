"""The distances published with the Bayesian paper, by name.

18 files, cosine distances of five word lists in up to three embeddings, by A. Dobrzeniecka and
R. Urbaniak (2023), MIT licence. They are not part of this package: `published_distances` downloads
a file once into the user's cache folder (with `pooch`, the extra ``data``) and checks its SHA-256,
or reads it from the folder that the environment variable ``BAYESBIAS_DATA`` names.
"""

import os
from pathlib import Path
from typing import Final

import pandas as pd

from bayesbias.errors import ArgumentError, DistancesError, suggest
from bayesbias.pairs.files import read_distances
from bayesbias.support.bounded_files import file_checksum

DATA_VARIABLE: Final = "BAYESBIAS_DATA"
"""Environment variable: a folder whose subfolder ``distances`` holds the files."""

EMBEDDINGS: Final = ("google", "glove", "reddit")
"""GoogleNews word2vec, GloVe, and word2vec on the Reddit corpus."""

# Repositories of the authors, each at a commit that has the files.
_HOST: Final = "https://raw.githubusercontent.com"
_MAY: Final = f"{_HOST}/rfl-urbaniak/BayesBias/8b8db54838e23b26eb5bb73ca2ee477a6f2c4800/datasets"
_LATER: Final = f"{_HOST}/rfl-urbaniak/BayesBias/ea8e8e9c04ccf2a35aef35f5bee26db1fde2872d/datasets"
_FOLDERS: Final = {
    "debiased": (
        f"{_HOST}/efemeryds/Bayesian-analysis-for-NLP-bias/"
        "920f5db6fb396137fbbe1fa9ffeaac1689c96a25/datasets/macWeatDatasets"
    ),
    "glove": (
        f"{_HOST}/rfl-urbaniak/BayesBias/8782c0a8dd1c377760f6625f8c6e53a5d0ec3c79/"
        "datasets/macWeatDatasets"
    ),
    "may-mac": f"{_MAY}/new_data_05_2022/MAC",
    "may-weat": f"{_MAY}/new_data_05_2022/WEAT",
    "later-mac": f"{_LATER}/new_data_05_2022/MAC",
    "later-weat": f"{_LATER}/new_data_05_2022/WEAT",
}

# List, embedding, whether debiased, folder, SHA-256.
_TABLE: Final = """
gender   google original may-mac    5b0961e671093e434d17287165d7a6f23cfd09cd6b817a681853bffee67f4e1b
gender   glove  original glove      4be41c0d4931caa44648041c62f952b491cd26dea28cfd443275afb6edfae3d1
gender   reddit original may-mac    1aa7ac1ded41643ff2e3fce5fdb872b1251eb05058cf53186af86f6f3cb15d03
gender   reddit debiased debiased   efd97b7637459336de4f85746f85683fdc07e6c0ddbff5d44f052adcca5e2332
race     google original may-mac    af5329717f8c00616a8f7ed8b341e565f72d205c4961e788f4f348b86441a0df
race     glove  original glove      ba062593d8c09cac518c9a76663c5ce183068f853e24d9912dbdf7d0eba2dcd2
race     reddit original later-mac  461a40b80f9533c61cba811ae21da9e304b93f6eb836cec6c9531f78fd4bd814
race     reddit debiased debiased   5007f404605bfaf4f753d227048c62e52aac3961860742ca55d7dc4145ff9b3a
religion google original later-mac  a2be3b4e8b1f50125669c91b1a3eaefd28111693b57d6151760123ce6f11d52d
religion glove  original glove      3486c791014c90dc931bbad4f01a10d93688d1a1a2e11ba0e299443d6e03ee8e
religion reddit original glove      451e89090acaf36d49ff7a78c6f63a2f21e733fdfe37ae7766267a8f82a5dfd5
religion reddit debiased debiased   ec591bbe0df3a3a0de7c50ae7d1ccf858f450697fb4dda3471a65fb02dc6309f
weat1    google original may-weat   6356ad868002cdfcc631c564b64a12e4ffd604223734169eb91ef06f47aa1d0d
weat1    glove  original later-weat 38d7e641c8f90fb37e44ccc187e14db4bd459750d1e723f92e38f618fc276b92
weat1    reddit original may-weat   6f9538925421a8e950319497ad20247914bdc6a05de124623df936488d85d1e2
weat7    google original glove      6a472b45882b96ac736eb4ddee3f3011e3f10eac0fc616b24bb020f165d0d426
weat7    glove  original may-weat   27a80c62ddfe7a4e9fb3c3db5b3a0b2ff32179203e1bc7cfb1b9738ee451d856
weat7    reddit original later-weat 40aa14935efd8a447d796c4196cf2dcb63f8b45bf69cb2d8a218475ad3d32d11
"""


def _file_name(wordlist: str, embedding: str, is_debiased: bool) -> str:
    if is_debiased:
        return f"debiased_{wordlist}_{embedding}.csv"
    if wordlist.startswith("weat"):
        return f"weat_{wordlist.removeprefix('weat')}_{embedding}.csv"
    return f"{wordlist}_group_{embedding}_dataset.csv"


def _entry(row: str) -> tuple[tuple[str, str, bool], tuple[str, str, str]]:
    wordlist, embedding, state, folder, checksum = row.split()
    key = wordlist, embedding, state == "debiased"
    return key, (_FOLDERS[folder], _file_name(*key), checksum)


_FILES: Final = dict(map(_entry, _TABLE.strip().splitlines()))
"""By list, embedding and whether debiased: folder, file name, SHA-256."""


def list_published() -> pd.DataFrame:
    """List the published files of distances, a row each, with ``url`` and ``sha256``.

    Examples
    --------
    >>> len(list_published())
    18
    """
    rows = [
        (*key, name, f"{folder}/{name}", checksum)
        for key, (folder, name, checksum) in _FILES.items()
    ]
    columns = ["wordlist", "embedding", "debiased", "file", "url", "sha256"]
    return pd.DataFrame(rows, columns=columns)


def published_distances(
    wordlist: str, embedding: str, *, debiased: bool = False, duplicates: str = "drop"
) -> pd.DataFrame:
    """Return distances published with the Bayesian paper, as `read_distances` does.

    Parameters
    ----------
    wordlist : {"gender", "race", "religion", "weat1", "weat7"}
    embedding : {"google", "glove", "reddit"}
    debiased : bool
        Whether after the hard debiasing of Manzini et al. (2019); there for gender, race and
        religion in Reddit.
    duplicates : {"drop", "keep"}
        As in `read_distances`.

    Raises
    ------
    DistancesError
        If the file can be neither found nor downloaded, or is not the published one.

    Notes
    -----
    Downloaded once. Where ``BAYESBIAS_DATA`` names a folder, its subfolder ``distances`` is read.
    """
    return read_distances(
        published_path(wordlist, embedding, debiased=debiased), duplicates=duplicates
    )


def published_path(wordlist: str, embedding: str, *, debiased: bool = False) -> Path:
    """Return the path of a published file, downloaded if necessary; see `published_distances`."""
    folder, name, checksum = _find(wordlist, embedding, debiased)
    local = os.environ.get(DATA_VARIABLE)
    if local is None:
        return _download(f"{folder}/{name}", name, checksum)
    path = Path(local) / "distances" / name
    if not path.is_file():
        raise DistancesError(
            f"{path}: does not exist, although {DATA_VARIABLE} names the folder {local!r}; put the "
            f"file into its subfolder distances, or unset {DATA_VARIABLE} to download it"
        )
    if file_checksum(path) != checksum:
        raise DistancesError(
            f"{path}: is not the published file (SHA-256 {file_checksum(path)}, published "
            f"{checksum}); replace it, or read it as your own with read_distances"
        )
    return path


def _find(wordlist: str, embedding: str, debiased: bool) -> tuple[str, str, str]:
    key = (wordlist, embedding, bool(debiased))
    if key in _FILES:
        return _FILES[key]
    lists = list(dict.fromkeys(known for known, _, _ in _FILES))
    for name, value, valid in (("wordlist", wordlist, lists), ("embedding", embedding, EMBEDDINGS)):
        if value not in valid:
            raise ArgumentError(f"{name}={value!r}: not published{suggest(str(value), valid)}")
    there = ", ".join(f"{a} {b}" for a, b, after in _FILES if after)
    raise ArgumentError(
        f"no debiased distances of {wordlist!r} in {embedding!r} were published; there are: {there}"
    )


def _download(url: str, name: str, checksum: str) -> Path:
    """Return the cached file, downloaded and checked the first time."""
    try:
        import pooch
    except ImportError as error:
        raise DistancesError(
            f"{name}: downloading needs pooch: pip install 'bayesbias[data]', or set "
            f"{DATA_VARIABLE} to a folder with distances/{name}"
        ) from error
    from platformdirs import user_cache_path

    try:
        found = pooch.retrieve(
            url,
            known_hash=f"sha256:{checksum}",
            fname=name,
            path=user_cache_path("bayesbias") / "published",
        )
    except (OSError, ValueError) as error:  # no network or refused; another checksum
        raise DistancesError(
            f"{name}: cannot be downloaded from {url}; try again with a network, or "
            f"download it and set {DATA_VARIABLE} to a folder with distances/{name}"
        ) from error
    return Path(found)
