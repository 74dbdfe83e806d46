"""A fit and what one fit answers: summaries, contrasts, sensitivity; its figures and its file."""
