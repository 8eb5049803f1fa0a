"""What can be told of a program before it is run with values."""

from nasm.examine.examination import examine
from nasm.examine.records import Claim, Examination, Executable, MemoryMap, Reliance, Sharing

__all__ = ["Claim", "Examination", "Executable", "MemoryMap", "Reliance", "Sharing", "examine"]
