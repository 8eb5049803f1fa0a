"""Why a run cannot continue: each cycle of waits, and the posts that are missing."""
