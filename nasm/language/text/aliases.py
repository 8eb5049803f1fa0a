"""Names of expressions in a text, replaced by their expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from nasm.base.problems import Refused, listed

WRONG = "E0822"

LONGEST = 10_000
"""Limit of the characters of an expression with all its names replaced."""

_PART = re.compile(
    r'"[^"\n]*"|@[\w.]+\.%r\d+|\$\w+|%r\d+'
    r"|(?<![\w.}])([A-Za-z_]\w*)(?!\w|\{|\s*\(|\s*=(?!=))",
    re.ASCII,
)
"""A name, that of no method, function, argument or template; or what has names that are none."""

_BRACKETS = re.compile(r"\([^()\[\]]*\)|\[[^()\[\]]*\]")
_WHOLE = re.compile(r"[$@]?[A-Za-z_][\w.%]*", re.ASCII)


def names_in(text: str) -> frozenset[str]:
    """The names used in an expression by themselves."""
    return frozenset(match[1] for match in _PART.finditer(text) if match[1])


def users(named: Mapping[str, str], name: str) -> Set[str]:
    """A name, and those that are made of it, directly or through others."""
    found, left = {name}, [name]
    while left:
        used = left.pop()
        more = [n for n, text in named.items() if n not in found and used in names_in(text)]
        found.update(more)
        left += more
    return found


def spelled(text: str, named: Mapping[str, str], hidden: Set[str] = frozenset()) -> str:
    """A text with its names replaced, but for those ``hidden`` by others; raises Refused.

    It is refused if a name is defined by itself, or its expression is too long.
    """
    if not named:
        return text
    made: dict[str, str] = {}

    def replaced(text: str, within: tuple[str, ...]) -> str:
        def one(match: re.Match[str]) -> str:
            name = match[1]
            if not name or name not in named or (name in hidden and not within):
                return match[0]
            if name in within:
                way = [f"{n} = {named[n]}" for n in within[within.index(name) :]]
                raise Refused(WRONG, f"'{name}' would be defined by itself: {listed(way, 'and')}")
            if name not in made:
                made[name] = _apart(replaced(named[name], (*within, name)))
            return made[name]

        found = _PART.sub(one, text)
        if within and len(found) > LONGEST:
            message = f"'{within[-1]}' expands to {len(found):,} characters, of at most {LONGEST:,}"
            raise Refused(WRONG, message)
        return found

    return replaced(text, ())


def _apart(text: str) -> str:
    """An expression that may be put into another: in parentheses unless nothing could part it."""
    rest, bare = "", text.strip()
    while rest != bare:
        rest, bare = bare, _BRACKETS.sub("", bare)
    return text.strip() if _WHOLE.fullmatch(bare) else f"({text.strip()})"
