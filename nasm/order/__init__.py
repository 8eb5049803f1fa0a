"""Order: what of a run happens before what in every execution, regardless of the timing."""
