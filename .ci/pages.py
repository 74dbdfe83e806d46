"""Write into pages what benchmarks have saved, what code prints, and the catalogue of word lists.

python .ci/pages.py                      # the tables of saved results, and docs/catalogue.md
python .ci/pages.py --check              # says which pages are not as they would be written
python .ci/pages.py --make NAME ...      # runs what makes these results, then writes the tables
python .ci/pages.py --print PAGE ...     # what the code of pages prints, such as docs/check.md

A table stands between `<!-- numbers: NAME -->` and `<!-- /numbers -->` (benchmarks/shown_results.py
has them); one that has no saved result stays as it is. An answer within a sentence stands between
`<!-- picture: NAME size -->` (or `random`, or `lists`) and `<!-- / -->`. A block of text shows what
the code above it prints.
"""

import contextlib
import io
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

import bayesbias as bb
from bayesbias.cli.app import run
from bayesbias.support.bounded_files import data_folder

ROOT: Final = Path(__file__).parents[1]
sys.path.append(str(ROOT / "benchmarks"))

PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
MARKED: Final = re.compile(r"(<!-- numbers: (\S+) -->\n)(.*?)(<!-- /numbers -->)", re.DOTALL)
PHRASE: Final = re.compile(r"(<!-- picture: (\S+) (\w+) -->)(.*?)(<!-- / -->)", re.DOTALL)
BLOCK: Final = re.compile(r"(?<=^```)(python|bash|text)\n(.*?)(?=^```)", re.DOTALL | re.MULTILINE)

CATALOGUE: Final = ROOT / "docs" / "catalogue.md"  # what stands above its tables stays
_REPEATED: Final = re.compile(r"^WEAT \d+: groups are the target sets X and Y, in [^.]*\. ")


def prepare(folder: Path) -> None:
    """Write the files that the code of pages reads."""
    vectors = bb.example_embedding()
    for name in ("vectors.bin", "before.bin", "after.bin"):
        vectors.save_word2vec_format(folder / name, binary=True)
    words, rng = bb.load_wordlist("weat7-de").words, np.random.default_rng(1)
    german = {word: rng.normal(size=20).astype("f4") for word in words}
    bb.load_embedding(german).save_word2vec_format(folder / "cc.de.300.vec.gz")
    (folder / "my-list.toml").write_text((ROOT / "wordlists" / "gender.toml").read_text("utf-8"))
    labels = rng.choice(["nurse", "surgeon"], (200, 2))
    people = pd.DataFrame(labels, columns=["label", "prediction"])
    people.assign(group=rng.choice(["a", "b"], 200)).to_csv(folder / "predictions.csv")


def texts(page: str) -> Iterator[tuple[str, str]]:
    """Run the code of a page in this folder; yield every text that it shows, and what is printed.

    Code that begins with ``# needs: MODULE`` is passed over where this is not installed.
    """
    names: dict[str, Any] = {}
    printed = io.StringIO()
    for kind, block in BLOCK.findall(page):
        if kind == "text":
            yield block, printed.getvalue()
            continue
        printed = io.StringIO()
        needed = re.match(r"# needs: (\w+)", block)
        if needed and subprocess.run([sys.executable, "-c", f"import {needed[1]}"]).returncode:
            continue
        with contextlib.redirect_stdout(printed), pd.option_context("display.width", 100):
            if kind == "python":
                exec(compile(block, "page", "exec"), names)
            for line in block.splitlines() if kind == "bash" else ():
                if code := run(shlex.split(line)[1:]):
                    raise RuntimeError(f"{line}: exit code {code}")


def written(page: str) -> str:
    """Return the text of a page with its tables, each origin once."""
    from shown_results import TABLES, phrase, shown

    origins: set[str] = set()

    def anew(block: re.Match[str]) -> str:
        start, name, old, end = block.groups()
        try:
            return f"{start}{shown(name, origins) if name in TABLES else old}{end}"
        except FileNotFoundError:
            return block[0]

    page = PHRASE.sub(lambda mark: mark[1] + phrase(mark[2], mark[3]) + mark[5], page)
    return MARKED.sub(anew, page)


