"""Order: what of a run comes before what in every execution, whatever takes how long."""
