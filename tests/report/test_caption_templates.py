"""Every template of what the page says beside its tables and figures, for its cases."""

from templates import cases, each_case_of, no_long_sentence

from bayesbias.report.captions import tell

CASES = cases("""
lists()
    Each row compares, on one list, the groups that a stereotype links to it with the other groups.
    Below 0 they are closer to it. Rows compared with words of a control leave out what a group has
    with all words, such as names that are rare.

contrasts("Verdict: closer.")
    A difference below 0 says that the first connection is closer. Verdict: closer. Listed is the
    plain difference of the listed pairs.

changes(["Verdict: closer.", "Chance: often."])
    Before and after are differences of the plain means of the listed pairs. The change, its
    interval and its verdict come from the model of every pair's change. Below 0, the first
    connection came closer by more, or went away by less. Verdict: closer. Chance: often.

change_figure("89% HPDI", "0.013", True)
    The difference before and after, and the share of it that is left. Modelled changes, after −
    before, with 89% HPDI; below 0, the first connection came closer. Grey: the region of practical
    equivalence (ROPE), changes of up to 0.013.
change_figure("89% HPDI", "0.013", False)
    Modelled changes, after − before, with 89% HPDI; below 0, the first connection came closer.
    Grey: the region of practical equivalence (ROPE), changes of up to 0.013.

unmoved("human", "1 pair", "1e-07")
    Human words are not modelled, since none of their 1 pair changed by more than 1e-07.

no_placebo()
    None were fitted. Placebo lists are of random neutral words, which have no association by
    design, and the real list has its place among them. Each takes about as long as the fit. The
    option --placebo fits a hundred of them, fit.placebo() does so in Python.

some_words("1,200", "60", "a − b", "words.csv")
    Of 1,200 words the 60 with the lowest and the highest a − b are shown; words.csv has all.
""")

test_a_template_says, test_every_branch_has_a_case = each_case_of({"page": (tell, CASES)})


test_no_sentence_of_the_page_is_long = no_long_sentence(CASES, CASES)
