"""The verbs of the command: a file for each, which nothing else lists.

A file is imported when its verb is run or its help is printed, so it imports NumPy, Rich and
whatever brings these in its functions.
"""
