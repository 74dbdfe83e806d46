"""Every template of what a debiasing did: each macro, each branch."""

from templates import cases, each_case_of, no_long_sentence

from bayesbias.debias import cost
from bayesbias.debias.record_sentences import tell

CASES = cases("""
several_sets(["he"])
    in several defining sets, counted in each: he
several_sets(["he", "she"])
    in several defining sets, counted in each: he, she

neutralised_too(["he", "she"])
    neutralised although in a defining set: he, she

zero_vectors("'pad'")
    zero vectors, which stay zero: 'pad'

stopped("35 classifiers", "71.2%", "50.0%")
    stopped after 35 classifiers: the last still found the classes, with 71.2% right on held-out
    words (largest class 50.0%)

without_component(2, "51.3%")
    All words are centred and without principal component 2. After that, clusters agree with the
    sides in 51.3%.

left_out("kira, tela", "not in the vectors")
    left out: kira, tela (not in the vectors)

more_left_out("1,234")
    left out: 1,234 more (record.dropped)

size("13,013", 300)
    13,013 debiased vectors of 300 dimensions.

what("half_sibling", 4)
    the words of its sets
what("hard", 1)
    the bias direction
what("subspace", 2)
    the 2 bias directions

done("hard", 1, "9", "12 words", "nothing", False, "he and she; …", "2")
    The method "hard" equalised 2 and neutralised 9 of 12 words. Of the part of these along the bias
    direction (he and she; …) nothing remains.
done("leace", 1, "9", "12 words", "", False, "he and she; …")
    The method "leace" neutralised 9 of 12 words: the words that it learned from now have one mean
    in all classes.
done("soft", 1, "9", "12 words", "30%", True, "he and she; …")
    The method "soft" moved all words and neutralised 9 of 12 words. Of the part of these along the
    bias direction (he and she; …) 30% remains.
done("hard", 1, "9", "12 words", "", False, "he and she; …")
    The method "hard" neutralised 9 of 12 words: they had no part along the bias direction before.
done("hard", 1, "9", "12 words", "", False, "he and she; …", "2")
    The method "hard" equalised 2 and neutralised 9 of 12 words: they had no part along the bias
    direction before.
done("double_hard", 1, "9", "12 words", "nothing", True, "he and she; …", "2")
    The method "double_hard" moved all words, equalised 2 and neutralised 9 of 12 words. Of the part
    of these along the bias direction (he and she; …) nothing remains.
done("subspace", 2, "9", "12 words", "nothing", False, "he and she; …")
    The method "subspace" neutralised 9 of 12 words. Of the part of these along the 2 bias
    directions (he and she; …) nothing remains.

no_test(True)
    That is so by construction and does not show that the bias is gone: test other words.
no_test(False)
    This share does not show how much bias is left: test other words.

little("soft", "0.2")
    This removes little: give a larger weight than lam=0.2.
little("half_sibling", "60")
    This removes little: give a smaller penalty than alpha=60.
little("subspace", "")
    This removes little: choose another method, or other defining sets.

equalised("hard", 1, "4 words", "he and she; man and woman")
    4 words of sets to equalise still differ, but along the bias direction alone: he and she; man
    and woman.

rest("named", "9 words", "", "")
    The other 9 words were not treated: their bias remains.
rest("left", "9 words", "a, b", "all but specific")
    Left as they were: 9 words, such as a, b (specific to a group, or kept as asked).
rest("moved", "9 words", "a, b", "all")
    Moved with the rest, not neutralised: 9 words, such as a, b (of the defining sets, or kept as
    asked).
rest("left", "9 words", "a, b", "listed")
    Left as they were: 9 words, such as a, b (kept as asked).

tested("gender")
    The neutralised words are those that the list gender tests: on this list alone, a comparison is
    no evidence.

subspace("hard", 1, "55%", "2 sets", "he and she; man and woman")
    The bias direction holds 55% of what the words of 2 sets differ in (he and she; man and woman).
subspace("subspace", 2, "90%", "2 sets", "he and she")
    The 2 bias directions hold 90% of what the words of 2 sets differ in (he and she).
""")


COST = cases("""
cost("q.txt", "accuracy", "0.500", "0.500", "unchanged", "", "", "")
    q.txt: unchanged, accuracy 0.500 before, 0.500 after; no answer moved.
cost("q.txt", "accuracy", "0.500", "0.400", "worse", "0.100", "-0.150", "-0.050")
    q.txt: worse by 0.100 [-0.150, -0.050]; accuracy 0.500 before, 0.400 after.
cost("q.txt", "accuracy", "0.500", "0.490", "undecided", "-0.010", "-0.050", "+0.030")
    q.txt: no change that can be told, -0.010 [-0.050, +0.030]; accuracy 0.500 before, 0.490 after.
""")


test_a_template_says, test_every_branch_has_a_case = each_case_of(
    {"record": (tell, CASES), "cost": (cost.tell, COST)}
)


test_no_sentence_of_a_first_screen_is_long = no_long_sentence(CASES, ["done", "no_test", "little"])
