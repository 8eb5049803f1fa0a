"""Diagnostics: one shape for everything that can be wrong, and for whose fault it is.

A callee that does not know where it was called from raises :class:`Refused`, a sentence
and a hint; the caller that has the position turns it into a :class:`Problem`. Several
problems travel together as one :class:`Failure`.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import Any

from nasm.base.records import dataclass, field, fields, replace
from nasm.base.source import Frame, Span


class ProblemFamily(Enum):
    """Whose fault a problem is; decides the exit code."""

    SYNTAX = "the text does not parse"
    NAME = "a name or an expression is wrong"
    RULE = "a rule of the machine is broken"
    HAZARD = "legal text, wrong program"
    UNSUPPORTED = "the rule is known, nasm does not do it yet"
    UNSPECIFIED = "the vendor does not say"
    USAGE = "the command line or an input file is wrong"
    DEFECT = "a defect in nasm itself"
    SLOW = "right, and slower than it could be"


FAMILIES = {
    "E01": ProblemFamily.SYNTAX,
    "E02": ProblemFamily.NAME,
    "E03": ProblemFamily.RULE,
    "E04": ProblemFamily.RULE,
    "E05": ProblemFamily.HAZARD,
    "E06": ProblemFamily.UNSUPPORTED,
    "E07": ProblemFamily.UNSPECIFIED,
    "E08": ProblemFamily.USAGE,
    "E09": ProblemFamily.DEFECT,
    "W01": ProblemFamily.SLOW,
}
"""Families by the first digits of a code."""


def family(code: str) -> ProblemFamily:
    """Whose fault a problem with this code is."""
    return FAMILIES[code[:3]]


class Severity(Enum):
    """How much a problem weighs: only errors make a run fail, or keep a program from running."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Note:
    """A second place that matters to a problem, e.g. where a name was declared.

    ``party`` says that the problem is there as much as at its own place: of a race, the line of
    the other access. What is allowed there is allowed. ``excerpt`` says that the line there is
    shown, with a caret.
    """

    message: str
    span: Span | None = None
    party: bool = False
    excerpt: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Problem:
    """One thing that is wrong: a code, a sentence, a place, and what to do about it.

    ``facts`` are what the sentences say, for programs: names with what JSON can hold.
    """

    code: str
    message: str
    span: Span | None = None
    hint: str = ""
    notes: tuple[Note, ...] = ()
    severity: Severity = Severity.ERROR
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def at(self, span: Span | None) -> Problem:
        """The same problem, placed, unless it already has a place."""
        return self if self.span is not None else replace(self, span=span)

    @property
    def label(self) -> str:
        """What it is called: a note, a warning, a hazard or an error."""
        if self.severity is Severity.ERROR and family(self.code) is ProblemFamily.HAZARD:
            return "hazard"
        return self.severity.value

    def __str__(self) -> str:
        return render(self)

    def __repr__(self) -> str:
        where = f" at {self.span}" if self.span is not None else ""
        return in_line(f"<{self.label} {self.code}{where}: {self.message}>")


class LateProblem(Problem):
    """A problem whose hint and facts are made when one of them is first asked for.

    ``make`` makes both: for what takes long to find, and is not always looked at.
    """

    __slots__ = ("_make",)
    _make: Callable[[], tuple[str, Mapping[str, Any]]] | None

    def __init__(
        self,
        *arguments: Any,
        make: Callable[[], tuple[str, Mapping[str, Any]]] | None = None,
        **named: Any,
    ) -> None:
        object.__setattr__(self, "_make", None)
        super().__init__(*arguments, **named)
        object.__setattr__(self, "_make", make)

    def _made(self, name: str) -> Any:
        make = self._make
        if make is not None:
            found = make()
            object.__setattr__(self, "_make", None)
            object.__setattr__(self, "hint", found[0])
            object.__setattr__(self, "facts", found[1])
        return _SLOTS[name].__get__(self)

    hint = property(
        lambda self: self._made("hint"), lambda self, value: _SLOTS["hint"].__set__(self, value)
    )
    facts = property(
        lambda self: self._made("facts"), lambda self, value: _SLOTS["facts"].__set__(self, value)
    )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return _contents(self) == _contents(other)

    __hash__ = Problem.__hash__

    def __reduce__(self) -> tuple[type[Problem], tuple[Any, ...]]:
        return Problem, _contents(self)


