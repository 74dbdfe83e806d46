"""Hostile and broken input: every reader reads it or refuses it in words, soon, in small space."""

import bz2
import contextlib
import csv
import gzip
import sys
import tracemalloc
import unicodedata

import numpy as np
import pandas as pd
import pytest
from malformed import CORPUS, LIST, MODEL, record
from samples import FEW as SMALL
from samples import ROOT, changed, make_frame, run_python, soon

import bayesbias as bb
from bayesbias.analogies import read_questions
from bayesbias.comparison.rules import read_rules
from bayesbias.comparison.sweep import read_sweep
from bayesbias.errors import (
    BayesBiasError,
    DataWarning,
    DistancesError,
    EmbeddingError,
    OutputError,
    WordListError,
)
from bayesbias.show.csv_files import escape_formula, without_apostrophes, write_csv

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

REPRODUCIBLE = {"derandomize": True, "deadline": None, "database": None}
FEW = settings(max_examples=40, suppress_health_check=list(HealthCheck), **REPRODUCIBLE)
READER_OF = {
    **{"vectors": bb.load_embedding, "distances": bb.read_distances, "fit": bb.load_fit},
    **{"wordlist": bb.load_wordlist, "model": bb.load_model},
}
OTHERS = {
    **{"parquet": bb.read_distances, "questions": read_questions},
    **{"rules": read_rules, "sweep": read_sweep},
}


@pytest.mark.parametrize("name", sorted(CORPUS))
def test_every_malformed_file_is_refused_in_words(name, tmp_path):
    (tmp_path / name).write_bytes(CORPUS[name])
    with soon(), pytest.raises(BayesBiasError) as caught:
        READER_OF[name.partition("-")[0]](tmp_path / name)
    assert name in str(caught.value)


TEXTS = {
    "vectors": "a 1 2 3\nb c 4 5 6\né 7 8 9\n",
    "distances": make_frame(n_words=2, n_attributes={"associated": 2}).to_csv(index=False),
    "wordlist": f'{LIST}[controls]\nhuman = ["eat"]\nneutral = "neutral"\n',
    "model": MODEL,
    "questions": ": x\na b c d\n",
    "rules": 'vectors = "x.toml"\nwordlist = "gender"\n[rules.a]\n'
    'contrast = "associated - different"\nat_most = 2\n',
    "sweep": 'models = ["paper"]\nwordlists = ["gender"]\nseed = 1\nci_prob = 0.8\n'
    '[vectors]\ne = "x.toml"\nall = "*.toml"\n',
}
"""Sound files that are texts."""

SIGNS = [*'[]{}=,:"#\n\r\t\0\ufeff ', '"""', "a.b", "-100", "nan", "1e999", "true", "9" * 4400]
"""Pieces of a text that readers stumble over."""


@st.composite
def edited(draw, sound):
    """A sound file with a few bytes replaced, put in, cut out or doubled."""
    content = bytearray(sound)
    for _ in range(draw(st.integers(1, 6))):
        at, length = draw(st.integers(0, len(content))), draw(st.integers(0, 16))
        new = draw(st.sampled_from([b"", b"\0" * 64, b"\xff", b"9" * 20]) | st.binary(max_size=8))
        content[at : at + length] = draw(st.sampled_from([new, 2 * content[at : at + length]]))
    return bytes(content)


def attempt(reader, content, path):
    """Give a file to its reader: ``read`` or ``refused``; anything else is a defect and raised."""
    path.write_bytes(content)
    with np.errstate(all="warn", under="ignore"):
        try:
            (READER_OF | OTHERS)[reader](path)
        except BayesBiasError as error:
            return "refused" if str(error) else "refused without a word"
    return "read"


# h5netcdf's File, when it cannot be opened, complains again as it is thrown away.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize("reader", READER_OF | OTHERS)
def test_fuzzed_files_are_read_or_refused(reader, saved_fit, tmp_path):
    path = tmp_path / ("x.toml" if reader in ("wordlist", "model", "rules", "sweep") else "x")
    kinds = [st.binary(max_size=200)]
    if reader in TEXTS:
        sound = TEXTS[reader].encode()
        pieces = st.sampled_from([*TEXTS[reader].splitlines(keepends=True), *SIGNS])
        texts = st.lists(pieces | st.text(max_size=5), max_size=40).map("".join)
        kinds.append(texts.map(lambda text: text.encode("utf-8", "surrogatepass")))
    elif reader == "fit":
        sound = saved_fit
    else:
        make_frame().to_parquet(path)
        sound = path.read_bytes()
    assert attempt(reader, sound, path) == "read"

    @settings(FEW, max_examples=10 if reader == "fit" else 40)
    @given(st.one_of(edited(sound), *kinds))
    def run(content):
        assert attempt(reader, content, path) in ("read", "refused")

    run()


def renamed(frame, name):
    return frame.assign(attribute=frame["attribute"].replace({"human0": name}))


