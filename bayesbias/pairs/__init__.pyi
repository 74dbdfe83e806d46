from .contexts import contextual_distances as contextual_distances
from .distance_figures import plot_distances as plot_distances
from .distance_figures import plot_empirical as plot_empirical
from .published_files import list_published as list_published
from .published_files import published_distances as published_distances
from .reference import reference_distances as reference_distances
from .run_frames import distances_of_runs as distances_of_runs
from .word_lists import WordPair as WordPair