_SLOTS: Mapping[str, Any] = {name: vars(Problem)[name] for name in ("hint", "facts")}


def _contents(problem: Problem) -> tuple[Any, ...]:
    return tuple(getattr(problem, one.name) for one in fields(problem))


class Error(Exception):
    """What nasm says of something that it was given and cannot use: a Failure, or a Refused.

    ``problems`` are the errors, each with its code, its place if it has one, and a hint.
    """

    problems: tuple[Problem, ...]


class Failure(Error):
    """Problems that stop the work; raised once they are all collected.

    ``str`` of one is what the command prints. One without problems stops a line whose problem was
    reported where it arose.
    """

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (
            (problems,) if isinstance(problems, Problem) else tuple(problems)
        )
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n\n".join(map(render, self.problems))

    def __repr__(self) -> str:
        return f"Failure({list(self.problems)})"


class Refused(Error):
    """A value that cannot be used, said without knowing where it was written."""

    def __init__(self, code: str, message: str, hint: str = "", notes: Sequence[Note] = ()) -> None:
        self.code, self.message, self.hint, self.notes = code, message, hint, tuple(notes)
        super().__init__(code, message, hint, self.notes)

    def __str__(self) -> str:
        return self.message

    @property
    def problems(self) -> tuple[Problem, ...]:  # type: ignore[override]
        """It as a problem without a place."""
        return (self.at(None),)

    def at(self, span: Span | None, notes: Sequence[Note] = ()) -> Problem:
        """The problem at its place."""
        return Problem(self.code, self.message, span, self.hint, (*self.notes, *notes))


def number_of(what: str, given: object, least: int = 0) -> int:
    """A number of something that a caller gives; raises Refused."""
    try:
        whole = isinstance(given, float) and given.is_integer()
        found = int(given) if whole else operator.index(given)  # type: ignore[call-overload, arg-type]
    except TypeError:
        found = least - 1
    if found < least:
        message = f"wanted a number of {what} from {least} on, found {quoted(repr(given))}"
        raise Refused("E0822", message)
    return int(found)


MOST_ERRORS = 50
"""Limit of the reported errors of a program: the rest would be more of the same."""


@dataclass(slots=True)
class Unsaid:
    """Errors of a program that are counted and not said; ``more`` if there may be others."""

    count: int = 0
    more: bool = False


def limited(problems: Sequence[Problem], unsaid: Unsaid) -> list[Problem]:
    """The first of all problems, which are in order, and a last one that says how many follow.

    Warnings and notes count for nothing, and none is left out.
    """
    errors = [p for p in problems if p.severity is Severity.ERROR]
    count = unsaid.count + len(errors[MOST_ERRORS:])
    if not count and not unsaid.more:
        return list(problems)
    least = "at least " if unsaid.more else ""
    text = f"{least}{count:,} more" if count else "there may be more"
    message = f"only the first {len(errors[:MOST_ERRORS])} errors are shown; {text}"
    last = Problem("E0124", message, None, "fix these first")
    left_out = set(map(id, errors[MOST_ERRORS:]))
    return [*(p for p in problems if id(p) not in left_out), last]


MANY = 500
"""Words that are compared letter by letter with one that is misspelt."""

CLOSE, AS_CLOSE = 0.65, 0.06
"""How similar two words must be for a suggestion, and how much less a second one may be."""


def did_you_mean(word: str, known: Iterable[str], sign: str = "") -> str:
    """A hint that names the closest known words, or an empty string.

    ``sign`` is what a program writes in front of them, such as ``$``.
    """
    close = [f"'{sign}{w}'" for w in closest(word, known)]
    return f"did you mean {listed(close)}?" if close else ""


