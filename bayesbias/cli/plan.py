"""The command ``plan``."""

import argparse
from pathlib import Path

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.output import call_with_options, check_out, in_steps, say, show, write_to_out


def run(arguments: argparse.Namespace) -> None:
    """Simulate lists of different lengths, print and write what they would tell."""
    check_out(arguments)
    basis = None
    if arguments.fit is not None:
        path = Path(arguments.fit)
        basis = bb.load_fit(path / "fit.nc" if path.is_dir() else path)
    found = call_with_options(bb.plan_wordlist, arguments, basis)
    show(arguments, found.screen(found.next_step(typed=True)), found.to_dict())
    tables = {"plan": found.table, "needed": found.needed}
    manifest = {"seed": arguments.seed, "basis": found.basis}
    write_to_out(arguments, tables, {"plan": found.plot}, manifest)
    say(arguments, "")
    own = "Plan from words like yours: fit a first list, bayesbias analyze VECTORS --out DIR, then "
    steps = [f"{own}bayesbias plan DIR."] * (arguments.fit is None)
    steps += ["Write the list: bayesbias wordlists new NAME."] * (not found.is_reached)
    say(arguments, in_steps(steps))


COMMAND = Command(
    "plan",
    "say how many words a list needs for intervals of a given width",
    "bayesbias plan out/religion --width 0.05",
    f"""
fit FIT?  a fit.nc, or the folder of an analysis of words like yours: its differences and standard
    deviations are assumed (default: those of the published files)
--width D  target width of the interval (default 0.05)
--words N,N -> n_words  protected words in all to try (default 6,14,25,50,100)
--attributes N,N -> n_attributes  stereotype attributes in all to try (default 10,25,50)
--simulations N  made-up data sets per combination, more for steadier numbers (default 40)
--interaction D  of crossed groups, such as race by gender: how much one group has beyond both its
    levels, in cosine distance; a row tells how often that is found
{shared.OUTPUT}
{shared.decision()}
""",
    run,
)
