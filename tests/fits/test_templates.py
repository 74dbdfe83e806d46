"""Every template of a fit's sentences, for its cases: what a reader sees, letter by letter."""

import pytest
from templates import cases, each_case_of, too_long

from bayesbias.fits import caution, fact_lines, first_screen, next_step, paragraph, sentences

SENTENCES = cases("""
who(["words for men", "words for women"], 3)
    words for men and words for women
who(["a", "b", "c", "d"], 3)
    the words of 4 groups
who([], 3)
    protected words

own_lists([("words for men", "occupations stereotyped as male"), ("words for women",
    "those stereotyped as female")], 0)
    Own attribute lists (compared with the others): of words for men, occupations stereotyped as
    male; of words for women, those stereotyped as female.
own_lists([("a", "x"), ("b", "y"), ("c", "z")], 2)
    Own attribute lists (compared with the others): of a, x; of b, y; of c, z; and those of 2 more.
own_lists([("words for men", "one list")], 0)
    Own attribute list (compared with the others): of words for men, one list.

off_target("89%", "", "")
    at 89%
off_target("89%", "human", "70%")
    for human pairs at 89% (70%)

expected_false("0.3", "3 words", "closer")
    0.3 of the 3 words called closer
expected_false("", "1 word", "farther")
    fewer than 0.1 of the 1 word called farther

against("human", "closer", "0.98")
    human words (closer, probability 0.98)

between("closer", "words for women", "words for men", "occupations stereotyped as female", "0.07")
    words for women are closer than words for men to occupations stereotyped as female, by 0.07
between("farther", "words for women", "words for men", "occupations stereotyped as female")
    words for women are farther than words for men from occupations stereotyped as female
between("practically equal", "words for women", "words for men",
    "occupations stereotyped as female")
    words for women and words for men are practically equally close to occupations stereotyped as
    female
between("same", "words for women", "words for men", "occupations stereotyped as female")
    words for women and words for men are, by construction, equally close to occupations stereotyped
    as female
between("closer", 'words of "jew"', "the other groups", 'the list "greed"')
    words of "jew" are closer than the other groups to the list "greed"
between("closer", "groups with race black", "groups with race white", "unpleasant words")
    groups with race black are closer than groups with race white to unpleasant words

second("closer", "words for men", "those stereotyped as male")
    words for men are closer to those stereotyped as male
second("farther", "words for men", "those stereotyped as male")
    words for men are farther from those stereotyped as male
second("practically equal", "words for men", "those stereotyped as male")
    to those stereotyped as male they are practically equal
second("same", "words for men", "those stereotyped as male")
    to those stereotyped as male they are equal by construction
second("undecided", "words for men", "those stereotyped as male")
    for those stereotyped as male we cannot tell

other_lists(1)
    for the other we cannot tell
other_lists(2)
    for the others we cannot tell

all_equal("same", "a and b", "both lists")
    the listed a and b are equally close to both lists by construction; for words like these we
    cannot tell
all_equal("practically equal", "a and b", "all lists")
    a and b are practically equally close to all lists

no_list(1, "a", "b", ["occupations stereotyped as female"])
    we cannot tell whether a or b are closer to occupations stereotyped as female
no_list(2, "a", "b", ["c", "d"])
    for neither c nor d can we tell whether a or b are closer
no_list(3, "", "the other groups", [])
    we cannot tell for any of 3 attribute lists whether its own group is closer than the other
    groups

only_together(2, "closer", "a and b", "0.05")
    on average, a and b are closer to their own attribute lists, by 0.05; for either alone we cannot
    tell
only_together(3, "farther", "a, b and c", "0.05")
    on average, a, b and c are farther from their own attribute lists, by 0.05; for any alone we
    cannot tell

one_group("closer", "words for women", "occupations stereotyped as female",
    "those stereotyped as male", "0.12")
    words for women are closer to occupations stereotyped as female than to those stereotyped as
    male, by 0.12
one_group("farther", "words for women", "occupations stereotyped as female",
    "those stereotyped as male")
    words for women are farther from occupations stereotyped as female than from those stereotyped
    as male
one_group("practically equal", "words for women", "occupations stereotyped as female",
    "those stereotyped as male")
    words for women are practically as close to occupations stereotyped as female as to those
    stereotyped as male
one_group("undecided", "words for women", "occupations stereotyped as female",
    "those stereotyped as male")
    we cannot tell whether words for women are closer to occupations stereotyped as female or to
    those stereotyped as male

undecided_groups(["a"], "x", "y", False)
    for a we cannot tell
undecided_groups(["a", "b"], "their own lists", "the others", True)
    for a and b we cannot tell whether they are closer to their own lists or to the others

chance("25%", True, True)
    , but no more than unrelated groups of words often are: 25% of them differ as much
chance("5%", True, False)
    ; only 5% of unrelated groups of words differ as much
chance("42%", False, False)
    ; 42% of unrelated groups of words differ as much

no_more(1, ["47%"])
    no more than unrelated groups of words often are: 47% of them differ as much
no_more(4, ["15% to 47%"], True)
    no more than unrelated groups of words often change. Of such groups, 15% to 47% change as much

line_of_list("closer", "words for women", "words for men", "occupations stereotyped as female",
    "0.09 closer", "89% HPDI", "0.05 to 0.13", "closer")
    occupations stereotyped as female: words for women 0.09 closer than words for men (89% HPDI 0.05
    to 0.13; closer)
line_of_list("closer", "words for women", "words for men", "occupations stereotyped as female",
    "0.09 closer", "50% HPDI", "0 to 1", "closer", "why")
    occupations stereotyped as female: words for women 0.09 closer than words for men (50% HPDI 0 to
    1; closer; why)
line_of_list("same", "words for women", "words for men", "occupations stereotyped as female",
    "0.00 closer", "89% HPDI", "0.05 closer to 0.13", "")
    occupations stereotyped as female: the difference is 0 by construction, since every listed
    attribute is as far from words for women as from words for men; for words like these 0.05 closer
    to 0.13 (89% HPDI)

connections("closer", "associated", "human", "0.05")
    associated words are closer to the protected words than human words, by 0.05
connections("farther", "human", "neutral", "0.05", "size undecided")
    human words are farther from the protected words than neutral words, by 0.05, perhaps too little
    to matter
connections("closer", "human", "neutral", "0.01", "practically equal")
    human words are closer to the protected words than neutral words, by 0.01, which is too little
    to matter
connections("practically equal", "human", "neutral", "0.00")
    human and neutral words are practically equally far from the protected words
connections("undecided", "human", "neutral", "0.02")
    we cannot tell whether human or neutral words are closer to the protected words

sureness("0.05 closer", "0.52", "sd", "89% HPDI", "0.02 to 0.09 closer", "", "", "closer", "0.99",
    "0.05 closer")
    The mean is 0.05 closer (0.52 sd), the 89% HPDI 0.02 to 0.09 closer. They are closer with
    probability 0.99. The listed pairs by themselves are 0.05 closer.
sureness("0.05 closer", "", "sd", "89% HPDI", "0 to 1", "; ch", "ed", "closer", "0.9", "0.1")
    The mean is 0.05 closer, the 89% HPDI 0 to 1; ch; ed. They are closer with probability 0.9. The
    listed pairs by themselves are 0.1.

edge("0.0109", "0.0102", False)
    the interval ends at 0.0109, so near 0.0102, the most that is too small to matter, that
    numerical error could change the verdict
edge("0.0001", "0.0000", True)
    the interval ends at 0.0001, so near 0 that numerical error could change the verdict

expected_wrong("a − b", "3 words", "closer", "0.2")
    a − b: of 3 words called closer, 0.2 expected to be wrong.

edge_of_table()
    On the edge: the interval ends so near 0, or the ROPE, that numerical error could change the
    verdict.

controls("associated",
    [("undecided", ["human words (x)"]), ("closer", ["a words (y)", "b words (z)"])])
    Against the controls, we cannot tell whether associated words are closer or farther than human
    words (x); associated words are closer than a words (y) and b words (z).
controls("associated", [("practically equal", ["human words (x)"])])
    Against the controls, associated words are practically as far as human words (x).

words_by_direction([("closer", "2", "she, her"), ("farther", "1", "he"), ("undecided", "4", "")],
    "7 words")
    closer for 2 (she, her), farther for 1 (he) and undecided for 4 of 7 words
words_by_direction([("undecided", "1", "")], "1 word")
    undecided for 1 of 1 word

words("a − b", "closer for 2 of 7 words", "")
    Word by word, a − b is closer for 2 of 7 words.
words("a − b", "closer for 2 of 7 words", "0.1 of the 2 words called closer")
    Word by word, a − b is closer for 2 of 7 words. Expected to have the wrong direction: 0.1 of the
    2 words called closer.

means([("0.73", "human", "0.70 to 0.76"), ("0.84", "neutral", "0.82 to 0.86")], "89% HPDI")
    The mean cosine distance of the protected words is 0.73 to human words (89% HPDI 0.70 to 0.76);
    0.84 to neutral words (89% HPDI 0.82 to 0.86).

nothing_compared()
    This fit has no two of the connections that are compared, so nothing can be said about an
    association.

checks("Fine", "89%", "90.0%", "5", "")
    Fine. Left-out coverage: 90.0% of the pairs lie in their 89% predictive intervals, each
    predicted from all others, as they should if the model fits.
checks("Fine", "89%", "97.0%", "5", "at 89%")
    Fine. Left-out coverage: 97.0% of the pairs lie in their 89% predictive intervals, each
    predicted from all others. This is more than 5 points off target at 89%: single distances
    scatter differently than the model says.
""")

