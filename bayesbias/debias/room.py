"""Room for a result that may be larger than memory."""

import math
import tempfile
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bayesbias.errors import ArgumentError, OutputError

_PIECE: Final = 1 << 22


def room_for(shape: tuple[int, int], dtype: DTypeLike, memory_mb: float) -> NDArray[Any]:
    """Return an array to fill: in memory up to a size, else mapped from a temporary file.

    The file has no name and goes with the array. All of it is reserved at once, since a write to
    a mapped page for which the disk has no room would end the process.

    Parameters
    ----------
    shape : tuple of int
    dtype : dtype
    memory_mb : float
        Megabytes.

    Raises
    ------
    ArgumentError
        If `memory_mb` is not positive.
    OutputError
        If the folder for temporary files has not the room.

    Examples
    --------
    >>> room_for((2, 3), np.float32, memory_mb=1).shape
    (2, 3)
    """
    if not memory_mb > 0:
        raise ArgumentError(f"memory_mb={memory_mb}: must be above 0")
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if not size or size <= memory_mb * 1e6:
        return np.empty(shape, dtype=dtype)
    try:
        with tempfile.TemporaryFile() as stream:
            for start in range(0, size, _PIECE):
                stream.write(bytes(min(_PIECE, size - start)))
            stream.flush()
            return np.memmap(stream, dtype=dtype, mode="r+", shape=shape).view(np.ndarray)
    except OSError as error:
        raise OutputError(
            f"{tempfile.gettempdir()}: no room for a temporary file of {size / 1e6:,.0f} MB "
            f"({error.strerror}); name a folder on a larger disk in TMPDIR, or allow more memory"
        ) from error
