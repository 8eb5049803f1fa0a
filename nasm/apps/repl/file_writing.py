"""Files that commands write: not over a file that exists, unless the line ends with 'replace'."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TypeVar

from nasm.apps.repl.command import WRONG
from nasm.base import host_files
from nasm.base.problems import Refused, in_line

Content = TypeVar("Content", bound=str | bytes)


def write(
    command: str, rest: str, example: str, made: Callable[[str], Content]
) -> tuple[str, Content]:
    """Write to the file that a line names; returns its name, to be shown, and what was written.

    ``made`` makes that, a text or bytes, for a file of that name. Raises Refused; ``example`` is a
    line that would do.
    """
    found = re.fullmatch(r"(.*?)(\s+replace)?", rest.strip(), re.DOTALL)
    assert found is not None
    name, over = found[1], found[2] is not None
    if not name:
        raise Refused(WRONG, f"{command} to which file?", example)
    content, shown = made(name), in_line(name)
    data: bytes = content if isinstance(content, bytes) else str(content).encode("utf-8")
    try:
        with host_files.whole(os.path.expanduser(name), over) as file:
            file.write(data)
    except FileExistsError:
        raise Refused(WRONG, f"{shown} exists", f"{command} {shown} replace") from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise Refused(WRONG, f"cannot write {shown}: {reason}") from None
    return shown, content
