"""Questions that need several fits: changes, embeddings, models, planning, sweeps."""