ODD_FRAMES = {
    "one outlier": lambda frame: changed(frame, 3, cosine_distance=2.0),
    "no noise": lambda frame: frame.assign(cosine_distance=1.0),
    "few pairs": lambda frame: frame.iloc[::17],
    "no record": lambda frame: pd.DataFrame(dict(frame)),
    "a name of a role": lambda frame: renamed(frame, "reference"),
    "a long name": lambda frame: renamed(frame, "$\\x$<b>\u202e" * 300),
}


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize("oddity", ODD_FRAMES)
@pytest.mark.parametrize("model", ["paper", "maximal"])
def test_an_odd_frame_is_answered_or_refused_in_words(model, oddity):
    frame = ODD_FRAMES[oddity](make_frame(n_words=4, n_attributes=SMALL))
    try:
        fit = bb.fit(frame, model, draws=200, chains=2, seed=1)
    except BayesBiasError:
        return
    for question in (fit.summary, fit.contrasts, fit.check):
        with contextlib.suppress(BayesBiasError):
            assert repr(question())


def _words(number, start=""):
    return ", ".join(f'"{start}{i:x}"' for i in range(number))


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        (f'[controls]\nneutral = "neutral"\nhuman = [{_words(30_000)}]\n', False),
        (f"[controls]\nhuman = [{_words(16_000)}]\n[topics]\nx = [{_words(16_000)}]\n", False),
        (f"[topics]\nx = [{_words(25_000, 'q')}]\n", True),
        ("[titles]\n" + "".join(f"a{i} = 1\n" for i in range(20_000)), True),
        ("".join(f's{i} = ["w{i}"]\n' for i in range(12_000)), False),  # was quadratic
        (f"[topics]\nx = ['{'ab' * 50_000}']\n[controls]\nhuman = ['{'ba' * 50_000}']\n", True),
    ],
    ids=["words", "topics", "unknown topics", "unknown titles", "sets", "long names"],
)
def test_lists_as_long_as_a_file_allows_are_read_or_refused_soon(more, refused, tmp_path):
    """Words were counted each among all; every fault listed all names that would be valid."""
    path = tmp_path / "long.toml"
    path.write_text(LIST + more)
    with soon():
        if not refused:
            bb.load_wordlist(path)
            return
        with pytest.raises(WordListError, match=r"the first 20 faults|is no attribute") as caught:
            bb.load_wordlist(path)
    assert len(str(caught.value)) < 200_000


words = st.text(
    st.characters(exclude_categories=["Cs", "Cf"], exclude_characters="\0\ufeff"),
    min_size=1,
    max_size=6,
).map(lambda text: unicodedata.normalize("NFC", text))
signs = ["=", "+", "-", "@", "\t", "\r", "'", "''=", "=f(", "'@x|"]
nasty = st.builds(str.__add__, st.sampled_from(signs), words).filter(
    lambda text: unicodedata.is_normalized("NFC", text)
)


@FEW
@given(st.lists(words | nasty, min_size=2, max_size=5, unique=True))
def test_any_words_come_back_from_a_file_of_distances(tmp_path_factory, names):
    path = tmp_path_factory.mktemp("words") / "d.csv"
    columns = {"protected_word": names, "group": names, "attribute": names[::-1]}
    frame = pd.DataFrame({**columns, "attribute_set": names, "connection": "associated"})
    frame["cosine_distance"] = np.linspace(0.1, 1.9, len(names))
    bb.write_distances(frame, path)
    back = bb.read_distances(path)
    pd.testing.assert_frame_equal(back, frame, check_dtype=False, check_exact=True)


@pytest.mark.parametrize(
    ("word", "complaint"), [("wor\0d", "holds a NUL"), ("\ud800", "not valid Unicode")]
)
def test_a_word_that_would_not_come_back_is_not_written(frame, tmp_path, word, complaint):
    """Readers of CSV end a word at a NUL: the C parser of pandas before 3.0 does."""
    names = [word if name == "human1" else name for name in frame["attribute"]]
    frame["attribute"] = pd.Series(names, dtype=object)
    with pytest.raises(OutputError, match=complaint):
        bb.write_distances(frame, tmp_path / "d.csv")
    assert list(tmp_path.iterdir()) == []


@FEW
@given(st.lists(words | nasty, min_size=1, max_size=5))
def test_no_text_of_a_table_is_a_formula(tmp_path_factory, cells):
    path = tmp_path_factory.mktemp("table") / "t.csv"
    write_csv(pd.DataFrame({"word": cells, "value": -0.5}), path)
    with path.open(newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["word", "value"]
    assert [row[1] for row in rows] == ["-0.5"] * len(cells)
    calling = [row[0] for row in rows if row[0].lstrip()[:1] in tuple("=+-@") and row[0].strip()]
    assert not [cell for cell in calling if set(cell) & set("(|")]
    assert without_apostrophes(pd.Series([row[0] for row in rows])).tolist() == cells


def test_what_a_formula_looks_like():
    assert escape_formula("=HYPERLINK(1)") == "'=HYPERLINK(1)"
    assert escape_formula("'tis") == "'tis"
    assert escape_formula("a=b()") == "a=b()"
    for formula in ("=f()", " =f()", "\t@SUM(1)", "+cmd|' /C calc'!A0", "\uff1df(1)", "''=f()"):
        assert escape_formula(formula) == f"'{formula}"
    for text in ("@user", "-ism", "=", "=(", "+1", "=A1", "'@user"):
        assert escape_formula(text) == text or "(" in text
    assert escape_formula(-1.0) == -1.0
    # No other module writes CSV, so that none can forget the apostrophes.
    modules = (ROOT / "bayesbias").rglob("*.py")
    assert [p.name for p in modules if ".to_csv(" in p.read_text("utf-8")] == ["csv_files.py"]


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "..", "a" * 5000, "a\0b", "a" * 5000 + ".toml", "a\0.toml", "/dev/zero"],
)
def test_names_that_are_no_files(name):
    for reader in READER_OF.values():
        with pytest.raises(BayesBiasError):
            reader(name)


