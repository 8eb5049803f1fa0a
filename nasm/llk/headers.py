"""What files of C++ declare: functions with their bodies, constants, enumerations, macros.

Nothing is compiled: a file is scanned for declarations, and what they say is parsed when it is
needed. Of the preprocessor's lines, conditions are heeded: what they leave out is blanked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from nasm.base.problems import Failure, Problem
from nasm.base.records import dataclass, field
from nasm.base.source import Source, Span

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_FUNCTION = re.compile(
    r"(?:template\s*<(?P<template>[^{};]*?)>\s*)?"
    r"(?:(?:inline|static|constexpr|__attribute__\s*\(\([^)]*\)\)|const|sfpi_inline|ALWI)\s+)*"
    r"(?P<type>[\w:]+(?:\s*<[\w:, ]*>)?[\s*&]+)(?P<name>[A-Za-z_]\w*)\s*"
    r"(?:<(?P<special>[\w:, ]*)>\s*)?"
    r"\((?P<parameters>[^(){};]*(?:\([^()]*\)[^(){};]*)*)\)\s*(?:const\s*)?(?=\{)"
)
_CONSTANT = re.compile(
    r"\b(?:constexpr|const)\s+(?:static\s+|constexpr\s+|const\s+)*[\w:]+\s+(\w+)\s*=\s*([^;{}]+);"
)
_TYPED = re.compile(
    r"\b(?:constexpr|const)\s+(?:static\s+|constexpr\s+|const\s+|inline\s+)*(?P<type>[\w:]+)\s+"
    r"(?P<name>\w+)\s*(?:\[[^\]]*\]\s*)?=\s*(?P<value>\{[^{}]*\})\s*;"
)
_LAMBDA = re.compile(
    r"\b(?:constexpr|const)\s+(?:static\s+)?auto\s+(?P<name>\w+)\s*=\s*\[[^\]]*\]\s*"
    r"\((?P<parameters>[^(){}]*)\)\s*(?:constexpr|noexcept)?\s*(?=\{)"
)
_STRUCT = re.compile(r"\bstruct\s+(?:__attribute__\s*\(\([^)]*\)\)\s*)?(?P<name>\w+)\s*(?=\{)")
_FIELD = re.compile(r"(?:^|(?<=[;{}\n]))\s*(?!return\b|static\b|using\b)[\w:]+\s+(\w+)\s*(?=;)")
_MACRO = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)\((\w+(?:[ \t]*,[ \t]*\w+)*)\)[ \t]+(\S[^\n]*)$", re.MULTILINE
)
_ATTRIBUTE = re.compile(r"\[\[[\w:, ]*\]\]")
_GLOBAL = re.compile(r"^\s*(?:static|inline)\s+(?:[\w:]+\s+)+(\w+)\s*=\s*([^;{}]+);", re.MULTILINE)
_ENUM = re.compile(r"\benum\s+(?:class\s+)?\w*\s*(?::\s*[\w:]+\s*)?\{([^{}]*)\}")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S[^\n]*)$", re.MULTILINE)
_ALL = re.compile(r"[^\n]+")
_STATEMENTS = re.compile(r"\b(?:else|return|new|case)\s*$")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function or of its template, with the text of its default, if it has one."""

    name: str
    default: str
    refers: bool
    """Whether what is assigned to it is assigned to what the call names."""


@dataclass(frozen=True, slots=True)
class LlkFunction:
    """A function: its parameters, and where in the file its body is."""

    name: str
    template: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    file: LlkHeader
    start: int
    stop: int
    special: str
    """Arguments of its template that it is for alone, as text; empty if it is for all."""

    @property
    def body(self) -> str:
        """Its body with its braces, comments blanked."""
        return self.file.text[self.start : self.stop]


@dataclass(slots=True, eq=False)
class LlkHeader:
    """A file: its text with comments and directives blanked, and what it declares."""

    source: Source
    text: str
    functions: dict[str, list[LlkFunction]] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    macros: dict[str, tuple[list[str], str]] = field(default_factory=dict)
    structs: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def span(self, start: int, stop: int) -> Span:
        """A place in the file."""
        return Span(self.source, start, stop)


