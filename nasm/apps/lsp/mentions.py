"""A text to its mentions, line by line: no line need be readable, and no program be made of it.

What a word is follows from its line's directive, or from the row of its instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from nasm.apps.lsp.items import LexItem, items
from nasm.apps.lsp.positions import unified
from nasm.apps.lsp.symbols import (
    COUNTER,
    MACRO,
    MOMENT,
    NAME,
    DeclaredSymbol,
    Mention,
    NameScope,
    SymbolIndex,
    meant,
)
from nasm.base import dtypes
from nasm.base.files import Allowed
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source, Span
from nasm.isa.generation import Generation
from nasm.isa.kinds import Kind
from nasm.isa.target import Target
from nasm.language.expanding.including import Includes
from nasm.language.text.blocks import OPENERS, logical_lines
from nasm.language.text.lexemes import lexemes

EXPORT = "@export"
POST, AFTER, TAKE, GIVE = "post", "after", "take", "give"
_OPEN, _CLOSE = frozenset("(["), frozenset(")]")
_WORDS = frozenset(("input", "output", "bank", "reuse", "in", "step"))
"""Words of directives that name nothing."""


def index_of(source: Source, target: Target, generation: Generation, files: Allowed) -> SymbolIndex:
    """Everything that a text mentions, and all that it includes."""
    reader = _Reader(source, target, generation, files)
    reader.text(source)
    return reader.finish()


class _Reader:
    """Takes the lines of a text in order; what names mean is found out at the end."""

    def __init__(
        self, source: Source, target: Target, generation: Generation, files: Allowed
    ) -> None:
        self.source, self.file = source, ""
        self.includes, self.included = Includes(source, files), dict[str, Source]()
        self.target, self.generation = target, generation
        self.scope = NameScope("", None)
        self.core, self.engine = "0", ""
        self.mentions: list[Mention] = []
        self.symbols: list[DeclaredSymbol] = []
        self.waiting: list[tuple[Mention, str, NameScope]] = []

    def finish(self) -> SymbolIndex:
        """All mentions, those of names with what they mean; names that mean nothing are none."""
        for mention, space, scope in self.waiting:
            mention.symbols = meant(space, mention.shape, scope)
            for symbol in mention.symbols:
                symbol.mentions.append(mention)
            if mention.symbols:
                self.mentions.append(mention)
        self.mentions.sort(key=lambda m: (m.file, m.start, -m.end))
        for symbol in self.symbols:
            symbol.mentions.sort(key=lambda m: (m.file, m.start))
        return SymbolIndex(self.mentions, self.symbols, self.included)

    def text(self, source: Source) -> None:
        """The lines of a text, which may be included by another."""
        for line in logical_lines(source.text):
            self.line(items(lexemes(source.text, line.start, line.end)))

    # -- what is noted

    def note(self, kind: str, item: LexItem, of: str = "") -> None:
        """A word that is no name of the text's."""
        self.mentions.append(Mention(kind, item.begin, item.end, item.shape, of, file=self.file))

    def declare(self, kind: str, space: str, item: LexItem, scope: NameScope) -> None:
        """A name that is declared here, for a scope."""
        self.general(item.inner)
        symbol = scope.names.get((space, item.shape))
        if symbol is None:
            symbol = scope.names[space, item.shape] = DeclaredSymbol(kind, space, item.shape, scope)
            self.symbols.append(symbol)
        made = Mention("symbol", item.begin, item.end, item.shape, kind, True, (symbol,), self.file)
        symbol.mentions.append(made)
        self.mentions.append(made)

    def use(self, space: str, item: LexItem) -> None:
        """A name that is used here."""
        self.general(item.inner)
        made = Mention("symbol", item.begin, item.end, item.shape, file=self.file)
        self.waiting.append((made, space, self.scope))

    def home(self, exported: bool, *words: str) -> NameScope:
        """The scope of a declaration: blocks of these words and macros keep theirs."""
        found = self.scope.nearest("macro", *words)
        return found.outer if exported and found.outer is not None else found

    def labels(self, engine: str) -> str:
        """The namespace of an engine's labels."""
        with suppress(Refused):
            engine = self.generation.engine(engine).name
        return f"{self.core}.{engine}"

    # -- lines

    def line(self, parts: list[LexItem]) -> None:
        """One logical line."""
        if self.scope.word == "dma" and not (parts and parts[0].kind == "directive"):
            self.general(parts)
            return
        at, label, exported = 0, None, _exported(parts)
        if len(parts) > exported + 1 and parts[exported + 1].text == ":":
            label, at = parts[exported], exported + 2
        engine = self.engine
        if at < len(parts) and parts[at].kind == "engine":
            self.chosen(parts[at])
            engine, at = parts[at].shape, at + 1
            if at == len(parts) and label is None:
                self.engine = engine
        if label is not None and label.kind == "name":
            home = self.home(bool(exported))
            self.declare("label", self.labels(engine), label, home)
        if at == len(parts):
            return
        head, rest = parts[at], parts[at + 1 :]
        if head.kind == "directive":
            self.directive(head, rest)
        elif head.kind == "name" and rest[:1] and rest[0].text == "(":
            self.use(MACRO, head)
            self.general(rest)
        elif head.kind == "name" and head.plain:
            self.instruction(head, rest, engine)
        else:
            self.general(parts[at:])

    def chosen(self, item: LexItem) -> None:
        """An engine in front of a line; in a macro it may be a parameter."""
        if meant("engine", item.shape, self.scope):
            self.use("engine", item)
        else:
            self.note("engine", item)

    def general(self, parts: Sequence[LexItem], words: Collection[str] = (), of: str = "") -> None:
        """An expression or any other node: its names, functions and semaphores.

        ``of`` is the operand whose ``words`` may be in it.
        """
        for at, item in enumerate(parts):
            following = parts[at + 1].text if at + 1 < len(parts) else ""
            if item.kind == "semaphore":
                self.use(COUNTER, item)
            elif item.kind == "engine":
                self.chosen(item)
            elif item.kind == "name" and following == "(":
                self.note("function", item)
            elif item.kind == "name" and following != "=":
                if item.shape in words and not meant(NAME, item.shape, self.scope):
                    self.note("word", item, of)
                else:
                    self.use(NAME, item)
            elif item.inner:
                self.general(item.inner)

    # -- instructions

    def instruction(self, head: LexItem, rest: Sequence[LexItem], engine: str) -> None:
        """A mnemonic, its operands, its waits and updates."""
        self.note("mnemonic", head)
        row = self.target.row(head.shape, self.generation)
        written = row.written if row is not None else ()
        end = next((n for n, item in enumerate(rest) if _begins_sync(rest, n, item)), len(rest))
        for number, part in enumerate(_split(rest[:end])):
            name = written[number].name if number < len(written) else ""
            if len(part) > 1 and part[0].kind == "name" and part[1].text == "=":
                self.note("operand", part[0], head.shape)
                name, part = part[0].shape, part[2:]
            kind = None
            if row is not None:
                kind = row.kind(name) or row.kind(f"{name}0")  # op= is op0=
            self.operand(part, kind, engine, f"{head.shape} {name}")
        self.sync(rest[end:])

    def operand(self, part: Sequence[LexItem], kind: Kind | None, engine: str, of: str) -> None:
        """The value of an operand: a word of its kind, a label, or an expression."""
        lone = part[0] if len(part) == 1 and part[0].kind == "name" else None
        if kind is None or lone is None or (kind.numeric and kind.words):
            self.general(part, kind.words if kind is not None else (), of)
        elif kind.names == "label":
            self.use(self.labels(engine), lone)
        elif lone.plain and lone.shape in kind.words:
            self.note("word", lone, of)
        else:
            self.use(NAME, lone)

    def sync(self, parts: Sequence[LexItem]) -> None:
        """Waits, updates and moments at the end of a line."""
        awaits, depth = "", 0
        for at, item in enumerate(parts):
            previous = parts[at - 1].text if at else ""
            depth += (item.text in _OPEN) - (item.text in _CLOSE)
            if depth == 0 and _keyword(parts, at):
                awaits = item.shape
            elif depth == 0 and item.kind == "name" and previous == awaits == POST:
                self.declare("moment", MOMENT, item, self.home(False))
            elif depth == 0 and item.kind == "name" and awaits == AFTER:
                self.use(MOMENT, item)
            else:
                self.general([item])

    # -- directives

    def directive(self, head: LexItem, rest: list[LexItem]) -> None:
        """A directive: what it declares, and the block that it opens."""
        self.note("directive", head)
        word = head.shape
        exported, named = _exported(rest), rest[_exported(rest) :]
        handler = self.HANDLERS.get(word)
        if word in ("end", "elif", "else"):
            if word == "end" and self.scope.outer is not None:
                self.scope = self.scope.outer
            self.general(rest)
        elif handler is not None:
            handler(self, word, named, bool(exported))
        elif word in self.generation.memories:
            self.tensor(named, bool(exported))
        else:
            self.block(word)
            self.general(rest)

    def block(self, word: str) -> None:
        """Open a block if the directive does."""
        if word in OPENERS:
            self.scope = NameScope(word, self.scope)

    def tensor(self, rest: Sequence[LexItem], exported: bool) -> None:
        """``.sbuf t bf16[128, 512] @ 0:64``."""
        tiles = _tiles(rest)
        for item in rest[:1]:
            if item.kind == "name":
                kind = "array" if tiles else "tensor"
                self.declare(kind, NAME, item, self.home(exported))
        self.general(rest[1 : 1 + tiles])
        rest = rest[1 + tiles :]
        for item in rest[:1]:
            if dtypes.find(item.shape) is not None:
                self.note("dtype", item)
            else:  # a constant or a parameter that is one
                self.general([item])
        self.general([item for item in rest[1:] if item.shape not in _WORDS])

    def constants(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.const N = 512, K = N // 4``, and ``.view name = expression``."""
        kind = "view" if word == "view" else "constant"
        for part in _split(rest):
            own = _exported(part)
            if len(part) > own and part[own].kind == "name":
                home = self.home(exported or bool(own), "for", "loop")
                self.declare(kind, NAME, part[own], home)
                self.general(part[own + 1 :])
            else:
                self.general(part)

    def param(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.param N in 1..64 step 2``."""
        if rest and rest[0].kind == "name":
            self.declare("constant", NAME, rest[0], self.home(exported, "for", "loop"))
        self.general([item for item in rest[1:] if item.shape not in _WORDS])

    def setting(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.cfg NAME = value`` and ``.write``: names and words are the target's."""
        known = self.target.settings(self.generation)
        offered = known.offered if known is not None else {}
        meant: Mapping[str, int] = {}
        for at, item in enumerate(rest):
            before = rest[at - 1].text if at else ","
            if before == "," and item.shape in offered:
                meant = offered[item.shape].words
                self.note("word", item)
            elif item.plain and item.shape in meant:
                self.note("word", item)
            elif item.kind == "name" and self.target.row(item.shape) is not None:
                self.note("mnemonic", item)
            else:
                self.general([item])

    def counters(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.sem a, b = 7``, and ``.event``."""
        kind = "event" if word == "event" else "semaphore"
        for part in _split(rest):
            own = _exported(part)
            if len(part) > own and part[own].kind == "name":
                self.declare(kind, COUNTER, part[own], self.home(exported or bool(own)))
            self.general(part[own + 1 :])

    def transfer(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.dma name queue=0``."""
        if rest and rest[0].kind == "name":
            self.declare("transfer", NAME, rest[0], self.home(exported))
        self.general(rest[1:])
        self.block(word)

    def loop(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.for k in 0..4 step 2``: the variable is the block's."""
        self.general([item for item in rest[1:] if item.shape not in _WORDS])
        self.block(word)
        if rest and rest[0].kind == "name":
            self.declare("variable", NAME, rest[0], self.scope)

    def macro(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.macro name(a, b, n=4)``: its parameters are the block's."""
        if rest and rest[0].kind == "name":
            self.declare("macro", MACRO, rest[0], self.home(False))
        self.block(word)
        for part in _split(rest[2:-1]):
            if part and part[0].kind == "name":
                self.declare("parameter", NAME, part[0], self.scope)
            self.general(part[1:])

    def include(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.include "file.nasm"``: what it declares is declared where it is included."""
        if not rest or rest[0].kind != "string":
            return
        item, outer, around = rest[0], self.source, (self.file, self.scope, self.engine)
        try:
            found = self.includes.source(
                item.text.strip('"'), outer, Span(outer, item.start, item.end)
            )
        except Failure:
            return  # the assembler reports it
        if found is None:
            return
        self.note("file", item, found.name)
        self.included[found.name] = found = Source(found.name, unified(found.text), found.label)
        self.source, self.file = found, found.name
        self.text(found)
        self.source = outer
        self.file, self.scope, self.engine = around

    def cores(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.core 1``: labels are the queues' own."""
        self.core = rest[0].text if rest else self.core
        self.general(rest)

    def tiles(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.tile 3, 4``: labels are the queues' own."""
        self.core = "".join(item.text for item in rest) or self.core
        self.general(rest)

    def targets(self, word: str, rest: Sequence[LexItem], exported: bool) -> None:
        """``.target trn1`` names nothing of the text."""

    HANDLERS: dict[str, Callable[[_Reader, str, Sequence[LexItem], bool], None]] = {  # noqa: RUF012
        "const": constants,
        "param": param,
        "view": constants,
        "sem": counters,
        "event": counters,
        "cfg": setting,
        "write": setting,
        "dma": transfer,
        "for": loop,
        "loop": loop,
        "macro": macro,
        "include": include,
        "core": cores,
        "tile": tiles,
        "grid": targets,
        "target": targets,
    }


def _tiles(rest: Sequence[LexItem]) -> int:
    """How many items ``[2]`` are after the name of an array of tiles; 0 if it is none."""
    depth = 0
    for at, item in enumerate(rest[1:], 1):
        depth += (item.text in _OPEN) - (item.text in _CLOSE)
        if not depth:
            return at if at > 1 else 0
    return 0


def _exported(parts: Sequence[LexItem]) -> int:
    """1 if ``@export`` precedes it, else 0."""
    return int(bool(parts) and parts[0].text == EXPORT)


def _split(parts: Iterable[LexItem]) -> list[list[LexItem]]:
    """Parts between commas outside brackets."""
    found: list[list[LexItem]] = [[]]
    depth = 0
    for item in parts:
        depth += (item.text in _OPEN) - (item.text in _CLOSE)
        if item.text == "," and depth <= 0:
            found.append([])
        else:
            found[-1].append(item)
    return found


_COMPARES = frozenset((">=", "==", "<=", "!=", "<", ">", "=", "++", "--", "+=", "-="))


def _begins_sync(parts: Sequence[LexItem], at: int, item: LexItem) -> bool:
    """Whether the clauses after the operands of an instruction begin here."""
    following = parts[at + 1].text if at + 1 < len(parts) else ""
    return (item.kind == "semaphore" and following in _COMPARES) or _keyword(parts, at)


def _keyword(parts: Sequence[LexItem], at: int) -> bool:
    """Whether a word is ``post``, ``after``, ``take`` or ``give``: what follows decides it."""
    item = parts[at]
    if at + 1 == len(parts) or item.kind != "name" or (at and parts[at - 1].text == ","):
        return False
    wanted = {POST: "name", AFTER: "name", TAKE: "semaphore", GIVE: "semaphore"}.get(item.shape)
    return parts[at + 1].kind == wanted