BOMBS = {
    "one line": (b"a 1 2\n" + b"b" * (12 << 20), 6),
    "zeros": (b"9 1000\n" + b"\0" * (12 << 20), 6),
    # 10¹² words, or vectors of a million numbers for 400 words, in a few bytes
    "words": (b"1000000000000 300\na 1\n", 16),
    "numbers": (b"1000000000000 1000000\na 1\n", 16),
}


@pytest.mark.parametrize("pack", [bz2.compress, gzip.compress])
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_before_memory_is_taken(tmp_path, bomb, pack):
    path, (content, megabytes) = tmp_path / "v.gz", BOMBS[bomb]
    path.write_bytes(pack(content))
    words = [f"w{i}" for i in range(400)] if megabytes == 16 else None

    def read() -> None:
        with soon(), pytest.raises(EmbeddingError):
            bb.load_embedding(path, words=words)

    read()
    tracemalloc.start()
    try:
        read()
        assert tracemalloc.get_traced_memory()[1] < megabytes << 20
    finally:
        tracemalloc.stop()


def test_a_compressed_table_of_distances(frame, tmp_path):
    path = tmp_path / "d.csv"
    bb.write_distances(frame, path)
    content = path.read_bytes()
    path.write_bytes(gzip.compress(content))
    assert len(bb.read_distances(path)) == len(frame)
    path.write_bytes(gzip.compress(content + b"\n" * (20 << 20)))
    with pytest.raises(DistancesError, match="100 times its size"):
        bb.read_distances(path)


def test_parquet_that_claims_more_rows_than_it_has_bytes(tmp_path):
    import pyarrow as arrow
    from pyarrow import parquet

    n = 2_000_000
    zeros = arrow.array(np.zeros(n, dtype=np.int32))
    names = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    same = {c: arrow.DictionaryArray.from_arrays(zeros, arrow.array(["human"])) for c in names}
    parquet.write_table(arrow.table({**same, "cosine_distance": np.zeros(n)}), tmp_path / "d")
    with pytest.raises(DistancesError, match="unpacks to 96,000,000, as no honest"):
        bb.read_distances(tmp_path / "d")


def test_toml_files_are_bounded(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('title = "' + "x" * 300_000 + '"')
    with pytest.raises(WordListError, match="more than 262,144 bytes"):
        bb.load_wordlist(path)


def test_repeated_words_take_one_pass():
    names = [f"w{i}" for i in range(100_000)] + ["z", "z"]
    with soon(3), pytest.warns(DataWarning, match="an earlier vector has the same word: z"):
        assert len(bb.load_embedding((names, np.ones((len(names), 1))))) == 100_001


@pytest.fixture(scope="module")
def saved_fit(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "fit.nc"
    bb.fit(make_frame(), "paper", draws=300, chains=2, seed=1).save(path)
    return path.read_bytes()


def test_words_do_not_drive_the_terminal(tmp_path):
    """Escape codes in words and file names are written out, not sent."""
    (tmp_path / "v").write_bytes(b"2 2\n" + record(b"a", 1, 2) + record(b"b\x1b[2J", np.inf, 1))
    arguments = ["debias", "hard", tmp_path / "v", tmp_path / "o.bin", "--wordlist", "gender"]
    done = run_python("-m", "bayesbias", *arguments)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr + done.stdout
    assert "[2J" in done.stderr


@pytest.mark.slow
def test_peak_memory_of_a_plain_file_is_a_small_multiple_of_it(tmp_path):
    """Text of 6 bytes a number becomes 4 bytes a number, and words."""
    path = tmp_path / "v"
    rng = np.random.default_rng(0)
    numbers = [" ".join(f"{x:.3f}" for x in rng.standard_normal(50)) for _ in range(100)]
    path.write_text("".join(f"w{i} {numbers[i % 100]}\n" for i in range(25_000)))
    code = (
        f"import resource, bayesbias as bb; bb.load_embedding({{'a': [1.0]}}); "
        f"a = resource.getrusage(0).ru_maxrss; bb.load_embedding({str(path)!r}); "
        f"print(resource.getrusage(0).ru_maxrss - a)"
    )
    done = run_python("-c", code)
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(done.stdout) * unit < 4 * path.stat().st_size
