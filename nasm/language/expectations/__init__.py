"""Expectations: checked when a program is assembled, judged after its run."""
