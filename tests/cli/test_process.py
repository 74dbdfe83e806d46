"""The command line in a process of its own."""

import subprocess
import sys

from samples import FEW, make_frame

import bayesbias as bb

PROGRAM = """
import sys
from bayesbias.__main__ import command

code = command()
print(f"exit {code}, with pyarrow: {'pyarrow' in sys.modules}")
"""


def last_line(*arguments):
    given = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    answer = subprocess.run(given, capture_output=True, text=True, check=True)
    return answer.stdout.splitlines()[-1]


def test_pyarrow_is_loaded_for_files_of_parquet_alone(tmp_path):
    for suffix in ("csv", "parquet"):
        bb.write_distances(make_frame(n_attributes=FEW), tmp_path / f"pairs.{suffix}")
    analyze = "analyze", "--model", "paper", "--distances"
    assert last_line(*analyze, tmp_path / "pairs.csv") == "exit 0, with pyarrow: False"
    assert last_line(*analyze, tmp_path / "pairs.parquet") == "exit 0, with pyarrow: True"
