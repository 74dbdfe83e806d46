"""Run the tutorial, and write what its code prints into the page.

python .ci/tutorial.py
"""

import contextlib
import io
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

PAGE = Path(__file__).parents[1] / "docs" / "tutorial.md"
BLOCK = re.compile(r"(?<=^```)(python|text)\n(.*?)(?=^```)", re.DOTALL | re.MULTILINE)


def texts(page: str) -> Iterator[tuple[str, str]]:
    """Run the page's code; yield every text that it shows, and what was printed before it."""
    names: dict[str, Any] = {}
    printed = io.StringIO()
    for kind, block in BLOCK.findall(page):
        if kind == "text":
            yield block, printed.getvalue()
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), pd.option_context("display.width", 100):
            exec(compile(block, "tutorial.md", "exec"), names)


def main() -> None:
    """Write the page."""
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for says, does in texts(page):
            page = page.replace(says, does)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
