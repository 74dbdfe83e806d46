"""Writes the corpus of malformed files in ``tests/malformed``; each is named after its fault.

Run: python tests/make_malformed.py
The same bytes come out every time (a test compares). The first part of a name says which reader
must refuse the file: ``vectors``, ``distances``, ``wordlist``, ``model`` or ``fit``.
"""

import bz2
import struct
import zlib
from pathlib import Path

HERE = Path(__file__).parent / "malformed"
COLUMNS = "protected_word,group,attribute,attribute_set,connection,cosine_distance\n"
ROW = "he,man,saw,tools,associated,0.5\n"
LIST = """title = "t"
source = "s"
[protected]
man = ["he"]
woman = ["she"]
[associated]
man = ["tools"]
woman = ["home"]
[attributes]
tools = ["saw"]
home = ["oven"]
"""
MODEL = """title = "t"
[connection_mean]
prior = { distribution = "normal", mean = 1.0, sd = 0.3 }
[noise]
prior = { distribution = "exponential", rate = 2.0 }
[[terms]]
name = "word"
by = ["protected_word"]
prior = { distribution = "exponential", rate = 3.0 }
"""


def gzipped(content: bytes) -> bytes:
    """Compress without a time stamp, at a level whose output does not hang on the zlib."""
    deflate = zlib.compressobj(0, zlib.DEFLATED, -15)
    body = deflate.compress(content) + deflate.flush()
    tail = struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + body + tail


def record(word: bytes, *numbers: float) -> bytes:
    return word + b" " + struct.pack(f"<{len(numbers)}f", *numbers)


def corpus() -> dict[str, bytes]:
    """Return the files by name."""
    text = {
        "distances-no-rows.csv": COLUMNS,
        "distances-two-thousand-columns.csv": "," * 2000 + "\n" + ROW,
        "distances-open-quote.csv": COLUMNS + '"' + ROW * 3,
        "distances-nul-in-header.csv": "protected\0_word,group\n" + ROW,
        "distances-infinite.csv": COLUMNS + ROW.replace("0.5", "inf"),
        "distances-huge.csv": COLUMNS + ROW.replace("0.5", "9" * 500),
        "distances-empty-word.csv": COLUMNS + ROW.replace("he", "") + ROW,
        "distances-no-associated.csv": COLUMNS.replace("attribute,", "word_to_compare,").replace(
            "attribute_set", "word_class"
        )
        + "he,man,,tools,none,0.5\n",
        "wordlist-array-bomb.toml": "x = " + "[" * 5000,
        "wordlist-table-bomb.toml": "x = " + "{a=" * 5000,
        "wordlist-dotted-key.toml": "a" + ".a" * 5000 + " = 1",
        "wordlist-dotted-table.toml": "[a" + ".a" * 5000 + "]",
        "wordlist-dotted-inline.toml": "x = {a" + ".a" * 5000 + " = 1}",
        "wordlist-dotted-quoted.toml": '"a"' + '."a"' * 5000 + " = 1",
        "wordlist-huge-integer.toml": "title = " + "9" * 5000,
        "wordlist-traversal-control.toml": LIST
        + '[controls]\nneutral = "../../../../etc/passwd"\n',
        "wordlist-absolute-control.toml": LIST + '[controls]\nneutral = "/etc/passwd"\n',
        "wordlist-escape-code.toml": LIST.replace('"saw"', '"saw\\u001b[2J"'),
        "wordlist-nul-word.toml": LIST.replace('"saw"', '"s\\u0000aw"'),
        "wordlist-surrogate.toml": LIST.replace('"saw"', '"\\uD800"'),
        "wordlist-many-times-one-word.toml": LIST.replace('"saw"', '"saw",' * 5000),
        "wordlist-date-for-title.toml": LIST.replace('"t"', "2020-01-01", 1),
        "model-huge-rate.toml": MODEL.replace("rate = 2.0", "rate = 1" + "0" * 400, 1),
        "model-nan-rate.toml": MODEL.replace("rate = 2.0", "rate = nan", 1),
        "model-list-for-prior.toml": MODEL.replace('"normal"', '["normal"]'),
    }
    vectors = {
        "empty": b"",
        "nul": b"\0" * 100,
        "header-alone": b"5 3",
        "header-alone-line": b"5 3\n",
        "no-words": b"0 3\n",
        "trillion-words.txt": b"1000000000000 3\na 1 2 3\n",
        "trillion-words.txt.gz": gzipped(b"1000000000000 3\na 1 2 3\n"),
        "trillion-words.bin.gz": gzipped(b"1000000000000 3\n" + record(b"a", 1, 2, 3)),
        "trillion-numbers.gz": gzipped(b"1 1000000000000\na 1 2 3\n"),
        "million-numbers.gz": gzipped(b"2 1000000\na 1 2 3\n"),
        "long-header": b"9" * 5000 + b" 3\na 1 2 3\n",
        "negative-header": b"-1 -3\na 1 2 3\n",
        "too-large-number.txt": b"a 1e300 1\nb 1 2\n",
        "long-line.txt": b"a 1 2\n" + b"b" * 10_000 + b"\n",
        "empty-word.bin": b"2 1\n" + record(b"a", 1) + record(b"", 2),
        "long-word.bin": b"1 1\n" + record(b"a" * 5000, 1),
        "spaces.bin": b"1 2\n" + b" " * 200,
        "not-utf8.bin": b"1 1\n" + record(b"\xff\xfe", 1),
        "cut.gz": gzipped(b"a 1 2\nb 3 4\n")[:-9],
        "wrong-checksum.gz": gzipped(b"a 1 2\nb 3 4\n")[:-8] + b"\0" * 8,
        "gzip-of-nothing.gz": gzipped(b""),
        "garbage-after.gz": gzipped(b"a 1 2\nb 3 4\n") + b"garbage",
        "bomb.bz2": bz2.compress(b"a 1 2\n" + b"\n" * (5 << 20)),
        "pickle": b"\x80\x04\x95" + b"cos\nsystem\n(S'echo pwned'\ntR.",
    }
    fits = {
        "fit-empty.nc": b"",
        "fit-no-hdf5.nc": b"CDF\x01" + b"\0" * 60,
        "fit-signature-alone.nc": b"\x89HDF\r\n\x1a\n" + b"\xff" * 200,
        "distances-parquet-signature.parquet": b"PAR1" + b"\xff" * 60 + b"PAR1",
        "distances-latin1.csv": (COLUMNS + ROW).replace("saw", "scie à main").encode("latin-1"),
        "distances-trillion.csv.gz": gzipped(b"," * 3000),
    }
    named = {f"vectors-{name}": content for name, content in vectors.items()}
    return {name: content.encode() for name, content in text.items()} | named | fits


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for old in HERE.iterdir():
        old.unlink()
    for name, content in corpus().items():
        (HERE / name).write_bytes(content)
