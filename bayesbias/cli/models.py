"""The commands ``models list`` and ``show``."""

import argparse
import textwrap

from bayesbias.spec import list_models, load_model

_WIDTH = 96


def run_list(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print the shipped models, one a line."""
    for name in list_models():
        print(f"{name:<18} {load_model(name).title}")


def run_show(arguments: argparse.Namespace, given: list[str]) -> None:
    """Print a model's mathematics, priors and notes."""
    spec = load_model(arguments.model)
    print(f"{spec.name}: {spec.title}\n")
    print(textwrap.indent(spec.equations(), "  "))
    print("\nw protected word, c connection, j attribute word, k kind of attribute list, i pair")
    for label, text in (("source", spec.source), ("notes", spec.notes)):
        if text:
            line = f"{label}: {' '.join(text.split())}"
            print(textwrap.fill(line, _WIDTH, subsequent_indent="  "))