def differing() -> dict[Path, str]:
    """Return the pages that are not as they would be written, and what would be."""
    pages = {path: written(path.read_text(encoding="utf-8")) for path in PAGES}
    pages[CATALOGUE] = catalogue()
    return {path: new for path, new in pages.items() if new != path.read_text(encoding="utf-8")}


def catalogue() -> str:
    """Return the catalogue."""
    lists = [bb.load_wordlist(name) for name in bb.list_wordlists()]
    lists.sort(key=lambda wl: (wl.name.startswith("weat"), len(wl.name), wl.name))
    heads = "| list | what | groups | protected words | stereotype words |"
    rows = [f"{heads}\n|---|---|---|---:|---:|"]
    for wl in lists:
        groups = ", ".join(group.name for group in wl.groups)
        n = sum(len(s.words) for s in wl.attribute_sets if s.kind == "stereotype")
        size = f"{len(wl.protected_words)} | {n}"
        rows.append(f"| [{wl.name}](#{wl.name}) | {wl.title} | {groups} | {size} |")
    head = CATALOGUE.read_text(encoding="utf-8").partition("\n| list |")[0]
    parts = [head, "\n".join(rows), *(section(wl) for wl in lists)]
    for folder, title in (("controls", "Control lists"), ("specific", "Specific words")):
        parts.append(f"## {title}")
        for path in sorted((data_folder("wordlists") / folder).glob("*.toml")):
            own = tomllib.loads(path.read_text(encoding="utf-8"))
            text = f"{own['title']}. {' '.join(own.get('notes', '').split())}"
            words = {f"{len(own['words'])} words": ", ".join(own["words"])}
            parts.append(table(f"### {path.stem}", text, words, own["source"], own.get("url", "")))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def section(wl: bb.WordList) -> str:
    """Return the section of one list of the catalogue."""
    notes = _REPEATED.sub("", " ".join(wl.notes.split()) + " ")
    rows = {
        f"**{group.name}** (associated: {', '.join(group.associated)})": ", ".join(group.words)
        for group in wl.groups
    }
    stereotypes = (part for part in wl.attribute_sets if part.kind == "stereotype")
    rows |= {f"*{part.name}*": ", ".join(part.words) for part in stereotypes}
    rows["matched words"] = "; ".join(" – ".join(members) for members in wl.matched)
    rows["specific words"] = f"{len(wl.specific)}, left alone by debiasing" if wl.specific else ""
    return table(f"## {wl.name}", f"{wl.title}. {notes}", rows, wl.source, wl.url)


def table(head: str, text: str, rows: dict[str, str], source: str, url: str) -> str:
    """Return a heading, a text, and a table of the rows that have words, the source last."""
    rows["source"] = f"[{source}]({url})" if url else source
    lines = [f"| {name} | {words} |" for name, words in rows.items() if words]
    return "\n".join([head, "", text.strip(), "", "| | words |", "|---|---|", *lines])


def main(option: str = "", *names: str) -> int:
    """Write, check or make."""
    if option == "--make":
        from shown_results import COMMANDS

        for name in names:
            script, *options = COMMANDS[name].split()
            subprocess.run([sys.executable, ROOT / "benchmarks" / script, *options], check=True)
    changed = differing() if option != "--print" else {}
    for path in map(ROOT.joinpath, names if option == "--print" else ()):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            prepare(Path(folder))
            blocks = list(texts(path.read_text(encoding="utf-8")))
        changed[path] = path.read_text(encoding="utf-8")  # which may have changed in these minutes
        for old, new in blocks:
            changed[path] = changed[path].replace(f"```text\n{old}```", f"```text\n{new}```", 1)
    for path, text in changed.items():
        print(f"{path.relative_to(ROOT)}: {'differs' if option == '--check' else 'written'}")
        if option != "--check":
            path.write_text(text, encoding="utf-8")
    return int(option == "--check" and bool(changed))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