def closest(word: str, known: Iterable[str]) -> list[str]:
    """At most three known words that a misspelt one may mean, the likeliest first.

    Case and underscores are ignored, the words that begin like it come next, then those that are
    about as similar as the best.
    """
    plain = _folded(word)
    words = {w: _folded(w) for w in known if w != word}
    same = [w for w, other in words.items() if other == plain]
    if same or not plain:
        return same[:3]
    begin = [w for w, other in words.items() if len(plain) >= 3 and other.startswith(plain)]
    if 0 < len(begin) <= 3:
        return begin
    alike = [(_similarity(plain, words[w]), w) for w in _likely(plain, words)]
    best = max((ratio for ratio, _ in alike), default=0.0)
    near = [(r, w) for r, w in alike if r >= max(CLOSE, best - AS_CLOSE)]
    return [w for _, w in sorted(near, key=lambda found: -found[0])][:3]


def _likely(plain: str, words: Mapping[str, str]) -> Iterable[str]:
    """The words worth a close look: of many, those that keep one half of what was written."""
    if len(words) <= MANY:
        return words
    half = len(plain) // 2
    front, back = plain[: max(1, half)], plain[half:]
    kept = (w for w, o in words.items() if o.startswith(front) or o.endswith(back))
    return islice(kept, MANY)


def _folded(word: str) -> str:
    return word.lower().replace("_", "")


LONGEST = 200
"""Characters of words that are compared: it takes time with the square of them."""


def _similarity(one: str, other: str) -> float:
    if max(len(one), len(other)) > LONGEST:
        return 0.0
    import difflib  # rarely needed, and slow to import

    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def listed(words: Iterable[str], last: str = "or") -> str:
    """Words as a phrase: 'a, b or c'."""
    items = list(words)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


def counted(count: int, what: str) -> str:
    """'1 hazard', '2 hazards'."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def rounded(value: float) -> str:
    """A figure without digits that say nothing."""
    return f"{value:,.0f}" if value == int(value) else f"{value:.4g}"


# -- how a problem is shown

Piece = tuple[str, str]
"""Characters of a diagnostic and what they are: ``label``, ``message``, ``caret``, …"""

_UNPLAIN = re.compile(r"[^\n\t\x20-\x7e]")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Characters that count as printable and leave no mark."""

_GAP = "…"
LONGEST = 60
"""Characters of a user's word that a sentence repeats."""

MOST_LETTERS, MOST_COLUMNS, MOST_FRAMES = 2000, 1000, 24
"""Of a message and of a line of a program, where nothing else says how wide it may be."""


def render(problem: Problem) -> str:
    """A problem as plain text: head, excerpt with a caret, expansions, notes and hint."""
    return "".join(text for _, text in pieces(problem))


def pieces(problem: Problem, width: int | None = None) -> Iterator[Piece]:
    """What a diagnostic consists of, in its order: who shows one in colour gives each its own.

    With a width, sentences are folded at it and a long line of a program is cut around its caret;
    without one nothing is folded, so that what is written to a file can be searched, and a line
    is cut only if it has more than 1,000 columns.
    """
    label = f"{problem.label}[{problem.code}]"
    text = problem.message.replace("\n", "\n    ")  # no line of a user's looks like one of ours
    if len(text) > MOST_LETTERS:
        text = f"{text[: MOST_LETTERS // 2]} {_GAP} {text[-MOST_LETTERS // 4 :]}"
    head = folded(f"{label}: {text}", "", width)
    yield "label", head[0][: len(label)]
    yield "message", "\n".join([head[0][len(label) :], *head[1:]])
    if problem.span is not None:
        yield from _excerpt(problem.span, width)
        for line in _led(problem.span.chain):
            yield from _sentence("expansion", f"  {line}", width)
    for note in problem.notes:
        where = f" ({note.span})" if note.span else ""
        if note.excerpt and note.span is not None:
            yield from _sentence("note", f"  note: {note.message}", width)
            yield from _excerpt(note.span, width)
        else:
            yield from _sentence("note", f"  note: {note.message}{where}", width)
    for line in advice(problem):
        yield from _sentence("hint", f"  {line}", width)


