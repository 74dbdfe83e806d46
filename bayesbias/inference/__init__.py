"""From a specification and a frame to draws from the posterior."""