FIRST = cases("""
of_lists(2)
    How much closer than the other group, in cosine distance
of_lists(3)
    How much closer than the other groups, in cosine distance

of_groups()
    How much closer to its own attribute lists than to the others, in cosine distance

of_connections()
    How much closer to the protected words than the others, in cosine distance

difference("How much closer")
    Difference: how much closer.

size("closer", "0.07 closer")
    0.07 closer
size("farther", "0.07 farther")
    0.07 farther
size("practically equal", "0.00 closer")
    practically equal
size("same", "0.00 closer")
    equal by construction
size("undecided", "0.03 closer")
    cannot tell

compared("14 words", "he, she, …", "18 attributes", "nurse, …", "glove.bin", False)
    14 words (he, she, …) are compared with 18 attributes (nurse, …) in glove.bin. The answer is for
    words like these, not only for these.
compared("1 word", "he", "2 attributes", "nurse, pilot", "", True)
    1 word (he) is compared with 2 attributes (nurse, pilot). The answer is for these words alone.

connections()
    Associated: linked to a word's own group by a stereotype. Different: linked to another group.
    Human and neutral words are controls.

no_reference()
    Reference words, such as person, are not compared. So a list that is closer to everybody counts
    as the group's own.

closer()
    Closer: a smaller cosine distance. The vectors treat two words as more alike.

sds("0.07", "0.7", "the sd of x", "0.01")
    0.07 is 0.7 times the sd of x. Less than 0.01 counts as too small to matter.
sds("0.07", "0.7", "the sd of x", "")
    0.07 is 0.7 times the sd of x.

same()
    Equal by construction: every listed attribute is as far from one group as from the other. The
    interval is for other words like these.

interval("89%", "")
    Interval: the true difference lies in it with probability 89%, given the model.
interval("50%", "equal-tailed")
    Interval: the true difference lies in it with probability 50%, given the model (equal-tailed).

chance(False)
    Unrelated groups of words, such as rivers and trees: how many differ at least as much. Tables
    call it chance.
chance(True)
    Unrelated groups of words, such as rivers and trees: how many differ at least as much, once
    distances to neutral words are taken off. Tables call it chance.

ends("0.002", "0.14")
    0.002 to 0.14
ends("", "0.14")
    just above 0 to 0.14

unrelated("25%")
    25% at least as much

few_words(3, 8, "words for mathematics")
    3 of the 8 words for mathematics
few_words(3, 8, "the attribute list x")
    3 of the 8 words of the attribute list x

only(["3 of the 8 words for mathematics"])
    These vectors have only 3 of the 8 words for mathematics.

few(['the list "a"'])
    But a single word is all of the list "a": it can hardly stand for words like it.

caution(["25%"], "", "89%")
    But about 25% of pairs of unrelated groups, like words for rivers and for trees, differ at least
    as much in this respect.
caution(["25%", "40%"], "0.01", "89%")
    But about 25% and 40% of pairs of unrelated groups, like words for rivers and for trees, differ
    at least as much in this respect. The 89% interval also includes differences below 0.01, taken
    here as too small to matter.
caution([], "0.01", "89%")
    But the 89% interval includes differences below 0.01, taken here as too small to matter.

on_edge("Words for men", "of this")
    Words for men: a borderline case, since of this.

together("closer", "0.05 closer", "0.02 to 0.09")
    On average, words are 0.05 closer to their own attribute lists than to the others (0.02 to
    0.09).
together("farther", "0.05 farther", "0.02 to 0.09")
    On average, words are 0.05 farther from their own attribute lists than from the others (0.02 to
    0.09).
together("practically equal", "", "0.01 closer up to 0.01 farther")
    On average, words are practically as close to their own attribute lists as to the others (0.01
    closer up to 0.01 farther).
together("undecided", "", "0.02 closer up to 0.09 farther")
    On average over all groups, too, we cannot tell whether words are closer to their own attribute
    lists (0.02 closer up to 0.09 farther).

not_harm()
    A difference is not yet harm, and another word list can give another answer.

data("9 pairs", "None is missing.")
    Data: 9 pairs. None is missing.

checks("Fine.", [("91.6%", "89%"), ("54.3%", "50%")])
    Checks: Fine. In-sample coverage: 91.6% of pairs lie in their 89% predictive interval, 54.3% in
    that of 50%.
""")

