"""Count habits of language in README and pages, per 1,000 words of prose, and long sentences.

python .ci/habits.py            # fails beyond 1.3 times the rates of lifelines' documentation

Tables, code, comments, headings and quoted output are left out. The rates are those of an editorial
count of lifelines' documentation, with the same patterns.
"""

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
MADE: Final = ROOT / "docs" / "catalogue.md"  # a script writes it
THINGS: Final = "model|list|data|file|interval|verdict|page|row|table|vectors?|answer"
HABITS: Final = {
    "negations": (5.4, r"\b(?:not|no|none|nothing|never|nor|neither|nobody|cannot|without)\b"),
    "semicolons": (0.6, r";"),
    "what as a noun": (0.2, r"\bwhat (?:an?|the|it|they|is|was|are|were|has|you)\b(?![^.]*\?)"),
    "of which, whose": (0.1, r"\b(?:(?:of|to|in|for|by|on) which|whom|whose)\b"),
    "own": (0.3, r"\bown\b"),
    "that of": (0.0, r"\b(?:that|those) of\b"),
    "it begins": (1.0, r"(?:(?<=[.!?] )|(?<=^))(?:It|Its|They|Their)\b"),
    "link in brackets": (0.0, r"\(\[[^]]*\]\([^)]*\)\)"),
    "towards, beside": (0.5, r"\b(?:towards|besides?|anew|dealt|upon)\b"),
    "else": (0.1, r"\belse\b"),
    "things that speak": (0.0, rf"\b(?:{THINGS})s? (?:asks?|says?|knows?|wants?|tells?)\b"),
    "bold sentences": (0.0, r"^\*\*[^*]+\.\*\*"),
}
"""Of every habit lifelines' rate and its pattern."""

ALLOWED, MEAN, LONG, MOST_LONG = 1.3, 17.0, 25, 10.0
_ABBREVIATION: Final = re.compile(r"\b(e\.g|i\.e|et al|vs|cf|Figs?|sd|St|Dr)\.")


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs and items of a page that are prose."""
    text = re.sub(r"(?s)<!--.*?-->|^ *(```+).*?^ *\1|<[^>\n]+>", "", text, flags=re.MULTILINE)
    text = re.sub(r"(?m)^(?:\s*\||#{1,6} |!\[| {4,}|> |\?\?\?|!!!).*$", "", text)
    blocks = re.split(r"\n\s*\n|^\s*(?:[-*] |\d+\. )", text, flags=re.MULTILINE)
    return [" ".join(block.split()) for block in blocks if len(re.findall(r"\w{2,}", block)) > 3]


def sentences(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph."""
    paragraph = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", paragraph)
    paragraph = _ABBREVIATION.sub(r"\1", re.sub(r"`[^`]*`", "code", paragraph))
    return re.split(r"(?<=[.!?])[\"*)]* +(?=[\"*(]*[A-Z0-9c])", paragraph)


def main() -> int:
    """Print every rate and return 1 if one is too high."""
    pages = [ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - {MADE})]
    parts = [p for page in pages for p in paragraphs(page.read_text(encoding="utf-8"))]
    lengths = [len(s.split()) for part in parts for s in sentences(part)]
    n_words, failed = sum(lengths), False
    for name, (rate, pattern) in HABITS.items():
        n = sum(len(re.findall(pattern, re.sub(r"`[^`]*`", "code", part))) for part in parts)
        own, limit = 1000 * n / n_words, ALLOWED * rate
        failed |= own > limit
        print(f"{name:<20}{n:5}{own:7.2f}  {'too many, ' if own > limit else ''}limit {limit:.2f}")
    mean, long = n_words / len(lengths), 100 * sum(n > LONG for n in lengths) / len(lengths)
    failed |= mean > MEAN or long > MOST_LONG
    print(f"{n_words:,} words, {mean:.1f} a sentence, {long:.1f}% of sentences above {LONG}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
