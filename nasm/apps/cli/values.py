"""The values of options, as they are typed; each refuses what it cannot read."""

from __future__ import annotations

import argparse
import math
from typing import Any

from nasm.base.problems import Failure, quoted
from nasm.base.source import Source


def given(text: str) -> tuple[str, str]:
    """NAME=FILE, or the path of a .npz file, which has names of its own."""
    if "=" not in text and text.endswith(".npz"):
        return "", text
    try:
        return binding(text)
    except argparse.ArgumentTypeError:
        message = f"'{quoted(text)}' is neither NAME=FILE nor a .npz file"
        raise argparse.ArgumentTypeError(message) from None


def binding(text: str) -> tuple[str, str]:
    """NAME=FILE."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value:
        raise argparse.ArgumentTypeError(f"'{quoted(text)}' is not NAME=FILE")
    return name.strip(), value


def core_files(text: str) -> list[tuple[str, str]]:
    """CORE=FILE,CORE=FILE."""
    return [binding(part) for part in text.split(",")]


def define(text: str) -> tuple[str, Any]:
    """NAME=VALUE: an integer, in any of the language's spellings, a number, a word or a list.

    A word is the name of a dtype or a string; what is no word is quoted.
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"'{quoted(text)}' is not NAME=VALUE")
    for read in (_integer, float):
        try:
            found = read(value)
        except ValueError:
            continue
        if isinstance(found, float) and math.isinf(found) and "inf" not in value.lower():
            raise argparse.ArgumentTypeError(f"'{quoted(value)}' is beyond float64; write inf")
        return name, found
    from nasm.base.names import CONSTANTS  # which --help need not know

    if value in CONSTANTS:
        return name, CONSTANTS[value]
    if value.isidentifier() and value.isascii():
        return name, value
    if value[:1] in ('"', "["):
        try:
            return name, _value(value)
        except Failure as failure:
            message = f"'{quoted(value)}' is no value: {failure.problems[0].message}"
            raise argparse.ArgumentTypeError(message) from None
    raise argparse.ArgumentTypeError(
        f"'{quoted(value)}' is not a number, like 256, 0x100, 1_024, -1 or 1.5, nor a word, a "
        '"string" or a [list]'
    )


def _value(text: str) -> Any:
    """A string or a list, as a program writes it; raises Failure."""
    # Imported when asked for: the parser takes longer than the rest of the command's start.
    from nasm.language.expanding.evaluate import evaluate
    from nasm.language.expanding.scope import Scope
    from nasm.language.text.parse import parse_expression

    source = Source("-D", text)
    return evaluate(parse_expression(source, 0, len(text)), Scope(source))


def option(text: str) -> tuple[str, str]:
    """NAME=VALUE; whether there is such an option, and the value, is for the target to say."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name or not value:
        raise argparse.ArgumentTypeError(f"'{quoted(text)}' is not NAME=VALUE")
    return name, value


def _integer(text: str) -> int:
    return int(text, 0)


def cycles(text: str) -> int:
    """A positive number of cycles."""
    try:
        value = _integer(text)
    except ValueError:
        value = int(float(text)) if _whole(text) else 0
    if value < 1:
        raise argparse.ArgumentTypeError(
            f"'{quoted(text)}' is not a positive whole number of cycles"
        )
    return value


def count(text: str) -> int:
    """How often: a positive number."""
    return _at_least(1, text, "a positive whole number")


def tries(text: str) -> int:
    """How often something is tried, from 0 on."""
    return _at_least(0, text, "a number of tries")


def rank(text: str) -> int:
    """The number of a rank."""
    return _at_least(0, text, "the number of a rank, from 0 on")


def core(text: str) -> int:
    """The number of a core."""
    return _at_least(0, text, "the number of a core, from 0 on")


def seed(text: str) -> int:
    """A seed, from 0 on."""
    return _at_least(0, text, "a whole number from 0 on")


def _at_least(least: int, text: str, what: str) -> int:
    try:
        value = _integer(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"'{quoted(text)}' is not {what}")
    return value


def instructions(text: str) -> int | None:
    """A number of instructions; 0 and none mean that there is no limit."""
    if text == "none" or text == "0":
        return None
    try:
        return cycles(text)
    except argparse.ArgumentTypeError:
        message = f"'{quoted(text)}' is not a positive whole number of instructions, nor 0 or none"
        raise argparse.ArgumentTypeError(message) from None


def seconds(text: str) -> float:
    """A positive number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not (value > 0 and math.isfinite(value)):
        raise argparse.ArgumentTypeError(f"'{quoted(text)}' is not a positive number of seconds")
    return value


def _whole(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and float(text).is_integer()
    except ValueError:
        return False


def stretch(text: str) -> tuple[str, str]:
    """Two bounds of a timeline, of which either may be left out."""
    begin, dots, end = text.partition("..")
    if not dots:
        message = f"'{quoted(text)}' is no FROM..TO; write the program before --timeline"
        raise argparse.ArgumentTypeError(message)
    return begin.strip(), end.strip()
