"""The verbs of the command: a file for each, which nothing else lists.

Every start of the command imports all of them, so they import NumPy, Rich and whatever brings these
in their functions.
"""
