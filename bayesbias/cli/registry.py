"""All commands, in the order of ``bayesbias --help``: to add one, write its file and list it."""

from typing import Final

from bayesbias.cli import (
    analogy,
    analyze,
    check,
    cite,
    classifier_bounds,
    classifier_gaps,
    classifier_plan,
    compare,
    convert,
    debias,
    demo,
    facts,
    measures,
    models,
    plan,
    report,
    runs,
    simulate,
    sweep,
    wordlists,
)
from bayesbias.cli.command import Command, Group

COMMANDS: Final[tuple[Command | Group, ...]] = (
    analyze.COMMAND,
    demo.COMMAND,
    compare.COMMAND,
    report.COMMAND,
    measures.COMMAND,
    facts.COMMAND,
    debias.COMMAND,
    convert.COMMAND,
    plan.COMMAND,
    simulate.COMMAND,
    sweep.COMMAND,
    check.COMMAND,
    runs.COMMAND,
    analogy.COMMAND,
    Group(
        "classifier",
        "compare groups in a file of predictions, and plan how many to annotate",
        classifier_gaps.COMMAND.example,
        (classifier_bounds.COMMAND, classifier_gaps.COMMAND, classifier_plan.COMMAND),
    ),
    wordlists.COMMAND,
    models.COMMAND,
    cite.COMMAND,
)
