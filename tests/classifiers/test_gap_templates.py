"""Every template of what gaps and disparities say: each macro, each branch."""

from templates import cases, each_case_of, no_long_sentence

from bayesbias.classifiers.sentences import tell

CASES = cases("""
gaps("GP", "groups f and m", "3 classes", None, ("nurse", "0.06", True, "f", "m",
    "0.02 lower up to 0.13 higher"), 0, 0, 3, "89% HPDI")
    How often a class is predicted (GP): we cannot tell for any of 3 classes whether groups f and m
    differ. The largest estimate is for nurse (0.06 higher for f than for m, 89% HPDI 0.02 lower up
    to 0.13 higher).
gaps("GP", "groups f and m", "3 classes", None, None, 0, 1, 2, "89% HPDI")
    How often a class is predicted (GP): we cannot tell for 2 of 3 classes whether groups f and m
    differ; practically equal in 1.
gaps("GP", "groups f and m", "3 classes", None, None, 0, 3, 0, "89% HPDI")
    How often a class is predicted (GP): groups f and m differ in none of 3 classes. Practically
    equal in 3.
gaps("TPR", "groups f and m", "28 classes", ("nurse", "0.21", False, "f", "m", "0.11 to 0.30"),
    None, 17, 2, 9, "89% HPDI")
    How often members of a class are recognised (TPR): groups f and m differ in 17 of 28 classes.
    The largest gap is for nurse (0.21 lower for f than for m, 89% HPDI 0.11 to 0.30). Practically
    equal in 2. In 9 we cannot tell.
gaps("PP", "groups", "1 comparison", ("nurse", "0.21", True, "f", "m", "0.11 to 0.30"), None, 1, 0,
    0, "89% HPDI")
    How often predictions of a class are right (PP): groups differ in 1 of 1 comparison. This is
    nurse (0.21 higher for f than for m, 89% HPDI 0.11 to 0.30).

largest(("nurse", "0.21", True, "f", "m", "0.11 to 0.30"), "89% HPDI")
    nurse (0.21 higher for f than for m, 89% HPDI 0.11 to 0.30)
largest(("nurse", "0.21", False, "f", "m", "0.11 to 0.30"), "89% HPDI")
    nurse (0.21 lower for f than for m, 89% HPDI 0.11 to 0.30)

next(False, "")
    Next: see every class: .plot() or .table of this result.
next(True, "")
    Next: see every class in a figure: add --out DIR --figures.
next(True, "out")
    Next: see every class: gaps.csv in out; a figure with --figures.

rule("89% HPDI", "0.055", "0.02")
    Verdict: lower (higher) if the whole 89% HPDI is below (above) 0, else undecided. Fisher's exact
    test must agree (one-sided p up to 0.055), and neither group may be one person. The region of
    practical equivalence (ROPE) is ±0.02. An interval within it means practically equal; one that
    overlaps it leaves the size undecided.
rule("89% HPDI", "", "")
    Verdict: lower (higher) if the whole 89% HPDI is below (above) 0, else undecided.

four_fifths("0.8")
    Four fifths rule: below (kept) if the whole interval is below (not below) 0.8. Intervals are
    those of Clopper and Pearson, melded; the table ratios has TPR and PP too.

undefined("TPR", "nurse", "nobody of group f is of class nurse")
    undefined: TPR of class nurse: nobody of group f is of class nurse

undefined_draws(2)
    In some bootstrap samples 2 of these gaps were undefined; their intervals rest on the other
    samples (column undefined_draws).

disparity("f", "m", "+0.5000", [("0.5000", "10"), ("0.0000", "12")])
    Disparity f − m = +0.5000 (mean costs 0.5000 of 10 and 0.0000 of 12)

zero(True, "100")
    The Bernstein interval excludes 0.
zero(False, "100")
    The Bernstein interval contains 0; with the same estimate and σ², 100 examples would exclude it.
zero(False, "")
    The Bernstein interval contains 0.
""")


test_a_template_says, test_every_branch_has_a_case = each_case_of({"gaps": (tell, CASES)})


test_no_sentence_of_a_first_screen_is_long = no_long_sentence(CASES, ["gaps", "next"])
