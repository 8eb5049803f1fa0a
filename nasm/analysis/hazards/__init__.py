"""What is wrong with a run: its facts and its order as problems, with what would help."""
