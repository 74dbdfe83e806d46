from .bernstein import bernstein_half_width as bernstein_half_width
from .bernstein import detectable_disparity as detectable_disparity
from .bernstein import hoeffding_half_width as hoeffding_half_width
from .bernstein import largest_variance as largest_variance
from .bernstein import required_n as required_n
from .interval_methods import IntervalComparison as IntervalComparison
from .interval_methods import compare_intervals as compare_intervals
from .costs import costs_of as costs_of
from .disparity import Disparity as Disparity, bernstein_interval as bernstein_interval
from .estimation import gaps as gaps
from .gapresults import Gaps as Gaps
from .outcomes import Outcome as Outcome, outcome as outcome
from .populations import example_biographies as example_biographies
from .predictions import Predictions as Predictions, count_predictions as count_predictions
from .protocol import resampling_protocol as resampling_protocol
from .scores import ProtocolScores as ProtocolScores
from .gap_models import GapSpec as GapSpec, load_gap_model as load_gap_model
