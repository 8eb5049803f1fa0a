"""Why a run cannot go on: each circle of waits, and the posts that are missing."""
