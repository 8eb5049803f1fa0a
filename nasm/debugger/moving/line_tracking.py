"""Lines of a program that was edited: where the text of one is now."""

from __future__ import annotations

import re
from itertools import takewhile

from nasm.base.problems import Refused, in_line
from nasm.debugger.moving.locations import file_of, location, text_of
from nasm.runs.inspection import Inspection

_PLACE = re.compile(
    r"(?P<how>\s*(?:transfer\s+(?:(?:start|land)\s+)?)?(?:line\s+)?)(?P<file>\S[^\n]*:)?(?P<line>\d{1,9})\s*"
)
"""A line as it is asked for, of the program or of one of its files."""

GONE = "E0822"


def followed(asked: str, before: Inspection, now: Inspection) -> str:
    """What to ask for to have the same text in an edited program.

    What is asked for by something other than a line is the same. Raises Refused if the text of the
    line is gone, or if there are others like it and it cannot be known which of them it is.
    """
    place = _PLACE.fullmatch(asked)
    if place is None:
        return asked
    file = place["file"] or ""
    old = file_of(before, file[:-1]) if file else text_of(before)
    new = file_of(now, file[:-1]) if file else text_of(now)
    if old is None or new is None or old.text == new.text:
        return asked
    line = location(before, f"{file}{place['line']}").line
    found = _followed(old.text.split("\n"), new.text.split("\n"), line)
    return f"{place['how']}{file}{found}" if found != line else asked


def _followed(old: list[str], new: list[str], line: int) -> int:
    """The number of a line in an edited text: blanks are ignored; raises Refused."""
    was, are = [" ".join(one.split()) for one in old], [" ".join(one.split()) for one in new]
    same = _common_prefix(was, are)
    if line <= same:
        return line
    ending = min(_common_prefix(was[::-1], are[::-1]), len(was) - same, len(are) - same)
    if line > len(was) - ending:
        return line + len(are) - len(was)
    if len(was) - same - ending == len(are) - same - ending == 1:
        return line  # nothing but this line was changed
    text = was[line - 1]
    mine = [n for n in range(same + 1, len(was) - ending + 1) if was[n - 1] == text]
    found = [n for n in range(same + 1, len(are) - ending + 1) if are[n - 1] == text]
    if len(found) == len(mine):
        return found[mine.index(line)]
    if not found:
        raise Refused(GONE, f"line {line} was changed or deleted: {in_line(text)}")
    raise Refused(
        GONE, f"which line it is now is not known, there are others like it: {in_line(text)}"
    )


def _common_prefix(some: list[str], others: list[str]) -> int:
    """How many lines at the beginning are the same."""
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False))
    )
