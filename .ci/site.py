"""Hooks of mkdocs: pages that do not lie in docs/.

`mkdocs build --strict` makes the site. Three kinds of pages are added to those in docs/: Markdown
files of other folders, which docs/ links to as ../models/README.md and the like; the executed
notebooks; and a reference of the public names, made from their docstrings. Links across folders are
rewritten, so that the same files work on a code host and on the site.
"""

import ast
import posixpath
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import jupytext
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import bayesbias

ROOT = Path(__file__).parents[1]
OUTSIDE = ("benchmarks/README.md", "models/README.md", "wordlists/NOTICE.md", "wordlists/SCHEMA.md")
_LINK = re.compile(r"(?<!!)(\]\()([^)\s:#]+)((?:#[^)\s]*)?\))")
_STYLE = re.compile(r"<style scoped>.*?</style>\s*", re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are not in docs/."""
    pages = {path: (ROOT / path).read_text(encoding="utf-8") for path in OUTSIDE}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        pages[f"notebooks/{path.stem}.md"] = notebook_page(path)
    pages |= reference_pages()
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
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


def notebook_page(path: Path) -> str:
    """Return an executed notebook as Markdown with its tables and figures."""
    parts = []
    for cell in jupytext.read(path).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [shown(output) for output in cell.get("outputs", [])]
    name = f"notebooks/{path.name}"
    return "\n\n".join([*parts, f"*This page is `{name}`, executed.*", ""])


def shown(output: Any) -> str:
    """Return one output of a cell."""
    if output.output_type == "stream":
        return f"```text\n{output.text}```"
    data = output.data
    if "image/png" in data:
        return f"![figure](data:image/png;base64,{data['image/png'].strip()})"
    if "text/markdown" in data:
        return str(data["text/markdown"])
    if "text/html" in data:
        table = _STYLE.sub("", data["text/html"])
        table = re.sub(r"<(table|tr)[^>]*>", r"<\1>", table)  # the theme's own looks
        return re.sub(r"\n\s*", "", table)  # in one line, so that Markdown leaves it alone
    return f"```text\n{data['text/plain']}\n```"


def stub_homes(package: ModuleType) -> dict[str, str]:
    """Return the full names of what the stub of a package exports; {} where it has none."""
    path = Path(str(package.__file__)).with_suffix(".pyi")
    stub = ast.parse(path.read_text(encoding="utf-8") if path.exists() else "")
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {
        name.name: f"{package.__name__}.{node.module}.{name.name}"
        for node in imports
        for name in node.names
    }


def reference_pages() -> dict[str, str]:
    """Return the pages of the reference, from the names that the packages export."""
    public = {name: getattr(bayesbias, name) for name in sorted(bayesbias.__all__)}
    rooms = [name for name, value in public.items() if isinstance(value, ModuleType)]
    homes = stub_homes(bayesbias)
    groups = {"bayesbias": {name: homes[name] for name in public if name not in rooms}}
    for package in rooms:
        homes, names = stub_homes(public[package]), sorted(public[package].__all__)
        groups[package] = {n: homes.get(n, f"bayesbias.{package}.{n}") for n in names}
    pages = {}
    index = [
        "# Reference",
        "",
        "Every public name, from its docstring. Errors are `BayesBiasError`s and say what to do.",
        "",
    ]
    for group, paths in groups.items():
        title = group if group == "bayesbias" else f"bayesbias.{group}"
        blocks = [f"# {title}", *(f"::: {path}" for path in paths.values())]
        pages[f"reference/{group}.md"] = "\n\n".join([*blocks, ""])
        links = ", ".join(f"[{name}]({group}.md#{path})" for name, path in paths.items())
        index += [f"**[{title}]({group}.md)**: {links}", ""]
    pages["reference/index.md"] = "\n".join(index)
    return pages