FACTS = cases("""
headline("rises", "share", "words for women", "words for men", "0.07")
    Words with a larger "share" tend to be closer to words for women, relative to words for men, by
    0.07 per standard deviation of "share".
headline("falls", "share", "words for women", "words for men", "0.07")
    Words with a larger "share" tend to be closer to words for men, relative to words for women, by
    0.07 per standard deviation of "share".
headline("undecided", "share", "words for women", "words for men", "0.01")
    We cannot tell whether words come closer to words for women or to words for men the larger their
    "share" is.

range("89% HPDI", "0.03 to 0.10 closer", "0.24", "10 words", "share", "soldier", "0.2", "maid",
    "0.9")
    The 89% HPDI is 0.03 to 0.10 closer, in cosine distance. One standard deviation of "share" is
    0.24. Of 10 words with a known "share", soldier has the smallest (0.2) and maid the largest
    (0.9).

details("share", "0.07 closer", "89% HPDI", "0.03 to 0.10 closer", "closer", "0.99", "10 words",
    "0.78", "89% equal-tailed interval", "0.51 to 0.96", "0.80")
    For one standard deviation more of share the difference of distances is 0.07 closer (89% HPDI
    0.03 to 0.10 closer). It is closer with probability 0.99. Over 10 words the true values
    correlate by 0.78 (89% equal-tailed interval 0.51 to 0.96), the listed ones by 0.80.

heading("words for women", "words for men")
    Change in how much closer to words for women than to words for men, in cosine distance:

one_sd("share")
    one standard deviation more of share

correlation()
    correlation, without errors

compared("10 attributes", "nurse, …", "share", "words for women", "words for men")
    10 attributes (nurse, …) have a known share. It is set against how much closer the vectors have
    each to words for women than to words for men.

interval("89%")
    Interval: the true value lies in it with probability 89%, given the model.

errors("0.80", True)
    The correlation is that of the true values. The listed ones, with the errors of both, correlate
    by 0.80.
errors("0.80", False)
    The correlation is that of the true values. The listed ones, with the errors of the vectors,
    correlate by 0.80.

no_cause()
    The line holds for words like these, and says nothing of causes.

table("words", "a", "b", "share")
    Association of words (distance to b minus distance to a) against share:

slope("share")
    Slope: change with one unit of share; per sd: with one standard deviation of its true values.
    That is estimated too, so the two intervals are not in proportion. Verdict: rises or falls if
    the interval per sd excludes 0. r is free of the errors, raw r is not.

left_out("he, she")
    Left out: he, she; the table left_out says why.
""")

