"""Says in a sentence why a line could not be read, from where its parser stopped.

The rules are asked in order; the first that knows the situation answers. Each is shown by an
example in :data:`nasm.language.text.syntax_errors.TABLE`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from string import ascii_letters

from lark import UnexpectedInput

from nasm.base.problems import clean, did_you_mean
from nasm.isa.synonyms import SIGNS
from nasm.language.text.habits import (
    COMMENT,
    ELSEWHERE,
    closing,
    declared,
    habit,
    unclosed,
    unmarked,
)
from nasm.language.text.habits import hint as usual
from nasm.language.text.parse_failure import DIRECTIVES, FORMS, PAIRS, ParseFailure, failure_of
from nasm.language.text.syntax_errors import Mistake

_TENSOR_FORM = "name dtype[shape]"
_STRAY_HINTS = {
    "#": "comments start with ';'",
    "≈": "'close to' is written '~', in .expect",
    "≥": "it is written '>='",
    "≤": "it is written '<='",
    "×": "it is written '*'",
    "'": 'strings are written between "',
    "!": "negation is written 'not'",
    "?": "a choice is written 'a if condition else b'",
    "±": "the tolerance of a result is written after it: atol=1",
    "\\": "inside brackets a line continues without it",
}
_SIZES = re.compile(r"\s*\.\w+\s+[A-Za-z_]\w*\s*\[[^\]\n]*,[^\]\n]*\]")
_DTYPE_OR_TILES = "[" + ascii_letters
_NO_DTYPE = re.compile(r"\s*\.\w+\s+([A-Za-z_]\w*)\s*\[([^\]]*)\]\s*(?:$|=)", re.MULTILINE)
DRAWS = ("random", "normal")
_SIGN = re.compile(r"([-+*/%=!<>&|^~]+)[ \t]*(?=,|$)", re.MULTILINE)
_HASH = re.compile(r"#\s*(?:(define|include|ifdef|ifndef)\b|(-?[0-9][\w.]*))")
# Operators of other languages, as two lexemes of this one.
_FOREIGN = {
    "&&": "write 'and'",
    "||": "write 'or'",
    "===": "write '=='",
    "=>": "write '>='",
    "<>": "write '!='",
    "~=": "write '~'",
    "/*": COMMENT,
}


_UNNAMED = {
    "\ufeff": "a byte-order mark",
    "\0": "NUL",
    "\x07": "BELL",
    "\b": "BACKSPACE",
    "\x1b": "ESCAPE",
    "\x7f": "DELETE",
}


def diagnose(text: str, start: int, end: int, symbol: str, error: UnexpectedInput) -> Mistake:
    """The mistake that caused an error of the parser in the characters [start, end)."""
    failure = failure_of(text, start, end, symbol, error)
    return next(found for rule in _RULES if (found := rule(failure)) is not None)


def _string(failure: ParseFailure) -> Mistake | None:
    if failure.stray and failure.found.startswith('"'):
        return failure.mistake("E0102", "this string is not closed on its line", 'end it with "')
    return None


def _number(failure: ParseFailure) -> Mistake | None:
    if not (failure.stray and re.match(r"\.?[0-9]", failure.found)):
        return None
    hint = "numbers are written 512, 1_024, 0x400, 0b101, 1.5 or 1e-5"
    suffixed = re.fullmatch(r"([0-9][0-9.]*(?:[eE][-+]?[0-9]+)?)[fFdDlLuU]", failure.found)
    if suffixed is not None:
        plain = suffixed[1] + "0" * suffixed[1].endswith(".")
        hint = f"write '{plain}': a number has no dtype"
    elif failure.directive and not any(match.group() == "=" for match in failure.before):
        hint = "a name begins with a letter"
    elif re.fullmatch(r"[0-9]+[kKMGTnumµ]?i?[a-zA-Z]{1,6}", failure.found):
        hint = "numbers have no units"
    if failure.previous == "..":
        hint = f"a range has two dots: '..{failure.found.lstrip('.')}'"
    elif failure.found.startswith("."):
        hint = f"write '0{failure.found}': there are digits on both sides of the dot"
    elif failure.found.endswith(".") and suffixed is None:
        hint = f"write '{failure.found}0': there are digits on both sides of the dot"
    return failure.mistake("E0104", f"'{failure.found}' is not a number", hint)


def _register(failure: ParseFailure) -> Mistake | None:
    match = re.compile(r"%[A-Za-z0-9_]*").match(failure.text, failure.at, failure.end)
    if match is None or failure.after_value:
        return None
    if failure.wants_value or failure.stray:
        message = f"'{match.group()}' is not a register"
        return Mistake("E0121", message, failure.at, match.end(), "registers are written '%r0'")
    return None


def _semaphore(failure: ParseFailure) -> Mistake | None:
    if failure.stray and failure.found.startswith("$"):
        return failure.mistake("E0116", "'$' is not followed by a name", "write '$name'")
    return None


def _stray(failure: ParseFailure) -> Mistake | None:
    if not failure.stray:
        return None
    character = failure.text[failure.at]
    shown = f"'{character}'"
    if clean(character) != character:
        name = _UNNAMED.get(character) or unicodedata.name(character, "a control character")
        shown = f"U+{ord(character):04X} ({name})"
    hint = _STRAY_HINTS.get(character, "")
    if character == "\\" and failure.text[failure.at + 1 : failure.at + 2].isalpha():
        hint = "an argument of a macro is written as its name alone"
    if character == "#":
        hint = _hash(failure) or hint
    if clean(character) != character:
        hint = "it cannot be seen: delete it, or write it in a string"
    elif character.isalnum():
        hint = "names are made of A to Z, a to z, 0 to 9 and '_'"
    return Mistake("E0123", f"{shown} has no meaning here", failure.at, failure.at + 1, hint)


def _hash(failure: ParseFailure) -> str:
    """What ``#define``, ``#include`` and ``#4`` are here, or nothing."""
    found = _HASH.match(failure.text, failure.at, failure.end)
    if found is None:
        return ""
    if found[1] == "include":
        return f"a file is included '{FORMS['include']}'"
    if found[1]:
        return ELSEWHERE.get(found[1], "")
    return f"a number is written '{found[2]}'"


