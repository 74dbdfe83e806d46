"""Hooks of mkdocs: pages that do not lie in docs/.

`mkdocs build --strict` makes the site. Three kinds of pages are added to those in docs/: Markdown
files of other folders; the executed notebooks; and a reference of the public names by task, from
their docstrings, with the help of all commands. Links across folders are rewritten, so that the
same files work on a code host and on the site. The build fails if two pages have one destination,
or a link leads nowhere; mkdocs lets the later page replace the other, and looks at no anchor of a
generated page.
"""

import html
import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jupytext
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer.main import get_command
from typer.testing import CliRunner

import bayesbias
from bayesbias.cli import analysis, app, tools  # noqa: F401

ROOT = Path(__file__).parents[1]
OUTSIDE = (
    *("benchmarks/README.md", "models/SCHEMA.md", "wordlists/NOTICE.md", "wordlists/SCHEMA.md"),
    *("CONTRIBUTING.md", "CHANGELOG.md"),
)
_LINK = re.compile(r"(?<!!)(\]\()([^)\s:#]+)((?:#[^)\s]*)?\))")
_ANCHOR = re.compile(r'\s(?:id|name)="([^"]*)"')
_TARGET = re.compile(r'\s(?:href|src)="([^"]*)"')
_STYLE = re.compile(r"<style scoped>.*?</style>\s*", re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are not in docs/."""
    pages = {path: (ROOT / path).read_text(encoding="utf-8") for path in OUTSIDE}
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    pages |= {f"notebooks/{path.stem}.md": notebook_page(path) for path in notebooks}
    pages |= reference_pages()
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    sources: dict[str, str] = {}
    for file in files:
        if (other := sources.setdefault(file.dest_uri.casefold(), file.src_uri)) != file.src_uri:
            raise PluginError(f"{other} and {file.src_uri} have one destination")
    return files


def on_page_markdown(markdown: str, page: Page, config: Any, files: Files) -> str:
    """Rewrite links between folders to the places that the pages have on the site."""
    here = page.file.src_uri
    home = here if here in OUTSIDE or here.startswith("notebooks/") else f"docs/{here}"

    def rewrite(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(home), match[2]))
        place = target.removeprefix("docs/")
        if place.startswith("notebooks/"):
            place = place.replace(".ipynb", ".md")
        if files.get_file_from_path(place) is None:
            return match[0]  # mkdocs says that it leads nowhere
        relative = posixpath.relpath(place, posixpath.dirname(here) or ".")
        return f"{match[1]}{relative}{match[3]}"

    return _LINK.sub(rewrite, markdown)


def on_post_build(config: Any) -> None:
    """Fail if a link of the site leads nowhere."""
    if dead := list(dead_links(Path(config.site_dir))):
        raise PluginError("\n".join(["dead links:", *dead]))


def dead_links(site: Path) -> Iterator[str]:
    """Yield the relative links of a built site whose file or anchor is not there."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    anchors = {path: {"", "__top", *_ANCHOR.findall(text)} for path, text in pages.items()}
    for path, text in pages.items():
        for link in map(html.unescape, _TARGET.findall(text)):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or parts.path.startswith("/"):
                continue
            goal = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            anchor = unquote(parts.fragment)
            if not goal.exists() or anchor not in anchors.get(goal, {anchor}):
                yield f"{path.relative_to(site)}: {link}"


def notebook_page(path: Path) -> str:
    """Return an executed notebook as Markdown with its tables and figures."""
    parts = []
    for cell in jupytext.read(path).cells:
        parts.append(f"```python\n{cell.source}\n```" if "outputs" in cell else cell.source)
        for output in cell.get("outputs", []):
            data = output.get("data") or {"text/plain": output.text}
            if "image/png" in data:
                parts.append(f"![figure](data:image/png;base64,{data['image/png'].strip()})")
            elif "text/markdown" in data:
                parts.append(data["text/markdown"])
            elif "text/html" in data:
                table = _STYLE.sub("", data["text/html"])
                table = re.sub(r"<(table|tr)[^>]*>", r"<\1>", table)  # the theme's own looks
                parts.append(re.sub(r"\n\s*", "", table))  # Markdown leaves one line alone
            else:
                parts.append(f"```text\n{data['text/plain'].rstrip()}\n```")
    return "\n\n".join([*parts, f"*This page is `notebooks/{path.name}`, executed.*", ""])


TASKS = {
    "load": "load_embedding example_embedding vectors",
    "words": "load_wordlist list_wordlists WordList distances vocabulary_coverage missing_words "
    "read_distances write_distances words",
    "analyze": "analyze fit Fit DecisionRule load_fit",
    "compare": "compare Comparison run_sweep check_rules",
    "models": "list_models load_model ModelSpec TermSpec NoiseSpec Prior",
    **{name: name for name in ("measures", "debias", "analogies", "classifiers")},
    "errors": "BayesBiasError BayesBiasWarning",
}
"""Of every page of the reference its names; a package stands for all that it exports."""


def places_of(name: str) -> dict[str, str]:
    """Return a public name, or the names of a public package, and where they are defined."""
    if module := bayesbias._MODULES[name]:
        return {name: f"bayesbias.{module}.{name}"}
    package = getattr(bayesbias, name)
    public = {own: getattr(package, own) for own in sorted(package.__all__)}
    places = {own: value.__module__ for own, value in public.items() if callable(value)}
    modules = getattr(package, "_MODULES", {})  # of constants too
    places |= {own: f"{package.__name__}.{modules[own]}" for own in modules.keys() - places}
    return {f"{name}.{own}": f"{places[own]}.{own}" for own in sorted(places)}


def reference_pages() -> dict[str, str]:
    """Return the pages of the reference: an index, a page a task, and the commands."""
    pages, index = {}, ["# Reference", "Every public name, by task. [Commands](commands.md) too."]
    for task, names in TASKS.items():
        places = {own: place for name in names.split() for own, place in places_of(name).items()}
        blocks = [f"# {task.capitalize()}", *(f"::: {place}" for place in places.values())]
        pages[f"reference/{task}.md"] = "\n\n".join([*blocks, ""])
        links = ", ".join(f"[`{name}`]({task}.md#{place})" for name, place in places.items())
        index.append(f"**[{task.capitalize()}]({task}.md)**: {links}")
    parts = ["# Commands", "The help of every command, as `--help` prints it."]
    for name, command in get_command(app.app).commands.items():
        for words in [[name], *([name, sub] for sub in getattr(command, "commands", {}))]:
            shown = CliRunner().invoke(app.app, [*words, "--help"], prog_name="bayesbias").output
            parts.append(f"## {' '.join(words)}\n\n```text\n{shown.strip()}\n```")
    pages["reference/commands.md"] = "\n\n".join([*parts, ""])
    return pages | {"reference/index.md": "\n\n".join([*index, ""])}
