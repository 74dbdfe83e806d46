"""Files of other kinds, known by their first bytes: each is refused with what reads it."""

from pathlib import Path
from typing import Final

from bayesbias.errors import EmbeddingError
from bayesbias.support.archives import ZIP, files_in_zip
from bayesbias.support.bounded_files import open_regular, refuse_archive

_OPEN_IT: Final = "open it in Python with what wrote it, and pass bb.load_embedding a mapping"
_SAVE_IT: Final = "save its words and numbers as text or CSV with the program that wrote it"
_FRAME: Final = "read it as bb.load_embedding(pd.{}(file))"
_UNPACK: Final = "unpack it and name the file inside"

_KINDS: Final[tuple[tuple[bytes, str, str, str], ...]] = (
    (b"PAR1", "a Parquet table", _FRAME.format("read_parquet"), "save it as CSV"),
    (b"ARROW1", "a Feather table", _FRAME.format("read_feather"), "save it as CSV"),
    (b"\x89HDF", "an HDF5 file", _OPEN_IT, _SAVE_IT),
    (
        b"SQLite format 3\0",
        "a database of SQLite, as pymagnitude's are",
        "pass bb.load_embedding the mapping {word: vector for word, vector in Magnitude(file)}",
        _SAVE_IT,
    ),
    (b"(\xb5/\xfd", "packed by zstd", _UNPACK, _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK, _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK, _UNPACK),
    (b"%PDF", "a PDF", *2 * ("fetch the file of vectors itself",)),
    (b"<!DOCTYPE", "a web page", *2 * ("fetch the file of vectors itself",)),
    (b"<html", "a web page", *2 * ("fetch the file of vectors itself",)),
    (b"version https://git-lfs", "a pointer of Git LFS", *2 * ("fetch the file: git lfs pull",)),
    (b"X\n\0\0\0", "an R object (.rds)", *2 * ("save it in R with write.csv",)),
    (b"RDX", "an R workspace", *2 * ("save the vectors in R with write.csv",)),
)
"""First bytes, what they are of, and what to do in Python and in a terminal."""

_NUMPY: Final = b"\x93NUMPY"


def refuse_foreign(path: Path, start: bytes) -> str:
    """Refuse a file of another kind; return ``npz`` for numpy's archives and else ""."""
    for magic, what, advice, typed in _KINDS:
        if start[: len(magic)].lower() == magic.lower():
            raise EmbeddingError(f"{path}: is {what}", advice=advice, typed=typed)
    if start.startswith(ZIP):
        return _refuse_zip(path, start)
    refuse_archive(path, start, EmbeddingError)
    if start.startswith(_NUMPY) and b"|O" in start[:128]:
        raise EmbeddingError(
            f"{path}: is an array of numpy's of Python objects, a pickle",
            advice="if you trust its maker, pass bb.load_embedding what np.load(file, "
            "allow_pickle=True).item() gives, if that is a mapping from word to vector",
            typed=_SAVE_IT,
        )
    if start.startswith(_NUMPY):
        raise EmbeddingError(
            f"{path}: is an array of numpy's, without words; put the words into words.txt beside "
            f"it, one a line, call it vectors.npy, and name the folder"
        )
    if start[8:10] == b'{"' and start[4:8] == bytes(4):
        raise EmbeddingError(f"{path}: is in safetensors format", advice=_OPEN_IT, typed=_SAVE_IT)
    _refuse_hashed(path, start)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_wide(start):
        raise EmbeddingError(
            f"{path}: is written in UTF-16 or UTF-32, as by 'Unicode' in Windows; save it in UTF-8 "
            f"(iconv -f UTF-16 -t UTF-8)"
        )
    return ""


def _refuse_zip(path: Path, start: bytes) -> str:
    """Refuse a zip archive of several files, unless they are arrays."""
    with open_regular(path, EmbeddingError) as file:
        names = files_in_zip(file)
    if names and all(name.endswith(".npy") for name in names):
        return "npz"
    if any(name.endswith("data.pkl") for name in names):
        raise EmbeddingError(
            f"{path}: is a file of PyTorch, a pickle", advice=_OPEN_IT, typed=_SAVE_IT
        )
    if "[Content_Types].xml" in names and any(name.startswith("xl/") for name in names):
        advice = _FRAME.format("read_excel")
        raise EmbeddingError(f"{path}: is an Excel file", advice=advice, typed="save it as CSV")
    refuse_archive(path, start, EmbeddingError)
    return ""


def _refuse_hashed(path: Path, start: bytes) -> None:
    """Refuse floret's table: buckets of hashed parts of words, under eight facts."""
    header = start.partition(b"\n")[0].split()
    marks = header[6:]  # where words begin and end; numbers are names of columns
    if len(marks) == 2 and all(part.isdigit() for part in header[:6]) and not marks[0].isdigit():
        raise EmbeddingError(
            f"{path}: is a floret table, whose rows are hashed parts of words and not words; make "
            f"a spaCy pipeline of it (spacy init vectors --mode floret) and pass that in Python"
        )


def _is_wide(start: bytes) -> bool:
    """Tell whether every second byte of a text is zero."""
    even, odd = start[0:64:2], start[1:64:2]
    return any(
        len(zeros) > 4 and not zeros.strip(b"\0") and letters.isascii() and b"\0" not in letters
        for letters, zeros in ((even, odd), (odd, even))
    )
