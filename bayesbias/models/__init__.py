"""What a model is: terms and priors, read from files, laid over a frame, built in PyMC."""
