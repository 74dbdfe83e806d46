"""What the page says beside its tables and figures, each a macro of ``captions.jinja``."""

from typing import Final

from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.report", "captions.jinja")
