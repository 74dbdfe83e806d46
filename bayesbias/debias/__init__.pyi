from .classes import inlp as inlp, leace as leace
from .corpus import Cooccurrences as Cooccurrences
from .corpus import corpus_genderedness as corpus_genderedness
from .corpus import count_cooccurrences as count_cooccurrences
from .cost import Utility as Utility, utility as utility
from .double import double_hard as double_hard
from .methods import METHODS as METHODS, DebiasMethod as DebiasMethod, find_method as find_method
from .neutralising import half_sibling as half_sibling
from .neutralising import hard as hard
from .neutralising import multiclass as multiclass
from .neutralising import subspace as subspace
from .neutralising import two_means as two_means
from .selection import choose_words as choose_words
from .steps import Debiased as Debiased, DebiasRecord as DebiasRecord
from .transformation import soft as soft