def _stepped_value(failure: ParseFailure) -> Mistake | None:
    """``$s > 3++``: a wait and an update run together."""
    written = failure.text[failure.start : failure.at + 1].rstrip()
    twice = written[-2:]
    if twice not in ("++", "--") or not (failure.after_sync and failure.wants_value):
        return None
    return Mistake(
        "E0116",
        f"'{twice}' follows a value",
        failure.start + len(written) - 2,
        failure.start + len(written),
        f"an update has its own name, as in '$s >= 3  $t{twice}'",
    )


def _operator_sign(failure: ParseFailure) -> Mistake | None:
    """``op=+``: operators of instructions are words."""
    if failure.directive or not failure.wants_value or failure.previous != "=":
        return None
    sign = _SIGN.match(failure.text, failure.at, failure.end)
    word = SIGNS.get(sign[1]) if sign is not None else None
    if word is None:
        return None
    message = f"an operator is a word, found '{failure.found}'"
    return failure.mistake("E0108", message, f"write '{word}'")


def _unary_plus(failure: ParseFailure) -> Mistake | None:
    if not (failure.found in ("+", "+=") and failure.wants_value):
        return None
    hint = "leave the '+' out"
    assigned = usual(failure)
    if assigned:
        return failure.mistake("E0109", "a name takes no '+'", assigned)
    if failure.directive and failure.text[failure.at - 1] == "+":
        hint = f"write '{failure.before[-2].group()} + 1'"
    elif failure.text[failure.at - 1] == "+":
        hint = "an update names a semaphore, as in '$s++'"
    return failure.mistake("E0109", "there is no unary '+'", hint)


def _closing(failure: ParseFailure) -> Mistake | None:
    if failure.found not in PAIRS:
        return None
    if not failure.opened:
        opener = PAIRS[failure.found]
        message = f"'{failure.found}' closes nothing: no '{opener}' is open"
        return failure.mistake("E0106", message, closing(failure.found))
    opener = failure.opened[-1].group()
    if opener == PAIRS[failure.found]:
        return None
    wanted = next(c for c, o in PAIRS.items() if o == opener)
    return failure.mistake(
        "E0106", f"'{failure.found}' cannot close '{opener}'", f"wanted '{wanted}' here"
    )


def _never_closed(failure: ParseFailure) -> Mistake | None:
    if failure.found or not failure.opened:
        return None
    bracket = failure.opened[-1]
    message = f"this '{bracket.group()}' is never closed"
    return Mistake("E0105", message, bracket.start(), bracket.end())


def _bare_sync(failure: ParseFailure) -> Mistake | None:
    if failure.found.startswith("$") and failure.symbol == "line" and "ENGINE" in failure.wanted:
        return _no_instruction(failure)
    if failure.found.startswith("$") and {"NAME", "CALLED"} <= failure.wanted:
        return _no_instruction(failure)
    return None


