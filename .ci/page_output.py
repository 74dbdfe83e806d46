"""Write into pages what commands and functions print.

python .ci/page_output.py              # makes every quote again
python .ci/page_output.py NAME ...     # these alone

A quote stands between `<!-- output: NAME -->` and `<!-- /output -->`; `QUOTES` has what makes it.
Those of GoogleNews need the reference data (BAYESBIAS_DATA).
"""

import os
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import bayesbias as bb
from bayesbias import debias

ROOT: Final = Path(__file__).parents[1]

MARKED: Final = re.compile(r"(<!-- output: (\S+) -->\n).*?(<!-- /output -->)", re.DOTALL)

_WIDTH: Final = 120

_RULES: Final = """\
vectors = "after.bin"
wordlist = "gender"

[rules.stereotypes]
contrast = "associated - different"
at_least = -0.03
at_most = 0.03

[rules.women]
contrast = "associated - different"
group = "woman"
at_least = -0.3
unit = "sd"

[rules.before]
vectors = "before.bin"
contrast = "associated - different"
at_least = -0.03
"""


def pages() -> list[Path]:
    """Return the pages that may quote output."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def googlenews() -> Any:
    """Return the vectors of the GoogleNews slice, which is not part of the project."""
    folder = Path(os.environ.get("BAYESBIAS_DATA", ROOT.parent / "shared" / "data"))
    return bb.load_embedding(folder / "embeddings" / "googlenews-16k-300d.bin")


def removed() -> str:
    """Say what `hard` leaves of the list gender in the shipped slice."""
    before = bb.example_embedding()
    after = debias.hard(before, "gender").vectors
    change = bb.compare_change(*(bb.distances(kv, "gender") for kv in (before, after)), seed=1)
    return quoted(change.answers[:1])


def held_out() -> str:
    """Say what words show that `hard` was not given, in the GoogleNews slice."""
    kv = googlenews()
    return quoted(bb.compare_held_out(kv, debias.hard(kv, "gender"), "gender").answers)


def rules() -> str:
    """Ask rules of the GoogleNews slice after `leace`, and one of it as it was."""
    kv = googlenews()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        kv.save_word2vec_format(str(place / "before.bin"), binary=True)
        debias.leace(kv, "gender").save(place / "after.bin")
        (place / "rules.toml").write_text(_RULES, encoding="utf-8")
        return f"```\n{bb.check_rules(place / 'rules.toml')}\n```\n"


def in_contexts() -> str:
    """Say associated − different in every context, with the vectors of `benchmarks/contexts.py`."""
    sys.path.append(str(ROOT / "benchmarks"))
    import contexts

    found = contexts.example(seed=1)
    first, *_ = str(found).split("\n\n")
    return f"```text\n{first}\n```\n"


QUOTES: Final[dict[str, Callable[[], str]]] = {
    "removed": removed,
    "held-out": held_out,
    "rules": rules,
    "contexts": in_contexts,
}
"""What makes each quote."""


def quoted(paragraphs: Iterable[str]) -> str:
    """Return paragraphs as a quote, in lines as long as a page's."""
    lines = [textwrap.wrap(one, _WIDTH - 2, break_on_hyphens=False) for one in paragraphs]
    return "\n>\n".join("\n".join(f"> {line}" for line in part) for part in lines) + "\n"


def written(page: str, made: dict[str, str]) -> str:
    """Return the text of a page with the quotes that were made."""

    def anew(found: re.Match[str]) -> str:
        return f"{found[1]}{made[found[2]]}{found[3]}" if found[2] in made else found[0]

    return MARKED.sub(anew, page)


def main(names: list[str]) -> None:
    """Write the pages."""
    if unknown := set(names) - set(QUOTES):
        raise SystemExit(f"no quote {', '.join(unknown)}; there are {', '.join(QUOTES)}")
    made = {name: QUOTES[name]() for name in names or QUOTES}
    for path in pages():
        text = path.read_text(encoding="utf-8")
        path.write_text(written(text, made), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
