"""Many embeddings × debiasing methods × word lists × models, from one TOML file."""

from bayesbias.studies.sweep_file import Sweep, load_sweep
from bayesbias.studies.sweep_result import SweepResult
from bayesbias.studies.sweep_run import run_sweep

__all__ = ["Sweep", "SweepResult", "load_sweep", "run_sweep"]


def __dir__() -> list[str]:
    return __all__