CAUTION = cases("""
lacks([("attribute", "of all")], False)
    the term attribute (of all)
lacks([("attribute", "of all"), ("mine", "")], True)
    the terms attribute (of all); mine and the similarity of attributes (those of one topic)
lacks([], True)
    the similarity of attributes (those of one topic)

preferred("maximal", "paper", "24", "the term x")
    Caution: the data prefer 'maximal' to 'paper' by 24 log units. 'paper' lacks the term x; without
    this its intervals can be too narrow or too wide. Fit 'maximal'.

unknown("maximal", "student", "the term x", "")
    Caution: model 'student' lacks the term x. Whether the data ask for them cannot be told, since
    its likelihood is not normal; compare its contrasts with those of 'maximal'.
unknown("maximal", "paper", "the term x", "no rows")
    Caution: model 'paper' lacks the term x. Whether the data ask for them cannot be told, since
    'maximal' cannot be fitted: no rows.
""")

NEXT = cases("""
treated("a", "b", "gender")
    Next: test the method on words that it did not use, which compare finds itself: bayesbias
    compare a b --wordlist gender

analysis("undecided", ["3 of the 8 words of 'math'"], "", False, False)
    Next: use vectors that have more of the words: these have 3 of the 8 words of 'math'.
analysis("undecided", [], "", False, False)
    Next: find out how many words make the average over attribute lists surer: add --out DIR, then
    bayesbias plan DIR.
analysis("weak", ["1 of 5"], "out", True, True)
    Next: find out how many words make the average over attribute lists surer: bayesbias plan out.
analysis("common", [], "", False, True)
    Next: see whether attribute lists of random words differ as much: add --placebo 200.
analysis("common", [], "", True, True)
    Next: take another word list, since one word list is one question: bayesbias wordlists list.
analysis("clear", [], "", False, False)
    Next: see whether attribute lists of random words differ as much: add --placebo 200.
analysis("clear", [], "", True, False)
    Next: see which words carry it: add --words.
analysis("clear", [], "", True, True)
    Next: take another word list, since one word list is one question: bayesbias wordlists list.

more_words(["3 of the 8 words of 'math'"])
    Next: use vectors that have more of the words: these have 3 of the 8 words of 'math'.

fit("undecided", ["3 of the 8 words of 'math'"])
    Next: use vectors that have more of the words: these have 3 of the 8 words of 'math'.
fit("undecided", [])
    Next: find out how many words make the average over attribute lists surer:
    bb.plan_wordlist(fit).
fit("common", [])
    Next: see whether attribute lists of random words differ as much: fit.placebo().
fit("clear", [])
    Next: see whether attribute lists of random words differ as much: fit.placebo().

page("undecided", ["3 of the 8 words of 'math'"], False, True)
    Next: use vectors that have more of the words: these have 3 of the 8 words of 'math'.
page("weak", [], False, True)
    Next: find out how many words make the average over attribute lists surer, with bayesbias plan.
page("undecided", [], False, False)
    Next: find out how many words make the average over attribute lists surer, with
    bb.plan_wordlist(fit).
page("clear", [], False, True)
    Next: see whether attribute lists of random words differ as much, with --placebo 200.
page("clear", [], False, False)
    Next: see whether attribute lists of random words differ as much, with fit.placebo().
page("common", [], True, True)
    Next: take another word list, since one word list is one question.
page("clear", [], True, True)
    Next: take another word list, since one word list is one question.

demo("d")
    Next: open d/report.html, which shows each group and each word.

report("d/report.html")
    Next: open d/report.html in a browser.

measures("v.bin", "gender")
    Next: see figures and each word: bayesbias analyze v.bin --wordlist gender --out DIR --report.

change(True, True, True, ("d.bin", "gender", "v.bin"))
    Next: compare by a longer word list on these groups: take a shipped one (bayesbias wordlists
    list) or write one (bayesbias wordlists new NAME).
change(True, False, False)
    Next: compare by a longer word list on these groups: take a shipped one (bb.list_wordlists()) or
    write one (docs/wordlists.md).
change(False, True, False)
    Next: see whether neighbours, which no method sets, still reveal the bias (the same word list
    may serve): bb.measures.all_measures(after, wordlist, before=before).
change(False, True, True)
    Next: see whether neighbours, which no method sets, still reveal the bias (the same word list
    may serve): bayesbias measures AFTER --wordlist LIST --before BEFORE.
change(False, True, True, ("d.bin", "gender", "v.bin"))
    Next: see whether neighbours, which no method sets, still reveal the bias (the same word list
    may serve): bayesbias measures d.bin --wordlist gender --before v.bin.
change(False, False, True)
    Next: compare by another word list on these groups, since other words were not tested: bayesbias
    wordlists list.
change(False, False, False)
    Next: compare by another word list on these groups, since other words were not tested:
    bb.list_wordlists().

neighbours(True, ("d.bin", "gender", "v.bin"))
    see whether neighbours, which no method sets, still reveal the bias (the same word list may
    serve): bayesbias measures d.bin --wordlist gender --before v.bin.

several("d/report.html", True)
    Next: open d/report.html, which shows every number.
several("d/report.html", False)
    Next: see every number: add --report --overwrite.
several("", False)
    Next: see every number: add --out DIR --report.
several("", False, True, True)
    Next: compare four points in time or more.
several("", False, False)
    Next: see every number: bb.write_report(found, "report.html").

lists()
    Next: look at each word list by itself: bb.fit(bb.distances(vectors, wordlist)).

sweep("out")
    Next: see what every task says: out/summary.csv.

debias("bayesbias compare a b")
    Next: test it on words that it did not use, which compare finds itself: bayesbias compare a b

facts("undecided", "9 words", "share", "", True)
    Next: take more words with a known share; 9 words cannot tell.
facts("rises", "9 words", "share", "", True)
    Next: look at every word: add --out DIR --figures.
facts("rises", "9 words", "share", "", False)
    Next: look at every word: .plot() or .words of this result.
facts("falls", "9 words", "share", "d", True)
    Next: ask what the word list's own attributes say: bayesbias analyze VECTORS --wordlist LIST.

plan(True, 100, 28, 50, "0.1", True)
    Next: ask again with more simulations: --simulations 100.
plan(False, 100, 28, 50, "0.1", True)
    Next: try longer lists, with more simulations: --words 28 --attributes 50 --simulations 100.
plan(False, 100, 28, 50, "0.1", False)
    Next: try longer lists, with more simulations: n_words=[28], n_attributes=[50], simulations=100.
plan(True, 100, 28, 50, "0.1", False)
    Next: ask again with more simulations: simulations=100.
plan(True, 0, 28, 50, "0.1", True)
    Next: write the word list: bayesbias wordlists new NAME.
plan(True, 0, 28, 50, "0.1", False)
    Next: write the word list: a .toml file, which bb.distances takes (docs/wordlists.md).
plan(False, 0, 28, 50, "0.1", True)
    Next: try longer lists (--words 28 --attributes 50), or allow a wider interval (--width 0.1).
plan(False, 0, 28, 50, "0.1", False)
    Next: try longer lists (n_words=[28], n_attributes=[50]), or allow a wider interval (width=0.1).
""")

