"""Every template of what changes, rules and several fits say: each macro and each branch."""

from templates import cases, each_case_of, no_long_sentence

from bayesbias.studies import change_sentences, rules, several_narrator

CHANGE = cases("""
change("zero", "a and b", "x")
    a and b no longer differ towards x
change("gone", "a and b", "x")
    a and b practically no longer differ towards x
change("weaker", "a and b", "x")
    a and b still differ, but less, towards x
change("not seen", "a and b", "x")
    a and b differ less or no longer towards x
change("stronger", "a and b", "x")
    a and b now differ more towards x
change("turned", "a and b", "x")
    a and b differ the other way towards x
change("appeared", "a and b", "x")
    a and b now clearly differ towards x
change("unchanged", "a and b", "x")
    practically nothing changed between a and b towards x
change("none", "a and b", "x")
    a and b never clearly differed towards x
change("mixed", "groups", "the word list x", "on")
    some differences between groups changed on the word list x
change("undecided", "a and b", "x")
    we cannot tell whether a and b differ less or more than before towards x

further("zero", "x")
    towards x they no longer do
further("gone", "x")
    towards x they practically no longer do
further("weaker", "x")
    towards x still, but less
further("not seen", "x")
    towards x less or no longer
further("stronger", "x")
    towards x they differ more
further("turned", "x")
    towards x the other way
further("appeared", "x")
    towards x they clearly do
further("unchanged", "x")
    towards x practically nothing changed
further("none", "x")
    towards x never clearly
further("mixed", "x", "on")
    on x some changed
further("undecided", "x")
    towards x we cannot tell

on_average("weaker", "a and b", "both attribute lists", "for either list")
    a and b still differ, but less, towards both attribute lists on average; for either list alone
    we cannot tell

sides("a.bin", "b.bin")
    Before: a.bin; after: b.bin.

removed("a and b", "either attribute list", True, True)
    removed for this word list: a and b no longer differ in how close they are to either attribute
    list
removed("a and b", "either attribute list", False, True)
    removed for this word list: a and b practically no longer differ in how close they are to either
    attribute list
removed("a and b", "x", True, False)
    a and b no longer differ in how close they are to x; before, no difference was sure

unknown(2, "0.02 closer", "0.03 farther", "89% HPDI", "Own attribute lists: x (a); y (b).")
    On average, the change in how close they are to their own attribute lists is between 0.02 closer
    and 0.03 farther (89% HPDI). Own attribute lists: x (a); y (b).
unknown(2, "0.002 closer", "0.03 farther", "89% HPDI", "Own attribute lists: x (a); y (b).")
    On average, the change in how close they are to their own attribute lists is between 0.002
    closer and 0.03 farther (89% HPDI). Own attribute lists: x (a); y (b).
unknown(0, "0.02 closer", "0.03 farther", "89% HPDI", "Own attribute lists: x (a); y (b).")
    The change is between 0.02 closer and 0.03 farther (89% HPDI).

most_left("one", "9%", "x")
    for other words like these, up to 9% of the difference towards x may be left
most_left("several", "9%", "")
    for other words like these, up to 9% of the difference towards any attribute list may be left
most_left("average", "9%", "")
    for other words like these, on average up to 9% of the difference may be left

untested()
    Other words were not tested.

line("X", "a", "b", "0.10 closer", "89% HPDI", "0.05 to 0.15 closer", "0.02 farther",
    "0.01 closer up to 0.05 farther", False, "5% of it is left (1% to 9%)")
    X: before, a were 0.10 closer than b (89% HPDI 0.05 to 0.15 closer); after, they are 0.02
    farther (0.01 closer up to 0.05 farther); 5% of it is left (1% to 9%)
line("X", "a", "b", "0.10 closer", "89% HPDI", "0.05 to 0.15 closer", "", "", True, "")
    X: before, a were 0.10 closer than b (89% HPDI 0.05 to 0.15 closer); after, the difference is 0
    by construction

left("5%", "1%", "9%", "", "89% HPDI")
    of the difference, 5% remains (89% HPDI 1% to 9%)
left("5%", "1%", "9%", "")
    of the difference, 5% remains (1% to 9%)
left("5%", "−1%", "9%", "")
    of the difference, up to 9% remains, or up to 1% is reversed (estimate 5%)
left("−5%", "−11%", "9%", "")
    of the difference, up to 9% remains, or up to 11% is reversed (estimate 5% reversed)
left("−50%", "−70%", "−30%", "", "89% HPDI")
    of the difference, 30% to 70% is reversed (89% HPDI; estimate 50%)
left("−50%", "−70%", "−30%", "")
    of the difference, 30% to 70% is reversed (estimate 50%)
left("5%", "−1%", "9%", "", "89% HPDI")
    of the difference, up to 9% remains, or up to 1% is reversed (89% HPDI; estimate 5%)
left("", "", "", "before may be none")
    how much of the difference remains is not known: before may be none

shared("x", "y", "0.06", "89% HPDI", "0.01 to 0.11")
    Compared with words of no group, all these words are now closer to x than to y, by 0.06 (89%
    HPDI 0.01 to 0.11): that is no difference between the groups.

of_groups(["a are closer to x than to y, by 0.06", "b are farther from x than from y"])
    Compared with words of no group, afterwards a are closer to x than to y, by 0.06 and b are
    farther from x than from y.

zero_note(["x", "y"])
    Every listed attribute of x and y is now as far from one group as from the other: the step makes
    this 0 by construction, which is no evidence about other words.

association("gone")
    the association is practically gone
association("weaker")
    the association is weaker, and not gone
association("not seen")
    the association is weaker, or gone
association("stronger")
    the association is stronger
association("turned")
    the association has turned round
association("appeared")
    there is now an association, which was not sure before
association("unchanged")
    practically nothing changed
association("none")
    something changed, but no association was sure before, and none is after
association("undecided")
    we cannot tell whether the association changed

over_all("gone", "", "associated", "different", ["x", "y"], "0.10 closer", "as close")
    the association is practically gone: over all groups, protected words were 0.10 closer to their
    own attributes (x; y) than to the others' before, and are as close after
over_all("weaker", "a", "associated", "different", [], "0.10 closer", "0.05 closer")
    the association is weaker, and not gone: a were 0.10 closer to their own attributes than to the
    others' before, and are 0.05 closer after
over_all("stronger", "a", "human", "neutral", [], "0.10 closer", "0.20 closer")
    the association is stronger: a were 0.10 closer to human words than to neutral words before, and
    are 0.20 closer after

sizes("0.10 closer", "89% HPDI", "0.08 to 0.12 closer", "0.05 farther", "0.03 to 0.07 farther",
    "50% of it is left (40% to 60%)")
    Before they were 0.10 closer (89% HPDI 0.08 to 0.12 closer), after they are 0.05 farther (0.03
    to 0.07 farther); 50% of it is left (40% to 60%).

each_group([("a", "0.06 farther", "0.01 to 0.11 farther")])
    After, of each group by itself, compared with the other attribute lists: a 0.06 farther (0.01 to
    0.11 farther).
each_group(
    [("a", "0.06 farther", "0.01 to 0.11 farther"),
    ("b", "0.06 closer", "0.01 to 0.11 closer"),
    ("c", "0.02 closer", "0.01 to 0.03 closer")])
    After, of each group by itself, compared with the other attribute lists: a 0.06 farther (0.01 to
    0.11 farther), b 0.06 closer (0.01 to 0.11 closer) and c 0.02 closer (0.01 to 0.03 closer).

grew([("a", "0.10 closer", "0.20 closer")], [], False)
    The association grew for a (from 0.10 closer to 0.20 closer).
grew([("a", "0.10 closer", "0.20 closer"), ("b", "0.10 farther", "0.20 farther")], ["he", "she"],
    True)
    The association grew for a (from 0.10 closer to 0.20 closer), b (from 0.10 farther to 0.20
    farther), he, she, ….
grew([], ["he"], False)
    The association grew for he.

controls([], [], [])
    there are no control words to say what else moved
controls(["human"], ["neutral"], [])
    human words, which should stay, moved too; mean distances to neutral words stayed, as they
    should
controls([], ["human"], ["neutral"])
    mean distances to human words stayed, as they should; whether neutral words moved cannot be told
controls(["human"], [], ["neutral"])
    human words, which should stay, moved too; whether neutral words moved cannot be told
controls([], [], ["neutral"])
    whether neutral words moved cannot be told

known_rate("change-maximal", "11%")
    Of lists that a step does not change, this model calls 7 to 13% changed, where 11% should be.
known_rate("change-runs", "11%")
    Of lists that differ by training again alone, this model calls 16.5% changed with five runs a
    side, where 11% should be: distrust a small change.
known_rate("change", "11%")
    How often this model finds a change where there is none was not measured: distrust a small
    change.
known_rate("change-maximal", "")
    How often this model finds a change where there is none was not measured: distrust a small
    change.

coordinates("0.50")
    the coordinates of words that both have correlate at 0.50

two_trainings("0.05")
    not of one training (the coordinates of words that both have correlate at 0.05)

chance()
    one run a side cannot tell what was done from what training again does by chance: compare
    several runs of each (docs/sources.md)

origin("still", "0.50", "human")
    Both files come from one training: human distances are the same in both.
origin("no vectors", "0.50", "human")
    Whether both files come from one training cannot be told without vectors of other words; if not,
    one run a side cannot tell what was done from what training again does by chance: compare
    several runs of each (docs/sources.md).
origin("one", "0.50", "human")
    Both files can come from one training, one made from the other: the coordinates of words that
    both have correlate at 0.50.
origin("two", "0.50", "human")
    The two files are not of one training (the coordinates of words that both have correlate at
    0.50), and one run a side cannot tell what was done from what training again does by chance:
    compare several runs of each (docs/sources.md).
origin("unclear", "0.50", "human")
    Whether both files come from one training cannot be told (the coordinates of words that both
    have correlate at 0.50); if not, one run a side cannot tell what was done from what training
    again does by chance: compare several runs of each (docs/sources.md).

but("", "")
but("practically equal", "")
    , practically negligibly
but("size undecided", "it ends there")
    , size undecided (on the edge: it ends there)

contrast("associated", "different", "−0.100", "−0.050", "+0.050", "89% HPDI", "+0.010 to +0.090",
    "+0.50 sd", "farther", "size undecided", "0.01", "")
    Associated − different went from −0.100 before to −0.050 after (plain means of the listed
    pairs). The modelled change is +0.050 (89% HPDI +0.010 to +0.090; +0.50 sd): associated words
    moved away relative to different words, size undecided.
contrast("associated", "different", "−0.100", "−0.150", "−0.050", "89% HPDI", "−0.090 to −0.010",
    "", "closer", "", "0.01", "")
    Associated − different went from −0.100 before to −0.150 after (plain means of the listed
    pairs). The modelled change is −0.050 (89% HPDI −0.090 to −0.010): associated words came closer
    relative to different words.
contrast("human", "neutral", "0.000", "0.001", "+0.001", "89% HPDI", "−0.005 to +0.006", "",
    "practically equal", "", "0.01", "")
    Human − neutral went from 0.000 before to 0.001 after (plain means of the listed pairs). The
    modelled change is +0.001 (89% HPDI −0.005 to +0.006): practically no change (within ±0.01).
contrast("human", "neutral", "0.000", "0.001", "+0.001", "89% HPDI", "−0.050 to +0.060", "",
    "undecided", "", "0.01", "the interval ends there")
    Human − neutral went from 0.000 before to 0.001 after (plain means of the listed pairs). The
    modelled change is +0.001 (89% HPDI −0.050 to +0.060): whether it changed is undecided (on the
    edge: the interval ends there).

other_contrasts([("human − neutral", "0.000", "0.001", "+0.001", "−0.005 to +0.006", "undecided")])
    Other contrasts: human − neutral from 0.000 to 0.001 (change +0.001, −0.005 to +0.006:
    undecided).
other_contrasts(
    [("human − neutral", "0.000", "0.001", "+0.001", "−0.005 to +0.006", "undecided"),
    ("a − b", "0.100", "0.000", "−0.100", "−0.150 to −0.050", "closer")])
    Other contrasts: human − neutral from 0.000 to 0.001 (change +0.001, −0.005 to +0.006:
    undecided); a − b from 0.100 to 0.000 (change −0.100, −0.150 to −0.050: closer).

moved("human", "closer", "", "", "+0.020", "+0.010 to +0.030")
    human words moved closer to the protected words (+0.020, +0.010 to +0.030)
moved("human", "farther", "", "", "+0.020", "+0.010 to +0.030")
    human words moved farther away (+0.020, +0.010 to +0.030)
moved("human", "practically equal", "", "", "+0.020", "+0.010 to +0.030")
    human words practically stayed (+0.020, +0.010 to +0.030)
moved("human", "undecided", "", "", "+0.020", "+0.010 to +0.030")
    whether human words moved is undecided (+0.020, +0.010 to +0.030)

unmoved("human", "1e-05")
    human words did not move (no pair by more than 1e-05)

by_connection(["human words did not move", "neutral words practically stayed"], [])
    By connection: human words did not move; neutral words practically stayed.
by_connection(["human words moved farther away"], ["human"])
    By connection: human words moved farther away. Controls should stay, and human words did not.

by_word([("different", "closer for 1 of 2 words"), ("human", "undecided for 2 of 2 words")])
    Word by word, the change to different words is closer for 1 of 2 words; the change to human
    words is undecided for 2 of 2 words.

closer("0.01")
    Closer: a smaller cosine distance. The vectors treat two words as more alike. Changes of up to
    0.01 count as none.

data("9 pairs", "3 protected words", "", "0 pairs")
    Data: 9 pairs of 3 protected words; 0 pairs on one side only, left out.
data("9 pairs", "3 protected words", "5 training runs", "1 pair")
    Data: 9 pairs of 3 protected words in 5 training runs; 1 pair on one side only, left out.

of_what_is_left("a − b", True)
    What is left of a − b, each group's compared with words of no group
of_what_is_left("a − b", False)
    What is left of a − b

bad_left("0.80")
    Do not rely on what is left: a fit of it went badly (Pareto k 0.80).

held_out("hard", [("not seen", ["winobias"]), ("undecided", ["weat7"])])
    In words unused by the method "hard", groups differ less or no longer on the word list winobias;
    on weat7 we cannot tell.
held_out("soft", [("undecided", ["winobias", "weat7"])])
    In words unused by the method "soft", we cannot tell whether groups differ less or more than
    before on the word lists winobias and weat7.
held_out("soft", [("undecided", ["gender", "winobias", "weat7"])])
    In words unused by the method "soft", we cannot tell whether groups differ less or more than
    before on 3 word lists.
held_out("hard", [("gone", ["a"]), ("weaker", ["b"]), ("undecided", ["c"])])
    In words unused by the method "hard", groups practically no longer differ on the word list a,
    but not so on the others.

average("a and b", "0.05 closer", "", "0.02 to 0.07", "0.02 closer up to 0.01 farther", "89% HPDI",
    "of the difference, up to 34% remains, or up to 20% is reversed (89% HPDI; estimate 14%)")
    Before, a and b were on average 0.05 closer to own than other attribute lists (89% HPDI 0.02 to
    0.07). After, we cannot tell whether any difference is left (0.02 closer up to 0.01 farther). Of
    the difference, up to 34% remains, or up to 20% is reversed (89% HPDI; estimate 14%).
average("a and b", "", "0.05 farther", "0.02 closer up to 0.01 farther", "0.02 to 0.07", "89% HPDI",
    "")
    Before, we cannot tell. After, a and b are on average 0.05 farther from own than other attribute
    lists (89% HPDI 0.02 to 0.07).
average("a and b", "", "", "0.02 closer up to 0.01 farther", "0.02 closer up to 0.01 farther",
    "89% HPDI", "")
    On average, we cannot tell whether a and b are closer to their own attribute lists, before or
    after.
average("a and b", "0.05 closer", "0.01 closer", "0.02 to 0.07", "0.005 to 0.02", "89% HPDI", "")
    Before, a and b were on average 0.05 closer to own than other attribute lists (89% HPDI 0.02 to
    0.07). After, they are 0.01 closer (0.005 to 0.02).

to_own("0.05 closer")
    0.05 closer to own than other attribute lists
to_own("0.05 farther")
    0.05 farther from own than other attribute lists

unchanged_words("hard", "0.0001")
    Nothing changed: the method "hard" left these words as they were.
unchanged_words("", "0.0001")
    Nothing changed: no distance moved by more than 0.0001.

test_of_list("no test", "gender", '"hard"',
    ["used all 14 of its protected words", "neutralised 3 of 18 attributes"])
    The word list gender is no test of "hard", which used all 14 of its protected words and
    neutralised 3 of 18 attributes.
test_of_list("part", "gender", '"hard"',
    ["used all 14 of its protected words", "neutralised 3 of 18 attributes"])
    Of the word list gender itself the method "hard" used all 14 of its protected words and
    neutralised 3 of 18 attributes. Only the others test it.
test_of_list("test", "gender", '"hard"', [])
    The method "hard" used no word of gender, so that this comparison tests it.

words_of_list("used", 14, 14, "protected words")
    used all 14 protected words
words_of_list("neutralised", 3, 18, "attributes")
    neutralised 3 of 18 attributes
words_of_list("left", 0, 18, "attributes")
    left all 18 attributes

no_other_list("hard")
    No shipped word list asks about these groups in other words of these vectors. Compare with a
    word list that the method "hard" did not use.

of_word_lists()
    How much closer to an attribute list its own group is than the other:

used()
    Used: what gave the direction, was equalised, or was neutralised by name. A rule may have
    neutralised other words.
""")

