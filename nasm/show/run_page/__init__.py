"""The page of a run: what it did, as one HTML file or one SVG, made of the history of the run."""