PARAGRAPH = cases("""
data("Gender", "gender", ["bolukbasi2016"], ["1 pair"], "maximal", ["barr2013"], "")
    Gender: model maximal ⟦barr2013⟧ of the cosine distances of 1 pair, word list gender
    ⟦bolukbasi2016⟧.
data("Gender", "gender", [], ["a", "b"], "mine", [], "Miller 2020")
    Gender: model mine (Miller 2020) of the cosine distances of a and b.
data("Gender", "gender", [], ["a"], "mine", [], "")
    Gender: model mine of the cosine distances of a.

pairs("2 words", "1 attribute", "2 pairs", [])
    2 words and 1 attribute (2 pairs)
pairs("2 words", "1 attribute", "2 pairs", ["3 runs"])
    2 words and 1 attribute (2 pairs, in 3 runs)

topics(18, 12)
    Attributes count as a sample of topics (18 in 12).

verdicts("89% HPDI", "0.01", " (0.10 sd)", ["kruschke2018"])
    Intervals are 89% HPDIs; differences below 0.01 (0.10 sd) count as practically none
    ⟦kruschke2018⟧.

checks("All went well", "90%", "89%", [])
    All went well; 90% of pairs lie in left-out 89% predictive intervals.
checks("All went well", "70%", "89%", ["at 89%", "at 50%"])
    All went well; 70% of pairs lie in left-out 89% predictive intervals. Off target: at 89% and at
    50%.

made("0.1", ["a", "b"], "collapsed", "4,000", 1, "12ab")
    Computed with bayesbias 0.1 ⟦a,b⟧: engine collapsed, 4,000 draws, seed 1, fit 12ab.
""")

KINDS = {
    "paragraph": (paragraph.tell, PARAGRAPH),
    "next": (next_step.next_step, NEXT),
    "caution": (caution.tell, CAUTION),
    "facts": (fact_lines.tell, FACTS),
    "sentences": (sentences.tell, SENTENCES),
    "first screen": (first_screen.tell, FIRST),
}


test_a_template_says, test_every_branch_has_a_case = each_case_of(KINDS)


@pytest.mark.parametrize("kind", ["next", "caution", "facts", "first screen"])
def test_no_sentence_of_a_first_screen_is_long(kind):
    _, given = KINDS[kind]
    assert not [long for rows in given.values() for _, said in rows for long in too_long(said)]
