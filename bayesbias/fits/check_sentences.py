"""What checks of a fit say, each a macro of ``checks.jinja``: those of its pairs and its refits."""

from typing import Final

from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.fits", "checks.jinja")
