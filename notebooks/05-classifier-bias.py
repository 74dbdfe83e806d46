# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Classifier bias
#
# **Report gaps with their intervals: with few people a gap alone says little.** Does a classifier
# treat groups differently? You need predictions, not vectors. The biographies here are made up, so
# that we know what is in them. The classifier needs `pip install scikit-learn`; any other would
# do.

# %%
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from bayesbias import classifiers

people = classifiers.example_biographies(2000, seed=1)
people.groupby(["occupation", "gender"]).size().unstack()

# %%
people["text"].iloc[0]

# %% [markdown]
# Most surgeons are men and most nurses are women, as in real biographies, and the words say who
# is which. A classifier that learns occupations from such texts may use both.

# %%
train, test = train_test_split(people, test_size=0.3, random_state=1)
model = make_pipeline(TfidfVectorizer(), LogisticRegression())
model.fit(train["text"], train["occupation"])
test = test.assign(predicted=model.predict(test["text"]))
f"right on {(test['predicted'] == test['occupation']).mean():.0%} of {len(test)} people"

# %% [markdown]
# ## Gaps with intervals
#
# A gap is female − male, of one of three rates:
#
# - group parity (GP): who is *assigned* an occupation;
# - true positive rate (TPR): who of an occupation is *found*;
# - predictive parity (PP): who of those assigned it *is* of it.
#
# In the table `gap` is the observed difference. In the figure a mark is the posterior mean, which
# the prior moves if people are few.

# %%
gaps = classifiers.gaps(test, true="occupation", predicted="predicted", group="gender", seed=1)
gaps

# %%
gaps.plot()

# %% [markdown]
# Which observed gaps have opposite signs in two metrics? Do their intervals lie on opposite sides
# of 0?

# %%
gaps.disagreements().round(3)

# %% [markdown]
# ## A rate of nobody
#
# Among the first twenty people of the test part no woman is a surgeon. Other packages say 0 here,
# which makes a gap out of nothing. Here the gap is undefined, with the reason.

# %%
few = classifiers.gaps(
    test.head(20), true="occupation", predicted="predicted", group="gender", seed=1
)
few.undefined

# %% [markdown]
# ## How many must be annotated?
#
# Ethayarajh (2020) bounds a disparity of mean costs by Bernstein's inequality. How many examples
# does an *estimate* of .05 need for a 95% interval that excludes 0? Take half of the examples in
# the protected group and the variance of his WinoBias example:

# %%
(
    classifiers.required_n(disparity=0.05, variance=4.0),
    classifiers.detectable_disparity(n=3160, variance=4.0),
)

# %% [markdown]
# WinoBias has 3,160, which distinguish an estimate of .097 from 0. Here is the disparity of our
# classifier for nurses by every method (equal opportunity: a nurse not found costs 1, so it is
# minus the TPR gap):

# %%
costs, counted = classifiers.costs_of(
    "equal-opportunity", test["occupation"], test["predicted"], positive="nurse"
)
classifiers.compare_intervals(costs, test["gender"], annotated=counted, protected="female", seed=1)

# %% [markdown]
# ## Small samples
#
# Train and test the same classifier on many subsamples of each size, which keep the shares of
# gender and occupation:

# %% tags=["parameters"]
n_samples = 20

# %%
columns = people["occupation"], people["gender"]
options = {"sizes": [200, 500, 1000], "n_samples": n_samples, "seed": 1, "progress": False}
scores = classifiers.resampling_protocol(people["text"], *columns, model, **options)
scores.plot(classes=["nurse", "surgeon"])

# %% [markdown]
# Boxes are quartiles over subsamples. Small samples vary more, and around another value than large
# ones.
#
# ## Scrubbing
#
# Give all people female pronouns, female titles and one first name, and train again:

# %%
scrubbed = classifiers.example_biographies(2000, scrubbed=True, seed=1)
clean = classifiers.resampling_protocol(scrubbed["text"], *columns, model, **options)
change = scores.changes(clean)
largest = (change["size"] == 1000) & change["class"].isin(["nurse", "surgeon"])
change.loc[largest, ["metric", "class", "contrast", "n", "mean", "sd"]].round(3)

# %% [markdown]
# Removing the indicators closes one gap and opens another: the TPR gap of nurses falls by .43, and
# their PP gap rises by .44. A classifier that no longer sees gender assigns more men to nursing,
# who are less often nurses. (Do not rely on the paired t-tests of `changes`: half of all people
# are in each subsample.)
