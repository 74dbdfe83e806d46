"""Reads text files within bounds: no pipes, devices, bombs or addresses."""

import re
from pathlib import Path
from typing import Final

from bayesbias.errors import BayesBiasError
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import LARGEST_TEXT, ByteStream

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def read_text(path: str | Path, error: type[BayesBiasError]) -> str:
    """Return the text of a file in UTF-8, plain or compressed; addresses are not fetched."""
    if _ADDRESS.match(str(path)):
        raise error(f"{path}: addresses are not opened; download the file and give its path")
    with ByteStream(as_path(path), error) as stream:
        content = stream.read_all(LARGEST_TEXT)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(
            f"{path}: byte {problem.start} is not UTF-8; save the file as text in UTF-8, unpacked "
            f"if it is an archive"
        ) from problem
