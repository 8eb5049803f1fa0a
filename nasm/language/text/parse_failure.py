"""Where the parser of a line stopped: what it found there and what it could have used."""

from __future__ import annotations

import re

from lark import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from nasm.base.problems import listed
from nasm.base.records import dataclass
from nasm.language.text.syntax_errors import Mistake

FORMS = {
    "nasm": ".nasm 1",
    "target": ".target name",
    "const": ".const N = 512, K = N // 4",
    "param": ".param N in 1..64",
    "sem": ".sem a, b = 7",
    "event": ".event a, b",
    "dma": ".dma name queue=0",
    "for": ".for k in 0..4 step 2",
    "loop": ".loop k in 0..4 step 2",
    "break": ".break %r1 >= 3",
    "if": ".if condition",
    "elif": ".elif condition",
    "else": ".else",
    "end": ".end",
    "macro": ".macro name(a, b, n=4)",
    "include": '.include "file.nasm"',
    "scope": ".scope",
    "rv": ".rv B",
    "view": ".view name = tensor[0:64]",
    "core": ".core 0",
    "tile": ".tile 1, 1",
    "grid": ".grid 4, 4",
    "ranks": ".ranks 4",
    "cfg": ".cfg name = value",
    "write": ".write name = value, other = value",
    "drain": ".drain all",
    "word": ".word 0x02000000",
    "assert": '.assert condition, "message"',
    "expect": ".expect left ~ right  rtol=1e-2 atol=1e-3",
}
DIRECTIVES = tuple(FORMS)

_LEXEME = re.compile(
    r'"(?:[^"\\\n]|\\[^\n])*+"?'
    r"|[$%@.]?[A-Za-z_][A-Za-z0-9_]*"
    r"|\.?[0-9](?:(?<=[eE])[-+](?=[0-9])|\.(?!\.)|[A-Za-z0-9_])*"
    r"|\.\.|\*\*|//|<<|>>|[-+=!<>]=|;[^\n]*|\S"
)
_PHRASES = (
    ("_IN", "'in'"),
    ("_RANGE", "'..'"),
    ("_STEP", "'step'"),
    ("LSQB", "'['"),
    ("COLON", "':'"),
    ("EQUALS", "'='"),
    ("ENGINE", "an engine or a mnemonic"),
    ("NUMBER", "a value"),
    ("NAME", "a name"),
    ("CALLED", "a name and '('"),
    ("STRING", "a string"),
    ("BINARY", "an operator"),
    ("_COMMA", "a comma"),
    ("SEMAPHORE", "a wait or an update"),
    ("POST", "a moment"),
    ("$END", "the end of the line"),
)
_VALUE_ENDS = re.compile(r"""[A-Za-z0-9_)\]}"]$""")
PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """A place where a parser stopped in the characters [start, end) of a text.

    ``found`` is the lexeme there, empty at the end; ``before`` are those it had read, ``opened``
    the brackets among them that are open; ``wanted`` the terminals that could have followed;
    ``stray`` says that what was found is no lexeme of the language at all.
    """

    text: str
    start: int
    end: int
    at: int
    found: str
    before: tuple[re.Match[str], ...]
    opened: tuple[re.Match[str], ...]
    wanted: frozenset[str]
    symbol: str
    stray: bool

    @property
    def previous(self) -> str:
        """The lexeme before the failure."""
        return self.before[-1].group() if self.before else ""

    @property
    def wants_value(self) -> bool:
        """Whether a value was accepted here."""
        return "NUMBER" in self.wanted

    @property
    def after_value(self) -> bool:
        """Whether a complete value comes before."""
        if "BINARY" in self.wanted:
            return True
        # The parser may have taken the value for finished before it saw what follows.
        complete = bool(self.opened) or self.directive in ("if", "elif", "assert")
        complete = complete or (not self.directive and "_COMMA" in self.wanted)
        return complete and not self.wants_value and bool(_VALUE_ENDS.search(self.previous))

    @property
    def directive(self) -> str:
        """The word of the directive that the line is, or an empty string."""
        first, *more = [*(m.group() for m in self.before), self.found]
        if first.startswith("@") and more:
            first = more[0]
        return first[1:] if first.startswith(".") and self.symbol == "line" else ""

    @property
    def what(self) -> str:
        """What was found, as a phrase."""
        return f"'{self.found}'" if self.found else "the end of the line"

    @property
    def after_sync(self) -> bool:
        """Whether a wait or an update comes before."""
        return not self.directive and any(m.group()[0] == "$" for m in self.before)

    @property
    def misfit(self) -> str:
        """What was found, and what was accepted there."""
        implied = {"NAME", "STRING", "LSQB"} if self.wants_value else set()
        implied |= {"CALLED"} if "NAME" in self.wanted else set()
        implied |= {"NAME"} if "ENGINE" in self.wanted else set()
        wanted_here = self.wanted - implied
        phrases = [phrase for terminal, phrase in _PHRASES if terminal in wanted_here]
        wanted = f" where {listed(phrases)} was wanted" if phrases else ""
        place = f" after '{self.previous}'" if self.before else ""
        return f"found {self.what}{place}{wanted}"

    def mistake(self, code: str, message: str, hint: str = "") -> Mistake:
        """A mistake that points at what was found."""
        return Mistake(code, message, self.at, self.at + max(1, len(self.found)), hint)


def failure_of(
    text: str, start: int, end: int, symbol: str, error: UnexpectedInput
) -> ParseFailure:
    """The place at which an error of the parser arose."""
    at = end
    if isinstance(error, UnexpectedCharacters):
        at = getattr(error, "pos_in_stream", start)  # the library's stub calls it None
    elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
        at = start if error.token.start_pos is None else error.token.start_pos
    before, opened = [], []
    for match in _LEXEME.finditer(text, start, at):
        lexeme = match.group()
        if lexeme.startswith(";"):
            continue
        before.append(match)
        if lexeme in ("(", "[", "{"):
            opened.append(match)
        elif lexeme in PAIRS and opened:
            opened.pop()
    here = _LEXEME.match(text, at, end)
    accepted = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
    return ParseFailure(
        text,
        start,
        end,
        at,
        here.group() if here else "",
        tuple(before),
        tuple(opened),
        frozenset(accepted),
        symbol,
        isinstance(error, UnexpectedCharacters),
    )
