"""Sentences of analogies: every macro and every branch in its cases."""

from templates import cases, each_case_of

from bayesbias.analogies.queries import tell

CASES = cases("""
winner(False, "nurse", "", "nurse", 1)
    unconstrained: 'nurse' wins
winner(True, "", "", "", 0)
    reversed: no word is an answer
winner(False, "", "", "", 0)
    no word is an answer
winner(True, "man", "a", "patient", 3)
    reversed, unconstrained: its input 'man' (a) wins; the first other word, 'patient', stands at
    rank 3
winner(False, "man", "a", "", 0)
    unconstrained: its input 'man' (a) wins; there is no other

reported(False, "nurse", [("free", "3", "1,200", ""), ("inputs out", "", "", "is an input")])
    reported 'nurse': free rank 3 of 1,200, inputs out is an input
reported(True, "nurse", [("free", "3", "9", "")])
    reversed 'nurse': free rank 3 of 9
""")


test_a_template_says, test_every_branch_has_a_case = each_case_of({"analogies": (tell, CASES)})
