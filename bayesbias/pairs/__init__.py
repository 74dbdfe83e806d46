"""Word lists, and the long frame of cosine distances that they and vectors make."""
