"""Every template of draws, decisions and what a model leaves out, for its cases."""

from templates import cases, each_case_of, no_long_sentence

from bayesbias.inference.sentences import tell

CASES = cases("""
verdict("89% HPDI", "0.013", "0.1", "sd of a neutral pair's distance")
    Verdict: closer (farther) if the whole 89% HPDI is below (above) 0, else undecided. The region
    of practical equivalence (ROPE) is ±0.013, 0.1 sd of a neutral pair's distance. An interval
    within it means practically equal; one that overlaps it leaves the size undecided.
verdict("95% joint interval", "0.02", "", "")
    Verdict: closer (farther) if the whole 95% joint interval is below (above) 0, else undecided.
    The region of practical equivalence (ROPE) is ±0.02. An interval within it means practically
    equal; one that overlaps it leaves the size undecided.
verdict("89% HPDI", "", "", "")
    Verdict: closer (farther) if the whole 89% HPDI is below (above) 0, else undecided.

scale("neutral")
    the standard deviation of distances to neutral words (words without a stereotype)
scale("human")
    the standard deviation of distances to human words (words about people)
scale("different")
    the standard deviation of distances to different attributes

chains(True, "1.001", "1,234", "4,000")
    Sampling went well: no divergences, R-hat at most 1.001, at least 1,234 effective draws of
    4,000.
chains(False, "1.001", "1,234", "4,000")
    Sampling went well: R-hat at most 1.001, at least 1,234 effective draws of 4,000.

grid("4,000")
    4,000 independent draws from the exact posterior on a grid.

importance("0.12", "3,456", "4,000")
    Importance sampling went well: Pareto k at most 0.12, at least 3,456 effective proposals for
    4,000 draws.

problems(["one"])
    Do not rely on this fit yet: one.
problems(["one", "two"])
    Do not rely on this fit yet: one; two.

too_few("90", "400")
    the draws carry as little information as 90 independent ones (should be at least 400); use more
    draws

divergent(3, 4000, "raise target_accept")
    3 of 4000 draws were divergent, so part of the posterior may be missing; raise target_accept

one_chain()
    one chain cannot be checked against others; use at least 2

disagree("sd_word", "1.0213", 1.01)
    the chains disagree about sd_word (R-hat 1.0213, should be at most 1.01); use more tune and
    draws

not_finite("3", "4,000")
    3 of 4,000 draws hold what is no finite number; fit again

missed("human", "0.91", 0.7)
    importance sampling missed part of the posterior of human (Pareto k 0.91, should be at most
    0.7); use engine='nuts'

term_left_out("word", "", "why")
    The term word is left out: why.
term_left_out("word", ["human"], "why")
    The term word is left out for human: why.
term_left_out("word", ["associated", "different", "human"], "why")
    The term word is left out for associated, different and human: why.

nowhere(["reference"])
    no pair is reference, where it acts
nowhere(["associated", "different"])
    no pair is associated or different, where it acts

like_noise("group and attribute")
    no two pairs share group and attribute, so that it cannot be told from the noise

like_mean("run")
    all pairs of a connection share run, so that it cannot be told from the connection's mean

same_pairs("attribute")
    it acts on no other pairs than attribute

same_levels("group and attribute", "attribute", "attribute")
    pairs that share group and attribute are those that share attribute, so that it cannot be told
    from attribute

unrelated("why")
    Attributes count as unrelated: why.
unrelated("why", True)
    Attributes count as unrelated: why. Where attributes are of one topic, intervals are too narrow.

of_topics("why")
    Attributes of one topic share effects (column topic): why.

no_vectors()
    the pairs come without vectors, which would tell how alike attributes are

too_large("30,000", "43.2 GB, and this machine has 8.0 GB")
    how alike 30,000 of them are takes 43.2 GB, and this machine has 8.0 GB

lacking()
    the record of vectors lacks some of them

joined("mine", "not every word meets every attribute once", "attribute_kind")
    the term 'mine' joins pairs that are otherwise fitted by themselves, and together not every word
    meets every attribute once; add 'attribute_kind' to its by and as its sd_by, or keep it to
    connections of one kind of list

noise_left_out(["human", "neutral"])
    The part of the noise that similar attributes share is left out for human, neutral: the
    attributes are more than the directions of the vectors.
""")

test_a_template_says, test_every_branch_has_a_case = each_case_of({"inference": (tell, CASES)})


test_no_sentence_below_a_table_is_long = no_long_sentence(
    CASES, ["verdict", "chains", "grid", "importance", "unrelated"]
)
