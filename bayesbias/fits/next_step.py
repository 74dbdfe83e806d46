"""What to do next after a finding: a line of ``next.jinja``, which every first screen has."""

from typing import Final

from bayesbias.support.wording import Wording

next_step: Final = Wording("bayesbias.fits", "next.jinja")
