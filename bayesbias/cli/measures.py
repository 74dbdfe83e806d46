"""The command ``measures``."""

from typing import Annotated

from typer import Option

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import app


@app.command()
@shared.with_groups
def measures(
    *,
    vectors: shared.Vectors,
    wordlist: shared.WordListName,
    all_words: Annotated[
        bool, Option("--all-words", help="Read the whole vocabulary, for neighbours.")
    ] = False,
    before: Annotated[
        str | None, Option(metavar="VECTORS", help="Vectors before debiasing, for neighbours.")
    ] = None,
    seed: shared.Seed = 1,
    as_json: shared.Json = False,
    log: shared.Log = None,
    reading: shared.Reading,
) -> None:
    """Print WEAT, MAC, RND, RNSB, RIPA and other one-number measures of a word list."""
    from bayesbias.measures.registry import MEASURES

    words = bb.load_wordlist(wordlist)
    whole = all_words or before is not None
    loaded = reading.load(vectors, None if whole else words.words)
    earlier = None if before is None else reading.load(before, None)
    names = [name for name, measure in MEASURES.items() if whole or not measure.whole_vocabulary]
    table = bb.measures.all_measures(loaded, words, names=names, before=earlier, seed=seed)
    columns = ["measure", "applies_to", "value", "low", "high", "p_value", "n_words"]
    shown = table.loc[table["skipped"] == "", columns]
    lines = [shown.to_string(index=False, float_format="%.3f", na_rep="")]
    skipped = table[table["skipped"] != ""]
    lines += [f"{row.measure} is skipped: {row.skipped}" for row in skipped.itertuples()]
    lines += [] if whole else ["Measures of neighbours need the whole vocabulary: --all-words."]
    output.show("\n".join(lines), {"seed": seed, "measures": table}, as_json=as_json)
