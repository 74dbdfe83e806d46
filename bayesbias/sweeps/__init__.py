"""Many embeddings, word lists, debiasing steps and models in one resumable run."""

from bayesbias.sweeps.running import SweepResult, run_sweep
from bayesbias.sweeps.specification import Source, Step, Sweep, Task, load_sweep

__all__ = ["Source", "Step", "Sweep", "SweepResult", "Task", "load_sweep", "run_sweep"]
