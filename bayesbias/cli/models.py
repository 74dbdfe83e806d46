"""The commands ``models list`` and ``show``."""

import argparse
import json
import textwrap

import pandas as pd

from bayesbias.cli.inputs import show
from bayesbias.inference.model_files import list_models, load_model
from bayesbias.support.text_tables import Table

_WIDTH = 96


def run_list(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print the shipped models, one a line."""
    rows = [{"name": name, "title": load_model(name).title} for name in list_models()]
    show(arguments, [Table(pd.DataFrame(rows), left=2)], {"models": rows})


def run_show(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print a model's mathematics, priors and notes."""
    spec = load_model(arguments.model)
    lines = [
        f"{spec.name}: {spec.title}\n",
        textwrap.indent(spec.equations(), "  "),
        "\nw protected word, c connection, j attribute word, k kind of attribute list, i pair",
    ]
    for label, text in (("source", spec.source), ("notes", spec.notes)):
        if text:
            line = f"{label}: {' '.join(text.split())}"
            lines.append(textwrap.fill(line, _WIDTH, subsequent_indent="  "))
    show(arguments, lines, {**json.loads(spec.to_json()), "equations": spec.equations()})