def _no_instruction(failure: ParseFailure) -> Mistake:
    return failure.mistake(
        "E0117",
        f"'{failure.found}' has no instruction to wait or update for",
        "name the instruction that only waits and updates before it",
    )


def _moment(failure: ParseFailure) -> Mistake | None:
    """``post`` or ``after`` without a name."""
    if failure.directive or failure.opened:
        return None
    word = failure.found if failure.after_value else failure.previous
    if word not in ("post", "after") or failure.symbol != "line" or not failure.before:
        return None
    message = f"'{word}' is not followed by the name of a moment"
    at = failure.at + len(word) * (word == failure.found)
    named = re.compile(r"[\s($\"]*([A-Za-z_]\w*)").match(failure.text, at, failure.end)
    hint = "write 'post name' or 'after name, name[i]'"
    if named is not None:
        hint = f"a moment is a name alone: write '{word} {named[1]}'"
    return failure.mistake("E0116", message, hint)


def _assignment(failure: ParseFailure) -> Mistake | None:
    if failure.found == "=" and failure.after_value:
        hint = "write '=='" + (" or '~'" if failure.directive == "expect" else "")
        value = re.compile(r"=\s*([^\s,;]+)").match(failure.text, failure.at, failure.end)
        if not failure.directive and not failure.opened and value is not None:
            hint = f"write '{failure.previous}, {value[1]}': the first operand is what is written"
            if failure.symbol == "move":
                hint = f"write '{failure.previous} <- {value[1]}'"
        return failure.mistake("E0111", "'=' does not compare", hint)
    return None


def _sync(failure: ParseFailure) -> Mistake | None:
    if failure.opened or failure.directive:
        return None
    if "COMPARE" in failure.wanted or "STEPPED" in failure.wanted:
        message = f"{failure.what} follows '{failure.previous}'"
        hint = "a wait is '$s >= n', an update '$s++', '$s += n' or '$s = n'"
        if failure.found == ",":
            hint += "; what is no semaphore has no '$'"
        if failure.found == "[":
            hint = "semaphores have no indices: '$s{k}' is named $s0, $s1 and so on"
    elif failure.found.startswith("$") and failure.wants_value:
        message = f"'{failure.found}' is not a value"
        hint = "waits and updates follow the operands, separated by spaces"
        if failure.previous == "=":
            hint = f"it counts up by '{failure.found}++' or '+= 2', and down by '{failure.found}--'"
    elif not failure.after_sync or (failure.wants_value and not failure.after_value):
        return None
    elif failure.found.startswith("@") and "AT_PHASE" in failure.wanted:
        message = f"'{failure.found}' is neither '@read' nor '@complete'"
        hint = "an update happens '@read' or '@complete', which is the default"
    elif failure.found in ("@read", "@complete"):
        message, hint = f"'{failure.found}' follows a wait", "it is written after an update"
    elif failure.found == ",":
        message, hint = "a comma follows a wait or an update", "leave the comma out"
    else:
        message = f"{failure.what} follows a wait or an update"
        hint = "operands come first, then the wait, then the update"
        last = [match.group() for match in failure.before[-2:]]
        if last[0] in ("give", "take") and failure.found.isdigit():
            hint = f"write '{last[0]} {last[1]}, {failure.found}'"
    return failure.mistake("E0116", message, hint)


def _unknown_directive(failure: ParseFailure) -> Mistake | None:
    if not failure.directive or failure.directive in FORMS:
        return None
    if failure.opened and not _SIZES.match(failure.text, failure.start, failure.end):
        return None
    start, word = failure.start, failure.directive
    turned = declared(failure)
    if turned:
        return failure.mistake("E0114", failure.misfit, turned)
    hint = ELSEWHERE.get(word) or re.sub(r"'(\w+)'", r"'.\1'", did_you_mean(word, DIRECTIVES))
    unnamed = _NO_DTYPE.match(failure.text, failure.start, failure.end)
    if unnamed is not None and not hint:
        form = f"write '.{word} {unnamed[1]} f32[{unnamed[2]}]', or with another dtype"
        return failure.mistake("E0114", f"'{unnamed[1]}' has no dtype", form)
    declares = len(failure.before) > 2 and failure.before[2].group()[0] in _DTYPE_OR_TILES
    if hint or not declares:
        hint = hint or f"a tensor is declared '.{word} {_TENSOR_FORM}'"
        message = f"'.{word}' is not a directive and declares no tensor"
        return Mistake("E0115", message, start, start + 1 + len(word), hint)
    form = f"a tensor is declared '.{word} {_TENSOR_FORM}'"
    if any(match.group() == "@" for match in failure.before):
        form = "a place is written '@ partition:byte' or '@ bank number'"
    elif failure.previous == "bank":
        form = f"a place is written '@ bank {failure.found}'"
    elif failure.found == "(" and failure.previous in DRAWS:
        form = f"an initial value follows '=': '= {failure.previous}(seed=1)'"
    return failure.mistake("E0114", failure.misfit, form)


