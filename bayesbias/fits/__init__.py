"""A fit and what one fit answers: summaries and contrasts; its figures and its file."""
