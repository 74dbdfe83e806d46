"""Sentences about draws, decisions and what a model leaves out; templates: ``sentences.jinja``."""

from typing import Final

from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.inference", "sentences.jinja")
