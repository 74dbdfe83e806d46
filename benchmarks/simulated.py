"""How often methods say bias in the worlds of `bayesbias simulate`.

    python benchmarks/simulated.py [--worlds 1000] [--seed 1] [--save simulated]

Nothing is associated, or associated pairs are closer by .05, or by the limit of the ROPE. Effects
are of words alone (w), of words and attributes (w a), or also of groups on attributes (w a g).
Besides, MAC where all mean distances are 1. Prints percentages, a row for every method.
"""

from collections.abc import Iterator

import pandas as pd
from worlds import options, tell

import bayesbias as bb
from bayesbias.simulate.characteristics import COMPONENTS
from bayesbias.simulate.deciders import METHODS

SHORT = dict(zip(COMPONENTS, ("w", "w a", "w a g"), strict=True))


def rows(
    table: pd.DataFrame, effects: dict[float, str], more: str = ""
) -> Iterator[dict[str, str | float]]:
    """Yield a row for every method; shares at the edge of the ROPE are of rules that use it."""
    for name, own in table.groupby("method", sort=False):
        method = METHODS[name]
        rule = method.rule.replace(f"{method.model}:", f"`{method.model}`:", 1) + more
        row: dict[str, str | float] = {"method": rule, "question": method.question}
        row["nominal"] = f"{method.nominal:.0%}" if method.nominal else ""
        for one in own.itertuples():
            if "edge" not in effects[one.effect] or "ROPE" in rule:
                row[f"{effects[one.effect]}: {SHORT[one.components]}"] = 100 * one.says_bias
        yield row


def main() -> None:
    """Print a table."""
    given = options(__doc__, worlds=1000, seed=1).parse_args()
    common = {"worlds": given.worlds, "seed": given.seed}
    assumed = bb.simulate.Assumptions()
    edge = 0.1 * assumed.sd_of_pair("neutral")
    effects = {0.0: "false positives", 0.05: "power at .05", edge: "at the edge of the ROPE"}
    found = bb.simulate.operating_characteristics(effects=list(effects), **common)
    ones = assumed.replace(connection_mean={"neutral": 1.0})
    of_mac = bb.simulate.operating_characteristics(
        ["mac-t"], effects=[0.0], assumptions=ones, **common
    )
    means = ", all mean distances 1"
    tell([*rows(found.table, effects), *rows(of_mac.table, effects, means)], given)


if __name__ == "__main__":
    main()
