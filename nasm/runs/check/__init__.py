"""What is known of a program before it is run with values."""

from nasm.runs.check.check import examine
from nasm.runs.check.records import Claim, Examination, Executable, MemoryMap, Reliance, Sharing

__all__ = ["Claim", "Examination", "Executable", "MemoryMap", "Reliance", "Sharing", "examine"]
