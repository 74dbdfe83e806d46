"""Every template of a plan's sentences, for its cases."""

from templates import cases, each_case_of, no_long_sentence

from bayesbias.studies.planning import tell

CASES = cases("""
enough([(25, 10)])
    25 protected words with 10 attributes
enough([(25, 10), (14, 25)])
    25 protected words with 10 attributes or 14 with 25
enough([(25, 10), (14, 25), (6, 50)])
    25 protected words with 10 attributes, 14 with 25 or 6 with 50

headline("0.05", [(25, 10)], "89%")
    Enough for an 89% interval of mean width 0.05 or less: 25 protected words with 10 attributes, in
    all; no smaller size tried is.

headline("0.05", [(25, 10), (14, 25)], "89%")
    Enough for an 89% interval of mean width 0.05 or less: 25 protected words with 10 attributes or
    14 with 25, in all.

subject("associated", "different", "", "")
    The question: how much closer, on average, protected words are to their own attribute lists than
    to the others. For example: words such as she to occupations of women, words such as he to those
    of men.
subject("associated", "different", "words for men and words for women",
    "Own attribute lists: x (words for men); y (words for women).")
    The question: how much closer, on average, words for men and words for women are to their own
    attribute lists than to the others. Own attribute lists: x (words for men); y (words for women).
subject("associated", "neutral", "words for men", "")
    The question: how much closer, on average, associated words are to words for men than neutral
    words.
subject("associated", "neutral", "", "")
    The question: how much closer, on average, associated words are than neutral words.

sureness("40 simulated data sets", "0.034", "0.001", True)
    In 40 simulated data sets of this size the mean width was 0.034 in cosine distance (standard
    error 0.001).
sureness("5 simulated data sets", "0.034", "0.002", False)
    In 5 simulated data sets of this size the mean width was 0.034 in cosine distance (standard
    error 0.002). Take more simulations before you rely on it.

answer("0.05", "a − b", [(25, 10)])
    a − b: width 0.05 is reached by 25 protected words with 10 attributes, each of a new topic.

out_of_reach("0.05", 100, 50, "0.06", "89%")
    No size that was tried gives an 89% interval of mean width 0.05 or less. The narrowest, 0.06,
    comes from 100 protected words with 50 attributes, in all.

answer_out_of_reach("0.05", "a − b", 100, 50, "0.06")
    a − b: width 0.05 is out of reach; 100 words with 50 attributes of new topics give 0.06.

cell_out_of_reach(100, 50, "0.06")
    out of reach (100 with 50: 0.06)

associated()
    Associated − different: a group's own attribute list compared with the others. Human and neutral
    words are controls.

words("")
    Words: protected words in all groups together. Attributes: those of all attribute lists
    together, each of a new topic. Several of one topic tell less than as many new ones.
words("2.9")
    Words: protected words in all groups together. Attributes: those of all attribute lists
    together, each of a new topic. Of attributes such as this fit's lists have, 2.9 tell as much as
    one.

width("89% HPDI")
    Width: from one end of the 89% HPDI to the other, in cosine distance. Narrow intervals find
    small differences.

found("11%")
    Found: how often the interval leaves out 0 if the difference is as assumed; about 11% if there
    is none. Decided: how often direction and size are clear, or practically equal.

basis("40 simulated data sets", "fit abc")
    The numbers come from 40 simulated data sets for each size of list, made from fit abc.

heading()
    Fewest words that reach the width, else the most that were tried:

more(60)
    ±: standard error of the width. The whole table, plan.csv with --out, has all 60 combinations,
    with errors of sign and exaggeration.

failed([(1, 40, 6, 10), (2, 40, 14, 10)])
    Data sets that could not be fitted well (Pareto k above 0.7): 1 of 40 with 6 words and 10
    attributes, 2 of 40 with 14 words and 10 attributes.
""")


test_a_template_says, test_every_branch_has_a_case = each_case_of({"plan": (tell, CASES)})


test_no_sentence_of_a_first_screen_is_long = no_long_sentence(
    CASES, ["headline", "subject", "sureness", "out_of_reach", "associated"]
)
