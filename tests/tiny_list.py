"""A word list of a handful of words in two dimensions, whose distances are known by hand."""

from bayesbias.words.word_lists import AttributeSet, ProtectedGroup, WordList

MAN = ProtectedGroup("man", ("he", "his"), ("tools",))
WOMAN = ProtectedGroup("woman", ("she",), ("home",))
SETS = (
    AttributeSet("tools", "stereotype", ("saw",)),
    AttributeSet("home", "stereotype", ("oven",)),
    AttributeSet("human", "human", ("walk",)),
)
TINY = WordList("tiny", "", "", (MAN,), SETS)
VECTORS = {
    "he": [1.0, 0.0],
    "his": [1.0, 1.0],
    "saw": [3.0, 0.0],
    "oven": [0.0, 1.0],
    "walk": [-1.0, 0.0],
}