def _value(failure: ParseFailure) -> Mistake | None:
    if not failure.wants_value or failure.after_value or not failure.before:
        return None
    if (
        "LPAR" not in failure.wanted
        or failure.previous[0] in "._$@"
        or failure.previous[-1].isalnum()
    ):
        return None
    if failure.found == "{":
        return None
    hint = _FOREIGN.get(failure.previous + failure.found, "")
    if failure.after_sync or not hint:
        hint = usual(failure) or hint
    message = f"wanted a value after '{failure.previous}', found {failure.what}"
    if failure.found or failure.previous != ",":
        return failure.mistake("E0108", message, hint)
    at = failure.before[-1].start()  # not after it, where the text may have ended lines ago
    return Mistake("E0108", message, at, at + 1, "leave the comma out")


def _form(failure: ParseFailure) -> Mistake | None:
    if failure.directive not in FORMS or failure.opened:
        return None
    if failure.directive == "else" and failure.found == "if":
        return None
    hint = _instead(failure) or f"it is written '{FORMS[failure.directive]}'"
    return failure.mistake("E0114", failure.misfit, hint)


def _instead(failure: ParseFailure) -> str:
    """What to write in a directive where its form alone does not say it."""
    before = [match.group() for match in failure.before]
    if failure.directive in ("sem", "event"):
        if failure.found.startswith("$"):
            return f"it is declared without its sign: '.{failure.directive} {failure.found[1:]}'"
        if failure.found == "[":
            last = failure.previous
            return f"each has a name of its own: '.{failure.directive} {last}0, {last}1'"
    if not failure.found and "if" in before and "else" not in before:
        return "a choice says both: 'a if condition else b'"
    if failure.previous == "," and failure.found.isdigit() and before[-2:-1][0].isdigit():
        return f"a number has no commas: '{before[-2]}{failure.found}'"
    return ""


def _side_by_side(failure: ParseFailure) -> Mistake | None:
    if not (
        failure.after_value and failure.found and re.match(r'[A-Za-z0-9_("[{%]', failure.found)
    ):
        return None
    missing, hint = "an operator", ""
    if failure.found == "{":
        hint = unclosed(failure.text, failure.start, failure.at)
        hint = hint or "a substitution touches the name it belongs to: 'w{k}'"
    elif any(match.group() == "//" for match in failure.before):
        hint = COMMENT
    elif other := usual(failure):
        hint = other
    elif sign := unmarked(failure):
        missing, hint = "a comma", sign
    elif "_COMMA" in failure.wanted:
        missing, hint = "a comma", f"write '{failure.previous}, {failure.found}'"
    message = f"{missing} is missing between '{failure.previous}' and '{failure.found}'"
    return failure.mistake("E0107", message, hint)


def _transfer(failure: ParseFailure) -> Mistake | None:
    if failure.symbol != "move":
        return None
    return failure.mistake("E0120", failure.misfit, "a transfer is written 'dst <- src'")


def _unexpected(failure: ParseFailure) -> Mistake:
    hint = ""
    if failure.found == ":" and not failure.opened:
        hint = "a label comes first on its line, before '@engine'"
    elif failure.found.startswith("@"):
        hint = "'@engine' comes first on its line, after a label"
    elif failure.found[:1] == "." and failure.found[1:].isalpha():
        hint = "a directive comes first on its line"
    elif failure.directive == "else":
        hint = "write '.elif condition'"
    elif failure.found == "//":
        hint = COMMENT
    elif failure.found == ",":
        hint = "a line begins with a mnemonic, followed by its operands"
    return failure.mistake("E0101", failure.misfit, usual(failure) or hint)


_RULES: tuple[Callable[[ParseFailure], Mistake | None], ...] = (
    _string,
    _number,
    _register,
    _semaphore,
    _stray,
    habit,
    _closing,
    _never_closed,
    _stepped_value,
    _operator_sign,
    _unary_plus,
    _bare_sync,
    _moment,
    _sync,
    _assignment,
    _unknown_directive,
    _transfer,
    _value,
    _form,
    _side_by_side,
    _unexpected,
)