def _led(chain: tuple[Frame, ...]) -> list[str]:
    """What led to a place, innermost first; of a long recursion its ends."""
    lines = [f"in {frame.what}, {frame.span}" for frame in reversed(chain)]
    if len(lines) <= MOST_FRAMES:
        return lines
    half = MOST_FRAMES // 2
    return [*lines[:half], f"… {len(lines) - 2 * half:,} more calls", *lines[-half:]]


def advice(problem: Problem) -> list[str]:
    """The hint of a problem as lines: what to do about it, then the rule it breaks."""
    lines = problem.hint.splitlines()
    text = [n for n, line in enumerate(lines) if line.strip().startswith("rule: ")]
    return [
        line.strip() if n in text else f"hint: {line}" if n == 0 else line
        for n, line in enumerate(lines)
    ]


def clean(text: str) -> str:
    """Text as every terminal shows it: whatever cannot be seen is written as its escape.

    That is what moves a cursor, reverses the direction of text, is invisible, or is no character.
    Newlines stay, tabs become blanks. A text that is clean stays as it is.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNPLAIN.sub(_seen, text).expandtabs(8)


def _seen(match: re.Match[str]) -> str:
    character = match.group()
    if character.isprintable() and not _UNSEEN.match(character):
        return character
    return character.encode("unicode_escape").decode("ascii")


def quoted(text: str) -> str:
    """A user's word for a sentence: all of it visible, on one line, and cut where it is long."""
    return in_line(text if len(text) <= LONGEST else text[: LONGEST - 1] + _GAP)


def in_line(text: str) -> str:
    """Text that is to stay on its line, such as the name of a file: its newlines are escapes."""
    return clean(text.replace("\n", "\\n").replace("\t", "\\t"))


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(c) in ("Mn", "Me")
        else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def folded(text: str, indent: str, width: int | None) -> list[str]:
    """A sentence in lines of at most a width, all but the first indented; its own lines stay."""
    lines: list[str] = []
    for line in clean(text).split("\n"):
        # A map or a table among the lines keeps its columns.
        if width is None or columns(line) <= width or line.startswith("    "):
            lines.append(line)
            continue
        own = line[: len(line) - len(line.lstrip())]
        import textwrap

        lines += textwrap.wrap(
            line,
            width,
            initial_indent="",
            subsequent_indent=indent or own + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines or [""]


def _sentence(kind: str, line: str, width: int | None) -> Iterator[Piece]:
    """A line below the excerpt: the word before its first colon, or all of one without."""
    lines = folded(line, "        ", width)
    word, colon, rest = lines[0].partition(": ")
    if not colon or not word.strip().isalpha():
        yield kind, "\n" + "\n".join(lines)
        return
    yield kind, f"\n{word}{colon}"
    yield "text", "\n".join([rest, *lines[1:]])


def _excerpt(span: Span, width: int | None) -> Iterator[Piece]:
    number, line, column, length = span.excerpt()
    margin = " " * len(str(number))
    shown, before, marked = (clean(line[:end]) for end in (None, column, column + length))
    start = columns(before)
    size = max(1, columns(marked) - start)
    room = MOST_COLUMNS if width is None else width - len(margin) - 3
    shown, start, size = _cut(shown, start, size, room)
    yield "margin", f"\n{margin}--> "
    yield "text", clean(str(span))
    yield "margin", f"\n{margin} |\n{number} |"
    yield "program", f" {shown}".rstrip()
    yield "margin", f"\n{margin} | {' ' * start}"
    yield "caret", "^" * size


def _cut(line: str, start: int, size: int, room: int) -> tuple[str, int, int]:
    """The part of a line around its caret that fits, with the caret's place in it."""
    if columns(line) <= room or room < 20:
        return line, start, size
    first = 0
    if start + size > room - 1:
        # A third of what comes before stays: the mark is what matters, and where it ends.
        first = max(0, min(start - room // 3, start + size - room + 2))
    head = _GAP if first else ""
    rest = line[first + len(head) :]
    tail = _GAP if len(rest) + len(head) > room else ""
    shown = head + rest[: room - len(head) - len(tail)] + tail
    start -= first
    return shown, start, max(1, min(size, room - start))