RULES = cases("""
asked("a − b", "", "", [("at least", "-0.01"), ("at most", "0.01")], "")
    a − b at least -0.01 and at most 0.01
asked("a − b", "she", "jobs", [("at most", "0.1")], " sd")
    a − b of she on jobs at most 0.1 sd

found("-0.052", "89%", "-0.095 to -0.009", "", "0.960", "0.95", "", "", "", "")
    is -0.052 (89% -0.095 to -0.009); probability 0.960, 0.95 needed
found("-0.52", "89%", "-0.95 to -0.09", " sd", "0.500", "0.95", "28.0%", "5%", "2 words",
    "unrelated groups of words differ as much too often")
    is -0.52 (89% -0.95 to -0.09) sd; probability 0.500, 0.95 needed; chance 28.0%, at most 5%
    asked; 2 words missing; unrelated groups of words differ as much too often

not_trusted(["Pareto k is 0.9", "few draws"])
    the fit is not to be trusted: Pareto k is 0.9; few draws

too_often()
    unrelated groups of words differ as much too often

summary("1 rule", [("1", "pass")])
    1 rule: 1 pass
summary("3 rules", [("2", "fail"), ("1", "pass")])
    3 rules: 2 fail, 1 pass
""")

LEAD = {
    "names": "b",
    "n": 1,
    "nearest": "b",
    "by": "0.20 sd",
    "label": "89% HPDI",
    "ends": "0.10 to 0.30",
    "each": [("b", "0.20 sd", "0.10 to 0.30")],
}

