"""Write docs/wordlists.md, the catalogue of the shipped word lists, from their files.

python .ci/catalogue.py            # writes the page
python .ci/catalogue.py --check    # says whether the page is that of the files
"""

import re
import sys
import tomllib
from pathlib import Path

from bayesbias import WordList, list_wordlists, load_wordlist
from bayesbias.support.shipped_data import data_folder

PAGE = Path(__file__).parents[1] / "docs" / "wordlists.md"

HEAD = """# Word lists

**Take the list that asks your question, and look at its words first.** Load it with
`bb.load_wordlist(NAME)`. The command `bayesbias wordlists check NAME --embedding FILE` says which
words your vectors lack. Your own list is [a file like these](../wordlists/SCHEMA.md). Stereotypes
are listed to be measured, not endorsed ([sources](../wordlists/NOTICE.md)).

In the lists of WEAT the groups are the target sets X and Y, in this order; the attribute sets are A
and B.

`.ci/catalogue.py` makes this page from the files in `wordlists/`.
"""


SAID_ABOVE = re.compile(r"^WEAT \d+: groups are the target sets X and Y, in this order; [^.]*\. ")


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    page = catalogue()
    if arguments == ["--check"]:
        same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == page
        print(f"{PAGE.name}: {'up to date' if same else 'differs; run python .ci/catalogue.py'}")
        return 0 if same else 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


def catalogue() -> str:
    """Return the page."""
    lists = [load_wordlist(name) for name in list_wordlists()]
    lists.sort(key=lambda wl: (wl.name.startswith("weat"), len(wl.name), wl.name))
    rows = [
        "| list | what | groups | protected words | stereotype words |",
        "|---|---|---|---:|---:|",
    ]
    for wl in lists:
        groups = ", ".join(group.name for group in wl.groups)
        n = sum(len(s.words) for s in wl.attribute_sets if s.kind == "stereotype")
        rows.append(
            f"| [{wl.name}](#{wl.name}) | {wl.title} | {groups} | {len(wl.protected_words)} | {n} |"
        )
    parts = [HEAD, "\n".join(rows), *(section(wl) for wl in lists)]
    parts += [shared("controls", "Control lists"), shared("specific", "Specific words")]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def section(wl: WordList) -> str:
    """Return the section of one list."""
    notes = SAID_ABOVE.sub("", " ".join(wl.notes.split()) + " ")
    lines = [f"## {wl.name}", "", f"{wl.title}. {notes}".strip(), ""]
    lines += ["| | words |", "|---|---|"]
    for group in wl.groups:
        associated = ", ".join(group.associated)
        words = ", ".join(group.words)
        lines.append(f"| **{group.name}** (associated: {associated}) | {words} |")
    for part in wl.attribute_sets:
        if part.kind == "stereotype":
            lines.append(f"| *{part.name}* | {', '.join(part.words)} |")
    if wl.reference:
        lines.append(f"| reference words | {', '.join(wl.reference)} |")
    if wl.defining_sets:
        sets = "; ".join(" – ".join(members) for members in wl.defining_sets)
        lines.append(f"| defining sets | {sets} |")
    if wl.specific:
        lines.append(f"| specific words | {len(wl.specific)}, which debiasing leaves alone |")
    lines.append(f"| source | {source(wl.source, wl.url)} |")
    return "\n".join(lines)


def shared(folder: str, title: str) -> str:
    """Return the section of the lists of a folder, which other lists take."""
    lines = [f"## {title}"]
    for path in sorted((data_folder("wordlists") / folder).glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        words = table["words"]
        origin = source(table["source"], table.get("url", ""))
        notes = " ".join(table.get("notes", "").split())
        lines += ["", f"### {path.stem}", "", f"{table['title']}. {notes}".strip(), ""]
        lines += ["| | words |", "|---|---|", f"| {len(words)} words | {', '.join(words)} |"]
        lines.append(f"| source | {origin} |")
    return "\n".join(lines)


def source(text: str, url: str) -> str:
    """Return where words come from, as a link if there is one."""
    return f"[{text}]({url})" if url else text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
