"""What can be told of a program before it is run with values."""

from nasm.examine.examination import MOST_EXAMINED, examine
from nasm.examine.records import Claim, Examination, Executable, MemoryMap, Reliance, Sharing

__all__ = [
    "MOST_EXAMINED",
    "Claim",
    "Examination",
    "Executable",
    "MemoryMap",
    "Reliance",
    "Sharing",
    "examine",
]
