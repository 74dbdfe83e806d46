"""What gaps and disparities say: each a macro of ``sentences.jinja``."""

from typing import Final

from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.classifiers", "sentences.jinja")
