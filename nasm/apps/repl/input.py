"""What is typed, pasted or read from a file, cut into commands."""

from __future__ import annotations

import codeop
import re
from collections.abc import Iterable, Iterator, Sequence

PROMPT = "(nasm) "
MORE = "  ...> "
"""The prompt of a command, and that of its continuation lines."""

_LANDMARK = re.compile(r'"(?:[^"\\\n]|\\.)*+("?)|;.*|[()\[\]{}]')
_OPENS = re.compile(r"\s*(@\w+\s+)?\.(for|if|dma|macro|loop|scope)\b")
_CLOSES = re.compile(r"\s*\.end\b")
_WHOLE = re.compile(r"\s*[;#].*")
_PYTHON = re.compile(r"\s*(?:python|py)\s+(?=\S)")
_PARTS = re.compile(r"\s*(comm\w*|alias)\s")
"""How a command begins in which a semicolon parts others."""


def _python(lines: Sequence[str]) -> str | None:
    """The code of a command in Python; None if it is another command."""
    found = _PYTHON.match(lines[0]) if lines else None
    return "\n".join([lines[0][found.end() :], *lines[1:]]) if found else None


def _incomplete(code: str) -> bool:
    """Whether Python wants another line, as at its own prompt."""
    try:
        return codeop.compile_command(code, symbol="single") is None
    except (SyntaxError, ValueError, OverflowError):
        return False


def _unfinished(line: str) -> bool:
    """Whether a bracket or a quote is left open."""
    if _WHOLE.fullmatch(line):
        return False
    depth = 0
    for found in _LANDMARK.finditer(line):
        first = found[0][0]
        if first == ";":
            return depth > 0
        if first == '"':
            if not found[1]:
                return True
        else:
            depth += 1 if first in "([{" else -(depth > 0)
    return depth > 0


def joined(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Commands with the numbers of the lines that they begin in.

    A command of several lines has newlines. An empty line ends one, whatever is open.
    """
    held: list[str] = []
    number = first = 0
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if not held:
            first = number
        held.append(text)
        if not text.strip() or not goes_on(held):
            yield first, "\n".join(held).strip()
            held = []
    if held:
        yield first, "\n".join(held).strip()


def goes_on(lines: Sequence[str]) -> bool:
    """Whether the last of some lines is not the end of its command."""
    begun: list[str] = []
    for line in lines:
        begun.append(line)
        code = _python(begun)
        if code is not None:
            open_ = _incomplete(code)
        else:
            open_ = line.endswith("\\") or _unfinished(_joined_lines(begun)) or _within(begun)
        if not line.strip() or not open_:
            begun = []
    return bool(begun)


def _within(lines: Sequence[str]) -> bool:
    """Whether a block of the language is left open."""
    opened = sum(1 for line in lines if _OPENS.match(line))
    return opened > sum(1 for line in lines if _CLOSES.match(line))


def commands(lines: Iterable[str]) -> list[tuple[int, str]]:
    """The same without empty lines and comments."""
    return [(number, text) for number, text in joined(lines) if bare(text)]


def bare(command: str) -> str:
    """A command in one line, without comments; empty if it is nothing else. Blocks keep theirs."""
    lines = command.split("\n")
    if _PYTHON.match(lines[0]):
        return command.strip()
    if _OPENS.match(lines[0]):
        return "\n".join(part for line in lines if (part := _uncommented(line).strip()))
    return _joined_lines(lines)


def _joined_lines(lines: Iterable[str]) -> str:
    parts = [_uncommented(line).rstrip().removesuffix("\\") for line in lines]
    return " ".join(part.strip() for part in parts if part.strip())


def _uncommented(line: str) -> str:
    if _WHOLE.fullmatch(line):
        return ""
    if _PARTS.match(line):
        return line
    for found in _LANDMARK.finditer(line):
        if found[0].startswith(";"):
            return line[: found.start()]
    return line
