"""The page of several: embeddings or times side by side, lists one after the other, or a sweep."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bayesbias import __version__
from bayesbias.fits.fit_result import Fit
from bayesbias.pairs.provenance import source_of
from bayesbias.report.checks import diagnostics_section
from bayesbias.report.data import data_section
from bayesbias.report.method import citation_section, method_section
from bayesbias.report.parts import Code, Facts, Figure, Folded, Part, Report, Section
from bayesbias.studies.comparison import Comparison
from bayesbias.support.forests import Forest
from bayesbias.support.text_tables import Blocks, Table, counted, listed

_IN_SDS: Final = (
    "In standard deviations of a neutral pair's distance, which compare across embeddings, with "
    "{label}. Grey: the region of practical equivalence (ROPE)."
)

_AXIS: Final = "difference in sd of a neutral pair"


def report_of_comparison(found: Comparison, *, command: str = "", title: str = "") -> Report:
    """Collect all that the page of several embeddings or times says."""
    fit, pairs = found.main_fit, found.pairs
    figure = Figure(_IN_SDS.format(label=found.rule.label), tuple(map(_on_page, found.forests)))
    sections = (
        Section("contrasts", "What each says, and what differs", captioned(found.details)),
        data_section(pairs, *_left_out(found)),
        diagnostics_section(fit),
        method_section(fit, found.main_rule),
        citation_section(fit),
        _reproduction(fit, command),
    )
    n = counted(len(pairs), "pair"), counted(len(found.scales), found.noun)
    what = f"{fit.spec.name} model, {' in each of '.join(n)}"
    title = title or _title(found)
    return Report(title, what, tuple(found.answers), figure, sections, fit.left_out)


def _on_page(forest: Forest) -> Forest:
    """Return a forest with the region of its rows, where they have one, behind all of them."""
    ropes = {round(row.rope, 6) for row in forest.rows}
    region = (-max(ropes), max(ropes)) if len(ropes) == 1 and max(ropes) > 0 else None
    return replace(forest, region=region, axis=_AXIS)


def _title(found: Comparison) -> str:
    """Name a page by the word list and the conditions."""
    source = source_of(found.main_fit.frame)
    about = source.get("wordlist_title") or source.get("wordlist") or f"Several {found.noun}s"
    return f"{about} in {listed(list(found.scales))}"


def captioned(blocks: Blocks) -> tuple[Part, ...]:
    """Return what a result shows as parts; a line that ends with a colon is a table's caption."""
    parts: list[Part] = []
    for block in blocks:
        if isinstance(block, Table):
            heads = bool(parts) and isinstance(parts[-1], str) and parts[-1].endswith(":")
            caption = str(parts.pop()).rstrip(":") if heads else block.caption
            parts.append(replace(block, caption=caption))
        elif block.strip():
            parts.append(block)
    return tuple(parts)


def _left_out(found: Comparison) -> tuple[Part, ...]:
    """Show the words that some lack, folded."""
    if found.unshared.empty:
        return (f"Every word is in all of the {found.noun}s.",)
    n = counted(len(found.unshared), "word")
    return (Folded(f"{n} not in all of the {found.noun}s, and left out", Table(found.unshared)),)


def _reproduction(fit: Fit, command: str) -> Section:
    """Give the command, the seed and the versions."""
    again = Code("The command that made it", command) if command else "Made from Python."
    known: Mapping[str, object] = {**fit.versions, "bayesbias": __version__}
    facts = [("model", f"{fit.spec.name} ({fit.spec.id})"), ("seed", str(fit.seed))]
    versions = [(name, str(version)) for name, version in known.items()]
    return Section("reproduce", "How to reproduce it", (again, Facts((*facts, *versions))))
