"""The problems of a run, from its facts and its order, with what would fix them."""
