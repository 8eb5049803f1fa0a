"""Where the time of a run went: what watches it, and what follows from what was seen."""