BOTH = LEAD | {"names": "b and c", "n": 2, "each": [*LEAD["each"], ("c", "0.3 sd", "0.2 to 0.4")]}
OTHERS = LEAD | {"names": "the others", "n": 3, "each": []}
SEVERAL = cases(
    """
rank("words for men and words for women", "associated", "different", '"a"', "0.90", LEAD, None,
    None)
    on average, the association of words for men and words for women with their own attribute lists
    is strongest in the embedding "a" (probability 0.90). It is weaker in b, by 0.20 sd (89% HPDI
    0.10 to 0.30)
rank("words for men and words for women", "associated", "different", '"a"', "0.60", None, None,
    None)
    on average, the association of words for men and words for women with their own attribute lists
    is strongest in the embedding "a" (probability 0.60)
rank("words for men and words for women", "human", "neutral", '"a"', "0.60", LEAD, LEAD, LEAD)
    the association of human words with words for men and words for women, relative to neutral
    words, is strongest in "a" (probability 0.60). It is weaker in b, by 0.20 sd (89% HPDI 0.10 to
    0.30). It is practically as strong in b (89% HPDI 0.10 to 0.30). In b it is weaker than in "a",
    by 0.20 sd, but the 89% HPDI includes 0 (0.10 to 0.30)
rank("words for men and words for women", "associated", "different", '"a"', "0.40", None, None,
    LEAD)
    we cannot tell in which embedding the association of words for men and words for women with
    their own attribute lists is strongest on average. In b it is weaker than in "a", by 0.20 sd,
    but the 89% HPDI includes 0 (0.10 to 0.30)
rank("words for men and words for women", "associated", "different", '"a"', "0.40", None, None,
    BOTH)
    we cannot tell in which embedding the association of words for men and words for women with
    their own attribute lists is strongest on average. The most probable is "a" (probability 0.40).
    We cannot tell whether it is weaker in b and c (b: by 0.20 sd, 89% HPDI 0.10 to 0.30)
rank("words for men and words for women", "human", "neutral", '"a"', "0.40", None, LEAD, LEAD)
    we cannot tell in which embedding the association of human words with words for men and words
    for women, relative to neutral words, is strongest. In b it is weaker than in "a", by 0.20 sd,
    but the 89% HPDI includes 0 (0.10 to 0.30). It is practically as strong in b (89% HPDI 0.10 to
    0.30)
rank("words for men and words for women", "associated", "different", '"a"', "0.40", None, LEAD,
    None)
    on average, the association of words for men and words for women with their own attribute lists
    is practically as strong in every embedding. "a" leads (probability 0.40): in b it is weaker by
    0.20 sd (89% HPDI 0.10 to 0.30)
rank("words for men and words for women", "human", "neutral", '"a"', "0.40", None, LEAD, None)
    the association of human words with words for men and words for women, relative to neutral
    words, is practically as strong in every embedding. "a" leads (probability 0.40): in b it is
    weaker by 0.20 sd (89% HPDI 0.10 to 0.30)

weaker(LEAD)
    It is weaker in b, by 0.20 sd (89% HPDI 0.10 to 0.30)
weaker(OTHERS)
    It is weaker in the others, by estimate least in b: by 0.20 sd (89% HPDI 0.10 to 0.30)

as_strong(LEAD)
    It is practically as strong in b (89% HPDI 0.10 to 0.30)
as_strong(BOTH)
    It is practically as strong in b and c

not_known(LEAD, "a")
    In b it is weaker than in a, by 0.20 sd, but the 89% HPDI includes 0 (0.10 to 0.30)
not_known(BOTH, "a")
    We cannot tell whether it is weaker in b and c (b: by 0.20 sd, 89% HPDI 0.10 to 0.30)

behind(LEAD)
    in b it is weaker by 0.20 sd (89% HPDI 0.10 to 0.30)

no_more(1, 1, "in", ["'a'"], SAID)
    But this is no more than unrelated groups of words often are: 47% of them differ as much.
no_more(2, 2, "for", ["a", "b"], SAID)
    But for both this is no more than unrelated groups of words often are: 47% of them differ as
    much.
no_more(3, 3, "in", [], SAID)
    But in all of them this is no more than unrelated groups of words often are: 47% of them differ
    as much.
no_more(1, 2, "for", ["occupations stereotyped as female"], SAID)
    But for occupations stereotyped as female this is no more than unrelated groups of words often
    are: 47% of them differ as much.
no_more(3, 4, "in", [], SAID)
    But in 3 of them this is no more than unrelated groups of words often are: 47% of them differ as
    much.

sizes("associated", "different", [("closer", ["0.50"], ["a"])], [], [])
    relative to different words, associated words are closer by 0.50 sd in a
sizes("associated", "different",
    [("closer", ["0.50", "0.30"], ["a", "b"]), ("farther", ["0.10"], ["c"])], ["d"], ["e"])
    relative to different words, associated words are closer by 0.50 sd in a and 0.30 sd in b;
    associated words are farther by 0.10 sd in c; associated words are practically as close in d; we
    cannot tell whether associated words are closer in e
sizes("associated", "different", [("closer", ["0.10", "0.40"], ["a", "b", "c", "d"])], [], [])
    relative to different words, associated words are closer by 0.10 to 0.40 sd in a, b, c and d
sizes("associated", "different", [], ["a"], ["b"])
    relative to different words, associated words are practically as close in a; we cannot tell
    whether associated words are closer in b
sizes("associated", "different", [("closer", ["0.50", "0.30", "0.20"], ["a", "b", "c"])], [], [])
    relative to different words, associated words are closer by 0.50 sd in a, 0.30 sd in b and 0.20
    sd in c
sizes("associated", "different", [], [], ["a", "b"])
    relative to different words, we cannot tell whether associated words are closer in a and b

than("associated", "different", "to")
    to their own attribute lists than to the others
than("human", "neutral", "from")
    from the protected words than neutral words

lists("words for men and words for women", "associated", "different", [("closer",
    "both word lists")])
    in both word lists words for men and words for women are on average closer to their own
    attribute lists than to the others
lists("words for men and words for women", "associated", "different",
    [("closer", "'a'"), ("undecided", "'b'"), ("practically equal", "'c'")])
    in 'a' words for men and words for women are on average closer to their own attribute lists than
    to the others. In 'b' we cannot tell. In 'c' they are practically no closer
lists("words for men and words for women", "associated", "different", [("undecided",
    "all 3 word lists")])
    in all 3 word lists we cannot tell whether words for men and words for women are closer to their
    own attribute lists
lists("words for men and words for women", "associated", "different", [("practically equal", "'a'"),
    ("farther", "'b'")])
    in 'a' words for men and words for women are practically no closer to their own attribute lists
    than to the others. In 'b' they are farther
lists("words for men and words for women", "human", "neutral", [("farther", "both word lists")])
    in both word lists human words are farther from the protected words than neutral words

side("associated", "different", "to")
    to their own attribute lists
side("human", "neutral", "to")
    to the protected words than neutral words

range_of_lists("0.05 to 0.07 closer", "0.01 to 0.12 closer", "89% HPDI")
    By word list, the mean is 0.05 to 0.07 closer, in cosine distance. Their separate intervals (89%
    HPDI) reach from 0.01 to 0.12 closer.

what_intervals_are("89% HPDI", "89%")
    An interval (89% HPDI) has 89% of the posterior probability, for words and attributes like
    these.

tasks('Word list "a"', 'words of "man" and "woman"', "Own attribute lists: ….",
    "associated", "different", "1 task", [("closer", 1, ["0.50"])], "", "", 0, "", "", "", "")
    Word list "a": On average, words of "man" and "woman" are closer to their own attribute lists in
    1 of 1 task, by 0.50 sd. Own attribute lists: ….
tasks('Word list "a"', 'words of "man" and "woman"', "Own attribute lists: ….",
    "associated", "different", "9 tasks",
    [("closer", 3, ["0.10", "0.50"]), ("farther", 2, ["0.20"])],
    "But in both this is no more than unrelated groups of words often are.", '1 (b)', 3,
    "glove, none", "0.50 sd closer", "89% HPDI", "0.20 to 0.80")
    Word list "a": On average, words of "man" and "woman" are closer to their own attribute lists in
    3 of 9 tasks, by 0.10 to 0.50 sd. They are farther in 2, by 0.20 sd. But in both this is no more
    than unrelated groups of words often are. In 1 (b) they are practically no closer: the whole
    interval is too near 0 to matter. In 3 we cannot tell. They are
    closest in the task glove, none: 0.50 sd closer (89% HPDI 0.20 to 0.80). Own attribute lists: ….
tasks("Files of distances", "protected words", "", "human", "neutral", "2 tasks", [("farther", 2,
    ["0.50"])], "", "", 0, "", "", "", "")
    Files of distances: human words are farther from the protected words than neutral words in 2 of
    2 tasks, by 0.50 sd.
tasks('Word list "a"', 'words of "man" and "woman"', "Own attribute lists: ….",
    "associated", "different", "3 tasks", [], "", "1 (x)", 2, "x",
    "0.01 sd closer", "89% HPDI", "0.2 closer up to 0.2 farther")
    Word list "a": words of "man" and "woman" are practically no closer to their own attribute lists
    in 1 (x) of 3 tasks. In 2 we cannot tell. They are closest in the task x: 0.01 sd closer (89%
    HPDI 0.2 closer up to 0.2 farther). Own attribute lists: ….
tasks('Word list "a"', 'words of "man" and "woman"', "Own attribute lists: ….",
    "associated", "different", "3 tasks", [], "", "", 3, "", "", "89% HPDI",
    "0.20 closer up to 0.30 farther")
    Word list "a": in 3 of 3 tasks we cannot tell whether words of "man" and "woman" are closer to
    their own attribute lists. The 89% HPDI is 0.20 closer up to 0.30 farther, in sd. Own attribute
    lists: ….

done("4 tasks", "3", "1", "2", "2")
    A task is one file after one step, by one word list and one model. Of 4 tasks, 3 with results, 1
    failed; 2 done now, 2 before.

in_sds("embeddings", "the sd of x", ["0.10", "0.12"])
    Sizes are in sd, so that embeddings compare. One sd, the sd of x, is 0.10 to 0.12 in cosine
    distance here.
in_sds("times", "the sd of x", ["0.10"])
    Sizes are in sd, so that times compare. One sd, the sd of x, is 0.10 in cosine distance here.

failed("1 task")
    1 task failed.

weaker(BOTH)
    It is weaker in b, by 0.20 sd (89% HPDI 0.10 to 0.30), and in c, by 0.3 sd (0.2 to 0.4)

no_test()
    Debiasing steps took their words from the word list, so their results are no test of the steps.

doubtful("2 tasks")
    2 tasks are not to be trusted: see pareto_k and notes.

trend("words for men and words for women", "1900", "1920", "associated", "different", "closer",
    "0.40", "89% interval", "0.10 to 0.70", "")
    from 1900 to 1920, words for men and words for women came closer to their own attribute lists,
    by 0.40 sd on average. The 89% interval is 0.10 to 0.70
trend("words for men and words for women", "1900", "1920", "associated", "different", "farther",
    "0.40", "89% interval", "0.01 to 0.70", "size undecided")
    from 1900 to 1920, words for men and words for women moved away from their own attribute lists,
    by 0.40 sd on average. The 89% interval is 0.01 to 0.70. That is perhaps too little to matter
trend("words for men and words for women", "1900", "1920", "associated", "different", "closer",
    "0.01", "89% interval", "0.00 to 0.02", "practically equal")
    from 1900 to 1920, words for men and words for women came closer to their own attribute lists,
    by 0.01 sd on average. The 89% interval is 0.00 to 0.02. That is too little to matter
trend("words for men and words for women", "1900", "1920", "associated", "different",
    "practically equal", "0.00", "89% interval", "0.01 closer up to 0.01 farther", "")
    from 1900 to 1920, words for men and words for women practically stayed as close to their own
    attribute lists. The 89% interval is 0.01 closer up to 0.01 farther, in sd
trend("words for men and words for women", "1900", "1920", "associated", "different", "undecided",
    "0.10", "89% interval", "0.40 closer up to 0.20 farther", "")
    we cannot tell whether, from 1900 to 1920, words for men and words for women came closer to
    their own attribute lists. The 89% interval is 0.40 closer up to 0.20 farther, in sd
trend("words for men and words for women", "1900", "1920", "associated", "different", "undecided",
    "0.10", "89% interval", "4.06 closer up to 4.92 farther", "", True)
    we cannot tell whether, from 1900 to 1920, words for men and words for women came closer to
    their own attribute lists. Three points in time are too few to show a trend (89% interval 4.06
    closer up to 4.92 farther, in sd)
trend("words for men and words for women", "1900", "1920", "human", "neutral", "closer", "0.40",
    "89% interval", "0.10 to 0.70", "")
    from 1900 to 1920, human words came closer, relative to neutral words, by 0.40 sd. The 89%
    interval is 0.10 to 0.70
trend("words for men and words for women", "1900", "1920", "human", "neutral", "farther", "0.40",
    "89% interval", "0.10 to 0.70", "")
    from 1900 to 1920, human words moved away, relative to neutral words, by 0.40 sd. The 89%
    interval is 0.10 to 0.70
trend("words for men and words for women", "1900", "1920", "human", "neutral", "practically equal",
    "0.40", "89% interval", "0.01 closer up to 0.01 farther", "")
    from 1900 to 1920, human words practically stayed as close, relative to neutral words. The 89%
    interval is 0.01 closer up to 0.01 farther, in sd
trend("words for men and words for women", "1900", "1920", "human", "neutral", "undecided", "0.40",
    "89% interval", "0.40 closer up to 0.20 farther", "")
    we cannot tell whether, from 1900 to 1920, human words came closer, relative to neutral words.
    The 89% interval is 0.40 closer up to 0.20 farther, in sd

steps("4 steps", [("closer", ["1 to 2", "2 to 3"]), ("farther", ["3 to 4"])])
    of 4 steps, words came closer in 2 (1 to 2 and 2 to 3); words moved away in 1 (3 to 4)
steps("1 step", [])
    of 1 step, none has a direction

embeddings(3, "2,000 pairs", "1 word", [])
    One model of 3 embeddings, on the 2,000 pairs that all share (1 word not in all of them).
embeddings(2, "2,000 pairs", "0 words", ["5 of a", "3 of b"])
    One model of 2 embeddings, on the 2,000 pairs that all share (0 words not in all of them).
    Distances are means over training runs (5 of a, 3 of b), with retraining's error.

lists_heading("in each embedding")
    Who is closer to each attribute list, between groups, in each embedding:

contrasts_heading()
    Contrasts in each embedding:

ranks_heading("a − b")
    Probability of each rank by a − b, 1 being the most associated:

differences_heading()
    Between embeddings, second minus first:

many_pairs("21")
    Each of the 21 pairs of embeddings is a row per contrast in the table `differences` (a folder
    has it as differences.csv).

ropes("a", [("b", "0.012")])
    That is the ROPE of a. The other: b ±0.012. Differences between embeddings are judged in sd.
ropes("a", [("b", "0.012"), ("c", "0.02")])
    That is the ROPE of a. Others: b ±0.012, c ±0.02. Differences between embeddings are judged in
    sd.
ropes("a", [])
    That is the ROPE of a. Others are in the column rope of the table `contrasts`. Differences
    between embeddings are judged in sd.

times(4, "1900", "1940", "150 pairs", "1 word")
    4 times, 1900 to 1940, on the 150 pairs that all have (1 word not at all times).

at_each_time("a − b")
    a − b, at each time:

along_line("1900", "1940")
    Along a straight line, from 1900 to 1940:

steps_of("a − b")
    Steps of a − b:

line()
    The line is that of least squares through the times. Its interval allows for trends of single
    words and attributes. It also allows for single times off the line, by retraining or in truth,
    each independently of the one before.

error_of_steps(True)
    Steps have the error of retraining, from the runs of both times.
error_of_steps(False)
    With a single training at each time a step cannot be distinguished from retraining. Its interval
    is of words and attributes alone. Compare it with how far single times are off the line, or
    train several runs of every time (bayesbias runs).

models()
    Expected log-density of a pair left out (elpd), higher is better. Standard errors are clustered
    by attribute and by protected word:

where(["'a'", "'b'"], 2, 3)
    both word lists
where(["'a'", "'b'", "'c'"], 3, 3)
    all 3 word lists
where(["'a'"], 2, 3)
    'a'
where(["'a'", "'b'"], 3, 3)
    'a' and 'b'
where(["'a'", "'b'", "'c'", "'d'"], 9, 3)
    4 of 9 word lists

more_tasks("1,000")
    and 1,000 tasks more: see summary

more_failures("12")
    and 12 more: see failures
""",
    LEAD=LEAD,
    SAID="no more than unrelated groups of words often are: 47% of them differ as much",
    OTHERS=OTHERS,
    BOTH=BOTH,
)

KINDS = {
    "change": (change_sentences.tell, CHANGE),
    "rules": (rules.tell, RULES),
    "several": (several_narrator.tell, SEVERAL),
}


test_a_template_says, test_every_branch_has_a_case = each_case_of(KINDS)


FIRST = (
    *("change", "further", "on_average", "removed", "most_left", "untested", "held_out", "average"),
    "unknown",
    *("unchanged_words", "test_of_list", "no_other_list"),
)
"""What is said first of a change, before any table."""


test_no_sentence_of_a_first_screen_is_long = no_long_sentence(CHANGE, FIRST)


_OF_TABLES = ("embeddings", "many_pairs", "ropes", "times", "line", "error_of_steps", "models")


test_no_sentence_of_several_is_long = no_long_sentence(
    SEVERAL, ["rank", "lists", "no_more", "tasks", "trend", "steps", *_OF_TABLES]
)
