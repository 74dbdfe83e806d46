"""Every template of what the checks of a fit say: each macro, each branch, letter by letter."""

from templates import cases, each_case_of

from bayesbias.fits.check_sentences import tell

CHECKS = cases("""
summary("9 checks", [])
    Of 9 checks none warns.
summary("9 checks", ["draws"])
    Of 9 checks 1 warns: draws.
summary("9 checks", ["draws", "model"])
    Of 9 checks 2 warn: draws and model.

edge([])
    no verdict on a contrast is on the edge
edge(["a − b", "c − d"])
    on the edge, so that numerical error could change the verdict: a − b, c − d

pareto_k("3", "9 pairs")
    Pareto k is above 0.7 for 3 of 9 pairs that are left out

coverage([("90.1%", "89%"), ("50.5%", "50%")], [("91.0%", "89%")], [])
    pairs inside their predictive interval, each predicted from all others: 90.1% in 89%, 50.5% in
    50%; in-sample: 91.0% in 89%
coverage([("70.0%", "89%")], [("91.0%", "89%")], ["at 89%"])
    pairs inside their predictive interval, each predicted from all others: 70.0% in 89%; in-sample:
    91.0% in 89%; off target at 89%

inside([("90.1%", "89%"), ("50.5%", "50%")])
    90.1% in 89%, 50.5% in 50%

unrelated("paper")
    model 'paper' counts attributes as unrelated; of one topic, intervals are too narrow

bad_pairs("2 pairs")
    For 2 pairs the Pareto k is above 0.7.

noise([("he", "2.0"), ("she", "0.4")])
    Words whose noise is not that of the others (the median word has 1): he 2.0, she 0.4. The model
    has one noise for all: of a louder word its own intervals are too narrow, of a quieter one too
    wide.

groups("0.100", "0.020", "1%", "400")
    A group's associated − different is up to 0.100 from the mean of all groups. With new words and
    attributes the model expects 0.020, and as much or more in 1% of 400 replications.

failed("40 refits", "2", "0.7", "he protected, she protected", "left_out")
    Of 40 refits, 2 could not be fitted well (Pareto k above 0.7): he protected, she protected. Do
    not rely on their rows; left_out has the k of each.

placebo_lists("neutral")
    neutral words drawn at random in place of the stereotypes
placebo_lists("frequency")
    neutral words as frequent as the stereotypes in place of these
placebo_lists("redeal")
    the real stereotype attributes dealt anew among their sets

place("200 placebo lists", "neutral", "a − b", "0.02", "12.0%", "89% HPDI", "11%", "")
    Among 200 placebo lists (neutral words drawn at random in place of the stereotypes) the place of
    a − b is p = 0.02, the share of lists, the real one included, whose contrast is as far from 0;
    of the placebo lists 12.0% have an 89% HPDI that excludes 0, where 11% at most should.
place("200 placebo lists", "redeal", "a − b", "0.02", "12.0%", "89% HPDI", "11%", "28.0%")
    Among 200 placebo lists (the real stereotype attributes dealt anew among their sets) the place
    of a − b is p = 0.02, the share of lists, the real one included, whose contrast is as far from
    0; of the placebo lists 12.0% have an 89% HPDI that excludes 0, where 11% at most should. The
    fit's own chance, without placebo lists, is that 28.0% of unrelated groups of words differ as
    much on the real attribute lists.

excludes("89% HPDI")
    Excludes 0: share of placebo lists whose 89% HPDI excludes 0, though there is no association by
    design. p: the place among random lists, the share of lists, the real one included, whose
    contrast is as far from 0 as the real one.

drawn("9 attributes", "")
    They are drawn in topics as large as those of the real list, of up to 9 attributes: a random
    word and the words most like it.
drawn("", 10)
    Words are drawn one by one: the frame does not know how alike attributes are. The first word of
    each is one of the 10 that are nearest in frequency to the mean of the real topic.
counted("18 attributes", "3 topics", "12.5")
    The fit counts 3 topics among the 18 attributes of the real list, and 12.5 on average among
    those of a placebo list.

left_out(0, 0)
    No word was left out.
left_out(32, 0)
    Leaving out one of 32 words at a time changes no verdict.
left_out(32, 2)
    Leaving out one of 32 words at a time changes these verdicts:

tipped("a − b")
    a − b is on the edge between two verdicts: an end of its interval is so near to 0 or to an end
    of the ROPE that the computation cannot tell its side, and almost any word may tip it.

skipped("2 words")
    2 words could not be left out; see skipped.

scales(0)
    Half or twice the scale of one prior changes no verdict.
scales(1)
    Half or twice the scale of one prior changes these verdicts:

scales_of_groups(["1 of 2 groups"])
    This changes the verdicts on 1 of 2 groups.
scales_of_groups(["1 of 2 lists", "0 of 2 groups", "3 of 14 words"])
    This changes the verdicts on 1 of 2 lists, 0 of 2 groups and 3 of 14 words.

clusters("14", False, "5")
    14 protected words in 5 clusters of words that are alike
clusters("44", True, "9")
    44 protected and reference words in 9 clusters of words that are alike

no_clusters(True)
    Clusters of protected words are not tried: they are the groups, or single words.
no_clusters(False)
    Clusters of protected words are not tried: the frame does not know how alike these are.

with_clusters("14 protected words in 5 clusters of words that are alike", "+3.1")
    With 14 protected words in 5 clusters of words that are alike, which share effects (+3.1 log
    units of evidence):

asked_for("3.1", "14 protected words in 5 clusters")
    the data prefer, by 3.1 log units, a model in which clusters share effects (14 protected words
    in 5 clusters); report its contrasts too

resampled(40, "89% HPDI")
    40 lists of words drawn with replacement from the list's own: protected words within their
    group, attributes within their set; 89% HPDI of the mean.

lost("1 list")
    Left out, since it could not be fitted: 1 list of one word many times.

at_equal("at equal frequency", [])
    At equal frequency every contrast has the verdict that it has plainly.
at_equal("at equal frequency",
    [("a − b", "closer", "undecided"), ("c − d", "undecided", "closer"),
    ("e − f", "closer", "farther")])
    At equal frequency a − b is closer and plainly undecided, c − d is undecided and plainly closer
    and e − f is closer and plainly farther.
""")


test_a_template_says, test_every_branch_has_a_case = each_case_of({"checks": (tell, CHECKS)})
