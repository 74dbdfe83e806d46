"""What the numbers of tables are, each a macro of ``captions.jinja``."""

from typing import Final

from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.fits", "captions.jinja")
