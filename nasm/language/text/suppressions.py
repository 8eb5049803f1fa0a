"""Comments that say something to the assembler: ``; nasm: allow E0502 reason``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nasm.base.problems import Problem, did_you_mean, quoted
from nasm.base.source import Source, Span
from nasm.base.suppressions import Allow

MARK = "nasm:"
WORD = "allow"

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\[^\n])*+"?|(?P<comment>;[^\n]*)')
_DIRECTIVE = re.compile(rf";[ \t]*{MARK}[ \t]*(?P<word>[A-Za-z_]\w*)(?P<rest>[^\n]*)")
_CODES = re.compile(r"[ \t]*(\w+(?:[ \t]*,[ \t]*[A-Za-z]\d+\b)*)[ \t:,-]*")
_NEXT = re.compile(r"^[ \t\r\f]*[^;\s]", re.MULTILINE)
_HINT = "for example: ; nasm: allow E0502 both write the same"


def allows(source: Source) -> tuple[list[Allow], list[Problem]]:
    """What the comments of a text allow, in its order, and those that cannot be read.

    A comment after an instruction is about its line, one on a line of its own about the next
    line that has something on it. Any other comment that begins like one stays a comment.
    """
    found: list[Allow] = []
    problems: list[Problem] = []
    for start, word, rest, at in _directives(source.text):
        span = Span(source, start, at + len(rest.rstrip()))
        if word != WORD:
            hint = did_you_mean(word, (WORD,))
            if hint:
                message = f"'{quoted(word)}' is nothing that a comment can say to nasm"
                problems.append(Problem("E0830", message, span, f"{hint} {_HINT}"))
            continue
        match = _CODES.match(rest)
        if match is None:
            problems.append(Problem("E0830", "it does not say what is allowed", span, _HINT))
            continue
        codes = [code.strip().upper() for code in match[1].split(",")]
        reason = rest[match.end() :].strip()
        if not reason:
            message = f"{codes[-1]} is allowed without a reason"
            hint = f"write the reason after the codes; {_HINT}"
            problems.append(Problem("E0830", message, span, hint))
            continue
        line = _line(source, start)
        found += (Allow(code, reason, span, line) for code in dict.fromkeys(codes))
    return found, problems


def _directives(text: str) -> Iterator[tuple[int, str, str, int]]:
    """Comments that are for nasm: where each starts, its word, the rest, and where that starts."""
    if MARK not in text:
        return
    for comment in _COMMENT.finditer(text):
        match = _DIRECTIVE.search(comment["comment"] or "")
        if match is not None:
            start = comment.start()
            yield start + match.start(), match["word"], match["rest"], start + match.start("rest")


def comments(text: str) -> Iterator[tuple[int, int]]:
    """Where each comment of a text starts and ends."""
    for match in _COMMENT.finditer(text) if ";" in text else ():
        if match["comment"]:
            yield match.span()


def _line(source: Source, start: int) -> int:
    """The line that a comment is about."""
    line, column = source.position(start)
    if source.line(line)[: column - 1].split(";")[0].strip():
        return line
    after = _NEXT.search(source.text, start + 1)
    return line if after is None else source.position(after.end() - 1)[0]
