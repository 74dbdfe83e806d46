"""One-number measures of embedding bias, computed from distances."""

from bayesbias.measures.mac import mean_average_distance, shares_within

__all__ = ["mean_average_distance", "shares_within"]