def scanned(source: Source, defined: Collection[str] = ()) -> LlkHeader:
    """What a file declares, where these names are defined; raises Failure."""
    raw = _chosen(source, _blanked(source.text, _COMMENT), defined)
    header = LlkHeader(source, _blanked(_blanked(raw, _DIRECTIVE), _ATTRIBUTE))
    for match in _MACRO.finditer(raw):
        names = [name.strip() for name in match[2].split(",")]
        header.macros.setdefault(match[1], (names, match[3].strip()))
    for match in _DEFINE.finditer(raw):
        header.constants.setdefault(match[1], match[2].strip())
    _enter_constants(header)
    for match in _GLOBAL.finditer(header.text):
        header.constants.setdefault(match[1], match[2].strip())
    for match in _TYPED.finditer(header.text):
        header.constants.setdefault(match["name"], match["value"])
        header.types.setdefault(match["name"], match["type"])
    for name, start, stop in _structs(header.text):
        body = header.text[start + 1 : stop - 1]
        while re.search(r"\{[^{}]*\}", body):
            body = re.sub(r"\{[^{}]*\}", ";", body)  # methods
        header.structs.setdefault(name, tuple(_FIELD.findall(body)))
    for match in _LAMBDA.finditer(header.text):
        found = _function(header, match)
        header.functions.setdefault(found.name, []).append(found)
    for match in _ENUM.finditer(header.text):
        header.constants.update(_enumerated(match[1]))
    for match in _FUNCTION.finditer(header.text):
        if not _STATEMENTS.search(match["type"]):
            found = _function(header, match)
            header.functions.setdefault(found.name, []).append(found)
    return header


def _structs(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _STRUCT.finditer(text):
        yield match["name"], match.end(), _closing(text, match.end())


def _enter_constants(header: LlkHeader) -> None:
    """Enter constants by their names, those of a type also by the type's.

    A name that several types have is not entered without the type's.
    """
    inside = [*_structs(header.text)]
    several: set[str] = set()
    for match in _CONSTANT.finditer(header.text):
        name, text = match[1], match[2].strip()
        owner = next((s for s, start, stop in inside if start < match.start() < stop), "")
        if owner:
            header.constants.setdefault(f"{owner}::{name}", text)
        if header.constants.setdefault(name, text) != text and owner:
            several.add(name)
    for name in several:
        del header.constants[name]


def _blanked(text: str, what: re.Pattern[str]) -> str:
    """A text of the same length, without some of it."""
    return what.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def _chosen(source: Source, text: str, defined: Collection[str]) -> str:
    """A text without what the preprocessor's conditions leave out."""
    pieces, taken, begin = [], [True], 0
    known = set(defined)
    for match in _DIRECTIVE.finditer(text):
        piece = text[begin : match.start()]
        pieces.append(piece if all(taken) else _blanked(piece, _ALL))
        begin = match.start()
        word, _, rest = match[0].strip().lstrip("#").strip().partition(" ")
        if word in ("if", "ifdef", "ifndef"):
            taken.append(_condition(source, match, word, rest.strip(), known))
        elif word == "else":
            taken[-1] = not taken[-1]
        elif word == "endif" and len(taken) > 1:
            taken.pop()
        elif word == "elif":
            raise _beyond(source, match)
        elif word == "define" and all(taken):
            known.add(re.split(r"\W", rest.strip(), maxsplit=1)[0])
    pieces.append(text[begin:])
    return "".join(pieces)


def _condition(
    source: Source, match: re.Match[str], word: str, rest: str, known: Collection[str]
) -> bool:
    name = re.fullmatch(r"(!?)\s*(?:defined\s*\(?\s*)?([A-Za-z_]\w*)\s*\)?", rest)
    if rest.isdigit():
        return bool(int(rest))
    if name is None or (word == "if" and "defined" not in rest):
        raise _beyond(source, match)
    return (name[2] in known) != (word == "ifndef" or bool(name[1]))


def _beyond(source: Source, match: re.Match[str]) -> Failure:
    message = f"'{match[0].strip()[:60]}' is a condition that is not read here"
    return Failure(Problem("E0601", message, Span(source, match.start(), match.end())))


def _enumerated(text: str) -> Iterator[tuple[str, str]]:
    before = "-1"
    for part in filter(str.strip, text.split(",")):
        name, _, value = (half.strip() for half in part.partition("="))
        before = value or f"({before}) + 1"
        yield name, before


def _function(header: LlkHeader, match: re.Match[str]) -> LlkFunction:
    named = match.groupdict()
    template = tuple(_parameters(named.get("template") or ""))
    stop = _closing(header.text, match.end())
    parameters = tuple(_parameters(match["parameters"]))
    return LlkFunction(
        match["name"], template, parameters, header, match.end(), stop, named.get("special") or ""
    )


def _closing(text: str, start: int) -> int:
    """The end of a block that begins here."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if not depth:
            return at + 1
    return len(text)


def _parameters(text: str) -> Iterator[Parameter]:
    depth, begin = 0, 0
    for at, letter in enumerate(f"{text},"):
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and depth <= 0:
            declared, _, default = text[begin:at].partition("=")
            names = re.findall(r"\w+", re.sub(r"\[[^\]]*\]", " ", declared))
            begin = at + 1
            if names and names != ["void"]:
                refers = "&" in declared and "const" not in names
                yield Parameter(names[-1], default.strip(), refers)


def problem(header: LlkHeader, start: int, stop: int, message: str, hint: str = "") -> Problem:
    """A problem at a place of a file."""
    return Problem("E0601", message, header.span(start, stop), hint)
