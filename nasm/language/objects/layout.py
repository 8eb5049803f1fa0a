"""The sections of an object file by name, and the types of their columns."""

from __future__ import annotations

from nasm.language.objects.bodies import I32, I64, U8, U32

MACHINE, TENSORS, STRINGS, ROWS, CODE = "machine", "tensors", "strings", "rows", "code"
SYNC, QUEUES, LINES, EXPECT = "sync", "queues", "lines", "expect"
FILES, DATA, PLACES = "files", "data", "places"

CODE_TYPES = (U32, U32)
"""Of each instruction its row; and, one after the other, the value of each operand that a program
writes, 0 for one with its default."""

SYNC_TYPES = (U32, U8, I64, U32, U8, I64, U8)
"""Of each wait its semaphore, its comparison and its value; of each update its semaphore, its
operator, its value, and whether it happens when reading starts."""

LINE_TYPES = (I32, I32, I32)
"""Of each line its instruction, its wait and its update; 0 is no wait and no update."""

DEBUG_TYPES = (U32, U32)
"""Of each line its place and its expansions."""

COMPARISONS, OPERATORS = (">=", "=="), ("+", "=")
