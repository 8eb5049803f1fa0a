"""What a program may call its tensors, constants, semaphores, events, labels and transfers."""

from __future__ import annotations

import math
import re

from nasm.base.problems import Refused, quoted

CONSTANTS = {"true": True, "false": False, "inf": math.inf, "nan": math.nan}
"""Names that mean something in every program."""

RESERVED = frozenset({"and", "or", "not", *CONSTANTS})

LONGEST = 200
"""Characters of a name: an output is written to a file of its name."""

NOT_A_NAME = "E0209"

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def identifier(name: object, written: str = "") -> str:
    """A name from any caller; raises Refused if it is none.

    ``written`` is the template that it was made of, if it is not written as it is.
    """
    if not isinstance(name, str):
        raise Refused(NOT_A_NAME, f"a name is a string, found {quoted(repr(name))}")
    if len(name) <= LONGEST and _IDENTIFIER.fullmatch(name) and name not in RESERVED:
        return str(name)
    made = f"{quoted(written)} makes " if written else ""
    which = ", which" if written else ""
    if name in RESERVED:
        text, hint = f"'{name}'{which} has a meaning of its own", "choose another name"
    elif len(name) > LONGEST:
        text = f"a name of {len(name):,} characters"
        hint = f"wanted at most {LONGEST}"
    else:
        text = f"'{quoted(name)}'{which} is no name"
        hint = "a name is made of A to Z, a to z, 0 to 9 and '_', and begins with no digit"
    raise Refused(NOT_A_NAME, made + text, hint)
