"""The distances published with the Bayesian paper, by name.

18 files, cosine distances of five word lists in up to three embeddings, by A. Dobrzeniecka and
R. Urbaniak (2023), MIT licence. They are not part of this package: `published_distances` downloads
a file once into the user's cache folder (with `pooch`, the extra ``data``) and checks its SHA-256,
or reads it from the folder that the environment variable ``BAYESBIAS_DATA`` names.
"""

import os
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Final

import pandas as pd

from bayesbias.errors import ArgumentError, DistancesError, suggest
from bayesbias.support.bounded_files import file_checksum, read_text
from bayesbias.words.files import read_distances

DATA_VARIABLE: Final = "BAYESBIAS_DATA"
"""Environment variable: a folder whose subfolder ``distances`` holds the files."""


def list_published() -> pd.DataFrame:
    """List the published files of distances, a row each, with ``url`` and ``sha256``.

    Examples
    --------
    >>> len(list_published())
    18
    """
    text = read_text(str(files("bayesbias.words") / "published.csv"), DistancesError)
    return pd.read_csv(StringIO(text))


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
    name, url, checksum = _find(wordlist, embedding, debiased)
    local = os.environ.get(DATA_VARIABLE)
    if local is None:
        return _download(url, name, checksum)
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
    """Return the name, the address and the SHA-256 of a published file."""
    table = list_published()
    for name, value in (("wordlist", wordlist), ("embedding", embedding)):
        if value not in (valid := table[name].unique().tolist()):
            raise ArgumentError(f"{name}={value!r}: not published{suggest(str(value), valid)}")
    after = table[table["debiased"] == bool(debiased)]
    rows = after[(after["wordlist"] == wordlist) & (after["embedding"] == embedding)]
    if rows.empty:
        there = ", ".join(after["wordlist"] + " " + after["embedding"])
        raise ArgumentError(
            f"no debiased distances of {wordlist!r} in {embedding!r} were published; there are: "
            f"{there}"
        )
    name, url, checksum = rows[["file", "url", "sha256"]].iloc[0]
    return name, url, checksum


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
        path = pooch.retrieve(
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
    return Path(path)
