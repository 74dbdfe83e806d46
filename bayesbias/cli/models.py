"""The commands ``models list`` and ``models show``."""

import argparse
import json
import textwrap

import bayesbias as bb
from bayesbias.cli.command import Command, Group
from bayesbias.cli.options import JSON
from bayesbias.cli.output import show, wrapped
from bayesbias.support.text_tables import Table


def run_list(arguments: argparse.Namespace) -> None:
    """Print the shipped models, one a line."""
    import pandas as pd

    rows = [{"name": name, "title": bb.load_model(name).title} for name in bb.list_models()]
    show(arguments, [Table(pd.DataFrame(rows))], {"models": rows})


def run_show(arguments: argparse.Namespace) -> None:
    """Print a model's mathematics, priors and notes."""
    spec = bb.load_model(arguments.model)
    lines = [
        f"{spec.name}: {spec.title}\n",
        textwrap.indent(spec.equations(), "  "),
        "\nw protected word, g group, j attribute word, l attribute list, k its kind, "
        "c connection, i pair",
    ]
    for label, text in (("source", spec.source), ("notes", spec.notes)):
        if text:
            lines.append(wrapped(f"{label}: {' '.join(text.split())}"))
    show(arguments, lines, {**json.loads(spec.to_json()), "equations": spec.equations()})


COMMAND = Group(
    "models",
    "list and show models",
    "bayesbias models show crossed",
    (
        Command("list", "list the shipped models", "bayesbias models list", JSON, run_list),
        Command(
            "show",
            "print a model's mathematics and priors",
            "bayesbias models show crossed",
            f"model MODEL  a shipped model's name or a .toml file\n{JSON}",
            run_show,
        ),
    ),
)
