"""How a model is fitted: everything but the standard deviations in closed form, or NUTS."""
