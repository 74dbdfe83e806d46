"""Several conditions: before and after, embeddings, times, lists, models; grids and rules."""
