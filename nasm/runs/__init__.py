"""Programs run: one run, a check without values, two runs compared, other schedules."""
