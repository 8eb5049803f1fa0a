"""The Python interface: assemble, run, and build programs from Python calls."""

from nasm.api.building import Builder, at_read
from nasm.api.calls import Result, Watch, assemble, check, equal, limited, run, run_watched

__all__ = [
    "Builder",
    "Result",
    "Watch",
    "assemble",
    "at_read",
    "check",
    "equal",
    "limited",
    "run",
    "run_watched",
]
