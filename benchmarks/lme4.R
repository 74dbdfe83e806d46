# R's lme4 on the terms of `maximal`, as a peer: one point estimate and its standard error.
#
#   Rscript benchmarks/lme4.R frame.csv [frame.csv ...]
#
# A frame is what `bayesbias.read_distances(...)` returns, written with `to_csv(index=False)`.
# Printed per file, as comma-separated values: associated less different from the stereotype pairs
# alone, its standard error, and the processor seconds of that fit and of the whole file's. lme4 has
# one noise for all pairs and one standard deviation per term.
suppressMessages(library(lme4))

model <- cosine_distance ~ connection + (1 | protected_word) +
  (1 | protected_word:connection) + (1 | attribute) + (1 | group:attribute)

timed <- function(frame) {
  seconds <- system.time(fit <- suppressMessages(suppressWarnings(lmer(model, frame))))
  list(fit = fit, seconds = unname(seconds["user.self"] + seconds["sys.self"]))
}

cat("file,estimate,se,seconds_stereotype,seconds_all\n")
for (path in commandArgs(trailingOnly = TRUE)) {
  frame <- read.csv(path, stringsAsFactors = TRUE)
  # An attribute is a word in lists of one kind.
  stereotype <- frame$connection %in% c("associated", "different")
  kind <- ifelse(stereotype, "stereotype", as.character(frame$connection))
  frame$attribute <- factor(paste(frame$attribute, kind))
  part <- timed(droplevels(frame[stereotype, ]))
  all <- timed(frame)
  effect <- summary(part$fit)$coefficients["connectiondifferent", ]
  cat(sprintf("%s,%.6f,%.6f,%.3f,%.3f\n", sub("\\.csv$", "", basename(path)),
              -effect["Estimate"], effect["Std. Error"], part$seconds, all$seconds))
}
