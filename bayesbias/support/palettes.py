"""A user's colours in a figure that is drawn, in place of the usual ones."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.colors import is_color_like, to_hex, to_rgba_array

from bayesbias.errors import ArgumentError, suggest
from bayesbias.support.types import Palette

_COLOURED: Final = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")


def recolour(figure: Artist, palette: Palette, usual: Mapping[str, str]) -> None:
    """Give everything in a figure, or axes, that is coloured the colours of a palette.

    `usual` are the colours by name. Grey, black and white stay: they are no colours of data.
    """
    coloured = [
        (artist, name)
        for artist in figure.findobj()
        for name in _COLOURED
        if hasattr(artist, f"get_{name}") and hasattr(artist, f"set_{name}")
    ]
    present = {
        to_hex(row): None
        for artist, name in coloured
        for row in _rows(artist, name)
        if len(set(row[:3])) > 1
    }
    known = dict.fromkeys(map(to_hex, usual.values()))
    order = [c for c in known if c in present] + [c for c in present if c not in known]
    if isinstance(palette, Mapping):
        for name in palette:
            if name not in usual:
                raise ArgumentError(f"palette: no look {name!r}{suggest(name, usual)}")
        swaps = {to_hex(usual[name]): colour for name, colour in palette.items()}
        _check(list(palette.values()))
    else:
        swaps = dict(zip(order, colours_of(palette, len(order)), strict=False))
    for artist, name in coloured:
        rows = _rows(artist, name)
        if any(to_hex(row) in swaps for row in rows):
            for row in rows:
                row[:3] = to_rgba_array(swaps.get(to_hex(row), to_hex(row)))[0, :3]
            getattr(artist, f"set_{name}")(rows if len(rows) > 1 else tuple(rows[0]))


def colours_of(palette: "str | Sequence[str]", n: int) -> list[str]:
    """Return `n` colours of a list, a colour map's name, or ``cycle``, which begins again."""
    if not isinstance(palette, str):
        _check(palette)
        if len(palette) < n:
            raise ArgumentError(f"palette has {len(palette)} colours; this figure takes {n}")
        return list(palette[:n])
    if palette == "cycle":
        cycle = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
        return [to_hex(cycle[i % len(cycle)]) for i in range(n)]
    if palette not in mpl.colormaps:
        raise ArgumentError(
            f"palette={palette!r}: no colour map of matplotlib"
            f"{suggest(palette, ['cycle', *mpl.colormaps])}"
        )
    found = mpl.colormaps[palette]
    if found.N <= 20:  # colours that are apart, such as those of tab10
        return [to_hex(found(i % found.N)) for i in range(n)]
    return [to_hex(found((i + 0.5) / n)) for i in range(n)]


def _rows(artist: Artist, name: str) -> Any:
    """Return the colours of an artist, a row each; none where it has its line's."""
    value = getattr(artist, f"get_{name}")()
    return to_rgba_array([] if isinstance(value, str) and value in ("auto", "none") else value)


def _check(colours: "Sequence[str]") -> None:
    for colour in colours:
        if not is_color_like(colour):
            raise ArgumentError(f"palette: {colour!r} is no colour of matplotlib")
