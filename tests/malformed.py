"""Malformed files, each named after its fault.

The first part of a name says which reader must refuse the file: ``distances``, ``wordlist``,
``model`` or ``fit``. Vectors are in `tests/vectors/test_records.py`.
"""

import gzip
import struct

COLUMNS = "protected_word,group,attribute,attribute_set,connection,cosine_distance\n"
PUBLISHED = "protected_word,group,word_to_compare,word_class,connection,cosine_distance\n"
ROW = "he,man,saw,tools,associated,0.5\n"
LIST = """title = "t"
source = "s"
[groups]
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


def record(word: bytes, *numbers: float) -> bytes:
    return word + b" " + struct.pack(f"<{len(numbers)}f", *numbers)


TEXTS = {
    "distances-no-rows.csv": COLUMNS,
    "distances-nul-in-header.csv": "protected\0_word,group\n" + ROW,
    "distances-huge.csv": COLUMNS + ROW.replace("0.5", "9" * 500),
    "distances-no-associated.csv": PUBLISHED + "he,man,,tools,none,0.5\n",
    "wordlist-array-bomb.toml": "x = " + "[" * 5000,
    "wordlist-dotted-key.toml": "a" + ".a" * 5000 + " = 1",
    "wordlist-huge-integer.toml": "title = " + "9" * 5000,
    "wordlist-traversal-control.toml": LIST + '[controls]\nneutral = "../../../../etc/passwd"\n',
    "wordlist-escape-code.toml": LIST.replace('"saw"', '"saw\\u001b[2J"'),
    "wordlist-surrogate.toml": LIST.replace('"saw"', '"\\uD800"'),
    "wordlist-many-times-one-word.toml": LIST.replace('"saw"', '"saw",' * 5000),
    "wordlist-date-for-title.toml": LIST.replace('"t"', "2020-01-01", 1),
    "model-huge-rate.toml": MODEL.replace("rate = 2.0", "rate = 1" + "0" * 400, 1),
    "model-nan-rate.toml": MODEL.replace("rate = 2.0", "rate = nan", 1),
    "model-list-for-prior.toml": MODEL.replace('"normal"', '["normal"]'),
}
CORPUS = {name: text.encode() for name, text in TEXTS.items()} | {
    "fit-empty.nc": b"",
    "fit-signature-alone.nc": b"\x89HDF\r\n\x1a\n" + b"\xff" * 200,
    "distances-parquet-signature.parquet": b"PAR1" + b"\xff" * 60 + b"PAR1",
    "distances-latin1.csv": (COLUMNS + ROW).replace("saw", "scie à main").encode("latin-1"),
    "distances-trillion.csv.gz": gzip.compress(b"," * 3000),
}
