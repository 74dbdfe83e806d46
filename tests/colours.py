"""How far two colours are apart (CIEDE2000), as several eyes see them; colours are sRGB in [0, 1].

Sharma, Wu and Dalal (2005) for the distance; Machado, Oliveira and Fernandes (2009), severity 1,
for colour blindness.
"""

import numpy as np

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.072175],
        [0.0193339, 0.119192, 0.9503041],
    ]
)
_BLIND = {
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}


def _linear(rgb):
    c = np.asarray(rgb, dtype=float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def _seen(matrix):
    return lambda rgb: np.clip(np.array(matrix) @ _linear(rgb), 0, 1)


VIEWS = {
    "normal": _linear,
    **{name: _seen(matrix) for name, matrix in _BLIND.items()},
    "greyscale": lambda rgb: np.full(3, _TO_XYZ[1] @ _linear(rgb)),
}
"""From sRGB to the linear RGB that an eye, or a printer, makes of it."""


def _lab(linear):
    xyz = _TO_XYZ @ linear / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def lightness(rgb):
    return _lab(_linear(rgb))[0]


def difference(linear, other):
    """CIEDE2000 of two colours in linear RGB."""
    return ciede2000(_lab(linear), _lab(other))


def ciede2000(lab, other):
    (l1, a1, b1), (l2, a2, b2) = lab, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25**7)))
    c1, c2 = np.hypot((1 + g) * a1, b1), np.hypot((1 + g) * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, (1 + g) * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    hm = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = 1 - 0.17 * np.cos(np.radians(hm - 30)) + 0.24 * np.cos(np.radians(2 * hm))
    t += 0.32 * np.cos(np.radians(3 * hm + 6)) - 0.2 * np.cos(np.radians(4 * hm - 63))
    sl = 1 + 0.015 * (lm - 50) ** 2 / np.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    turned = np.sin(np.radians(60 * np.exp(-(((hm - 275) / 25) ** 2))))
    rt = -2 * np.sqrt(cm**7 / (cm**7 + 25**7)) * turned
    parts = (dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh
    return float(np.sqrt(parts))
