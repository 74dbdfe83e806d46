from .association import PermutationTest as PermutationTest, permutation_test as permutation_test
from .centroids import ect as ect, rnd as rnd
from .combination import ceat as ceat
from .combination import context_effects as context_effects
from .combination import effect_size_variance as effect_size_variance
from .declaration import Measure as Measure
from .differential import WeatResult as WeatResult, weat as weat, wefat as wefat
from .distance import mac as mac, mac_change as mac_change
from .distance import mean_average_distance as mean_average_distance
from .distance import shares_within as shares_within
from .neighbourhoods import cluster_bias as cluster_bias, neighbour_bias as neighbour_bias
from .projection import direct_bias as direct_bias, ripa as ripa
from .registry import MEASURES as MEASURES, Measures as Measures, all_measures as all_measures
from .relative_sentiment import rnsb as rnsb
from .measure_result import DroppedWord as DroppedWord
from .measure_result import MeasureResult as MeasureResult
from .measure_result import results_frame as results_frame
from .same_score import same as same
from .sembias_choices import read_sembias as read_sembias, sembias as sembias
from .ttests import TTest as TTest, paired_test as paired_test, welch_test as welch_test
