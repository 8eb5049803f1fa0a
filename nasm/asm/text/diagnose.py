"""Says in a sentence why a line could not be read, from where its parser stopped.

The rules are asked in order; the first that knows the situation answers. Each is shown by an
example in :data:`nasm.asm.text.syntax_errors.TABLE`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from lark import UnexpectedInput

from nasm.asm.text.parse_failure import DIRECTIVES, FORMS, PAIRS, Stop, stop_of
from nasm.asm.text.syntax_errors import Mistake
from nasm.problems import did_you_mean

_TENSOR_FORM = "name dtype[shape]"
_STRAY_HINTS = {
    "#": "comments start with ';'",
    "'": 'strings are written between "',
    "!": "negation is written 'not'",
    "\\": "inside brackets a line continues without it",
}
# Operators of other languages, as two lexemes of this one.
_FOREIGN = {"&&": "write 'and'", "||": "write 'or'", "===": "write '=='", "<>": "write '!='"}


def diagnose(text: str, start: int, end: int, symbol: str, error: UnexpectedInput) -> Mistake:
    """The mistake behind an error of the parser in the characters [start, end)."""
    stop = stop_of(text, start, end, symbol, error)
    return next(found for rule in _RULES if (found := rule(stop)) is not None)


def _string(stop: Stop) -> Mistake | None:
    if stop.stray and stop.found.startswith('"'):
        return stop.mistake("E0102", "this string is not closed on its line", 'end it with "')
    return None


def _number(stop: Stop) -> Mistake | None:
    if not (stop.stray and re.match(r"\.?[0-9]", stop.found)):
        return None
    hint = "numbers are written 512, 1_024, 0x400, 0b101, 1.5 or 1e-5"
    if stop.found.startswith("."):
        hint = f"write '0{stop.found}': there are digits on both sides of the dot"
    elif stop.found.endswith("."):
        hint = f"write '{stop.found}0': there are digits on both sides of the dot"
    return stop.mistake("E0104", f"'{stop.found}' is not a number", hint)


def _register(stop: Stop) -> Mistake | None:
    match = re.compile(r"%[A-Za-z0-9_]*").match(stop.text, stop.at, stop.end)
    if match is None or stop.after_value:
        return None
    if stop.wants_value or stop.stray:
        message = f"'{match.group()}' is not a register"
        return Mistake("E0121", message, stop.at, match.end(), "registers are written '%r0'")
    return None


def _semaphore(stop: Stop) -> Mistake | None:
    if stop.stray and stop.found.startswith("$"):
        return stop.mistake("E0116", "'$' is not followed by a name", "write '$name'")
    return None


def _stray(stop: Stop) -> Mistake | None:
    if not stop.stray:
        return None
    character = stop.text[stop.at]
    shown = f"'{character}'"
    if not character.isprintable():
        shown = f"U+{ord(character):04X} ({unicodedata.name(character, 'a control character')})"
    hint = _STRAY_HINTS.get(character, "")
    if character.isalnum():
        hint = "names are made of A to Z, a to z, 0 to 9 and '_'"
    return Mistake("E0123", f"{shown} has no meaning here", stop.at, stop.at + 1, hint)


def _stepped_value(stop: Stop) -> Mistake | None:
    """``$s > 3++``: a wait and an update run together."""
    written = stop.text[stop.start : stop.at + 1].rstrip()
    twice = written[-2:]
    if twice not in ("++", "--") or not (stop.behind_sync and stop.wants_value):
        return None
    return Mistake(
        "E0116",
        f"'{twice}' follows a value",
        stop.start + len(written) - 2,
        stop.start + len(written),
        f"an update has its own name, as in '$s >= 3  $t{twice}'",
    )


def _unary_plus(stop: Stop) -> Mistake | None:
    if not (stop.found in ("+", "+=") and stop.wants_value):
        return None
    hint = "leave the '+' out"
    if stop.text[stop.at - 1] == "+":
        hint = "an update names a semaphore, as in '$s++'"
    return stop.mistake("E0109", "there is no unary '+'", hint)


def _closing(stop: Stop) -> Mistake | None:
    if stop.found not in PAIRS:
        return None
    if not stop.opened:
        opener = PAIRS[stop.found]
        return stop.mistake("E0106", f"'{stop.found}' closes nothing: no '{opener}' is open")
    opener = stop.opened[-1].group()
    if opener == PAIRS[stop.found]:
        return None
    wanted = next(c for c, o in PAIRS.items() if o == opener)
    return stop.mistake(
        "E0106", f"'{stop.found}' cannot close '{opener}'", f"wanted '{wanted}' here"
    )


def _never_closed(stop: Stop) -> Mistake | None:
    if stop.found or not stop.opened:
        return None
    bracket = stop.opened[-1]
    message = f"this '{bracket.group()}' is never closed"
    return Mistake("E0105", message, bracket.start(), bracket.end())


def _bare_sync(stop: Stop) -> Mistake | None:
    if stop.found.startswith("$") and stop.symbol == "line" and "ENGINE" in stop.wanted:
        return _no_instruction(stop)
    if stop.found.startswith("$") and {"NAME", "CALLED"} <= stop.wanted:
        return _no_instruction(stop)
    return None


def _no_instruction(stop: Stop) -> Mistake:
    return stop.mistake(
        "E0117",
        f"'{stop.found}' has no instruction to wait or update for",
        "name the instruction that only waits and updates before it",
    )


def _assignment(stop: Stop) -> Mistake | None:
    if stop.found == "=" and stop.after_value:
        hint = "write '=='" + (" or '~'" if stop.directive == "expect" else "")
        return stop.mistake("E0111", "'=' does not compare", hint)
    return None


def _sync(stop: Stop) -> Mistake | None:
    if stop.opened or stop.directive:
        return None
    if "COMPARE" in stop.wanted or "STEPPED" in stop.wanted:
        message = f"{stop.what} follows '{stop.previous}'"
        hint = "a wait is '$s >= n', an update '$s++', '$s += n' or '$s = n'"
    elif stop.found.startswith("$") and stop.wants_value:
        message = f"'{stop.found}' is not a value"
        hint = "waits and updates follow the operands, separated by spaces"
    elif not stop.behind_sync or (stop.wants_value and not stop.after_value):
        return None
    elif stop.found.startswith("@") and "AT_PHASE" in stop.wanted:
        message = f"'{stop.found}' is neither '@read' nor '@complete'"
        hint = "an update happens '@read' or '@complete', which is the default"
    elif stop.found in ("@read", "@complete"):
        message, hint = f"'{stop.found}' follows a wait", "it is written after an update"
    elif stop.found == ",":
        message, hint = "a comma follows a wait or an update", "leave the comma out"
    else:
        message = f"{stop.what} follows a wait or an update"
        hint = "operands come first, then the wait, then the update"
    return stop.mistake("E0116", message, hint)


def _unknown_directive(stop: Stop) -> Mistake | None:
    if not stop.directive or stop.directive in FORMS or stop.opened:
        return None
    start, word = stop.start, stop.directive
    hint = re.sub(r"'(\w+)'", r"'.\1'", did_you_mean(word, DIRECTIVES))
    declares = len(stop.before) > 2 and stop.before[2].group()[0].isalpha()
    if hint or not declares:
        hint = hint or f"a tensor is declared '.{word} {_TENSOR_FORM}'"
        message = f"'.{word}' is not a directive and declares no tensor"
        return Mistake("E0115", message, start, start + 1 + len(word), hint)
    form = f"a tensor is declared '.{word} {_TENSOR_FORM}'"
    if any(match.group() == "@" for match in stop.before):
        form = "a place is written '@ partition:byte' or '@ bank number'"
    return stop.mistake("E0114", stop.misfit, form)


def _value(stop: Stop) -> Mistake | None:
    if not stop.wants_value or stop.after_value or not stop.before:
        return None
    if "LPAR" not in stop.wanted or stop.previous[0] in "._$@" or stop.previous[-1].isalnum():
        return None
    if stop.found == "{":
        return None
    hint = _FOREIGN.get(stop.previous + stop.found, "")
    return stop.mistake("E0108", f"wanted a value after '{stop.previous}', found {stop.what}", hint)


def _form(stop: Stop) -> Mistake | None:
    if stop.directive not in FORMS or stop.opened:
        return None
    if stop.directive == "else" and stop.found == "if":
        return None
    hint = f"it is written '{FORMS[stop.directive]}'"
    return stop.mistake("E0114", stop.misfit, hint)


def _side_by_side(stop: Stop) -> Mistake | None:
    if not (stop.after_value and stop.found and re.match(r'[A-Za-z0-9_("[{%]', stop.found)):
        return None
    missing, hint = "an operator", ""
    if stop.found == "{":
        hint = "a substitution touches the name it belongs to: 'w{k}'"
    elif "_COMMA" in stop.wanted:
        missing, hint = "a comma", f"write '{stop.previous}, {stop.found}'"
    message = f"{missing} is missing between '{stop.previous}' and '{stop.found}'"
    return stop.mistake("E0107", message, hint)


def _transfer(stop: Stop) -> Mistake | None:
    if stop.symbol != "move":
        return None
    return stop.mistake("E0120", stop.misfit, "a transfer is written 'dst <- src'")


def _unexpected(stop: Stop) -> Mistake:
    hint = ""
    if stop.found == ":" and not stop.opened:
        hint = "a label comes first on its line, before '@engine'"
    elif stop.found.startswith("@"):
        hint = "'@engine' comes first on its line, after a label"
    elif stop.found[:1] == "." and stop.found[1:].isalpha():
        hint = "a directive comes first on its line"
    elif stop.directive == "else":
        hint = "write '.elif condition'"
    elif stop.found == ",":
        hint = "a line begins with a mnemonic, followed by its operands"
    return stop.mistake("E0101", stop.misfit, hint)


_RULES: tuple[Callable[[Stop], Mistake | None], ...] = (
    _string,
    _number,
    _register,
    _semaphore,
    _stray,
    _closing,
    _never_closed,
    _stepped_value,
    _unary_plus,
    _bare_sync,
    _sync,
    _assignment,
    _unknown_directive,
    _transfer,
    _value,
    _form,
    _side_by_side,
    _unexpected,
)
