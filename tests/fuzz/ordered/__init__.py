"""Random programs that are in order by construction: what each needs it waits for."""
