"""Every template of what stands below a table of a fit, for its cases."""

from templates import cases, each_case_of, no_long_sentence

from bayesbias.fits import captions

CASES = cases("""
words_of(True)
    words like the group's listed ones
words_of(False)
    the group's listed words

list(True, False)
    Groups are compared on one list at a time, over words like the group's listed ones and
    attributes like the listed ones. What a list has with everybody cancels.
list(False, False)
    Groups are compared on one list at a time, over the group's listed words and attributes like the
    listed ones. What a list has with everybody cancels.

connection(True, False)
    Means are over the listed groups, and over words and attributes like the listed ones. Listed is
    the plain mean of the listed pairs, a fact without uncertainty.
connection(False, True)
    Means are over the listed words alone, and attributes like the listed ones. Listed is the plain
    mean of the listed pairs, a fact without uncertainty.

group(True, False)
    Means are over words like the group's listed ones and attributes like the listed ones.

word(True, False)
    Means are over attributes like the listed ones. A word has few pairs, so that its mean is drawn
    towards that of its group. Listed is the plain mean of its own pairs.

attribute(True, False)
    Negative: closer to every protected word than the other words of its list are.

term(True, False)
    Standard deviations of the model's terms, in cosine distance.

slope(True, False)
    How much farther (+) or closer (−) a pair is for one standard deviation more of the numbers.
    Contrasts are at equal numbers.

repeated("run", False)
    Differences over words and attributes like the listed ones. Rows: each run, all runs like these,
    and the standard deviation from run to run.
repeated("context", True)
    Differences over the listed words alone, and attributes like the listed ones. Rows: each
    context, all contexts like these, and the standard deviation from context to context.

relative_to(False, "")
    A group's contrast mixes its association with the difference of the attribute lists, which this
    model does not tell apart.
relative_to(True, "12 reference words")
    12 reference words of no group tell how close each list is to such words in general. A
    group's or a word's answer is relative to that.
relative_to(True, "")
    There are no reference words to tell how close each list is to words of no group. So a list
    that is closer to everybody counts as a group's own.

groups_heading(True)
    Each group's own list with the others, compared with words of no group
groups_heading(False)
    Each group's own list with the others, each by itself

lists_heading()
    Who is closer to each list, between groups (below 0: closer):

chance()
    Chance: how often groups that are unrelated to these lists differ at least as much between them.
chance(changes=True)
    Chance: how often groups that are unrelated to these lists change at least as much between them.
chance(of_lists=True)
    Chance: how often groups that are unrelated to these lists differ at least as much between them.
    Between groups it is that of the difference compared with neutral words.
chance(why="attributes are unrelated to the model")
    Chance: how often groups that are unrelated to these lists differ at least as much between them.
    It is not known: attributes are unrelated to the model.

no_controls()
    between groups it needs neutral or human words, and there are none

joint()
    Intervals hold jointly for all rows of a contrast: each mean plus and minus the same multiple of
    its sd.

crossed()
    Groups are compared on the same two lists: the distance (or its change) to the first minus that
    to the second. Both are over words like the groups' and attributes like the listed ones. Beyond
    both: what the group has that is not the sum of what its levels have (difference of
    differences).

at_equal(["frequency"])
    at equal frequency
at_equal(["rare", "long"])
    at equal rare and long

slopes(["rare"])
    Contrasts are at equal rare, which the model has slopes on.
slopes(["a", "b"])
    Contrasts are at equal a and b, which the model has slopes on.

no_reference("why")
    Reference words are not used: why.

few_reference_words(2, 3)
    the frame has 2 of them, and it takes at least 3

no_stereotypes()
    the frame has no stereotype attributes, which they are compared on

reference_does_not_vary()
    their distances do not vary

predicted()
    If the model is right, 50% and 89% of the pairs are inside, and 5.5% on either side. More than
    50% in the middle together with more than 5.5% outside mean heavy tails.

in_sample()
    A pair pulls its own prediction to itself, so that shares are somewhat above their probability.
    To predict each pair from all others use fit.criticism().

own_contrasts()
    So groups differ as the model does not expect: take one that gives groups their own contrasts,
    as 'maximal' does.

power()
    Power-scaling sensitivity matters from 0.05 on. The mean is also shown with the prior at half
    and at double power:

one_prior("a − b", "89% HPDI")
    a − b, 89% HPDI with the scale of one prior at half and at twice:

prior_of_groups("a − b", "group", "sd_group")
    A − b, by group, with sd_group at half and at ten times:

needs_refits()
    For intervals at half and twice each prior's scale, and with clusters of words, this model needs
    chains for each refit.

placebo_alone()
    All these fits, that of the real list too, are without reference words. The frame lacks their
    distances to neutral words. So the real answer differs a little from the fit's own.

placebo_chance()
    Chance: the share of unrelated groups that differ as much on the real list, which the fit has
    without placebo lists.

conservative()
    These intervals are conservative: where both words and attributes are drawn again, the scatter
    of single pairs counts about three times.

drawn_twice()
    Attributes count as unrelated in all these fits: a word drawn twice has all its distances twice,
    which no noise of similar attributes explains.
""")

test_a_template_says, test_every_branch_has_a_case = each_case_of(
    {"captions": (captions.tell, CASES)}
)


test_no_sentence_below_a_table_is_long = no_long_sentence(CASES, CASES)
