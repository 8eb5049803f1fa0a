"""Topics of `help` besides commands and instructions: a loop over tables with words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from nasm.apps.repl.settings import SETTINGS
from nasm.base.dtypes import DTYPES, DType
from nasm.base.glossary import WORDS
from nasm.base.problems import counted, rounded
from nasm.base.records import dataclass
from nasm.isa.generation import Engine, Generation
from nasm.isa.options import Option
from nasm.isa.target import Target
from nasm.language.expanding.functions import FORMS as CONSTANT_FUNCTIONS
from nasm.language.expectations.checker import WORDS as EXPECTATION_WORDS
from nasm.language.text.parse_failure import FORMS as DIRECTIVES
from nasm.views.tensor import Memory

KEYS = {
    "Enter": "run the command, or continue an incomplete one; alone, repeat the last step",
    "Tab": "complete, or choose the next of several",
    "Up, Down": "the commands before and after",
    "Right, End": "accept the grey text, the rest of a command from the history",
    "Ctrl-R": "search the history",
    "Ctrl-A, Ctrl-E": "to the start or the end of the line",
    "Ctrl-W, Ctrl-U": "delete the word or the line before the cursor",
    "F2": "choose the panels that 'view' keeps on screen; a digit switches one, Enter ends it",
    "Ctrl-C": "stop a run, or drop the line",
    "Ctrl-D": "leave",
}
"""What keys do at the prompt."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that a word means: what kind of thing, and what there is to say, in paragraphs.

    ``more`` makes the text beyond the summary; ``names`` are other words for it.
    """

    word: str
    kind: str
    summary: str
    more: Callable[[], Sequence[str]] = tuple
    names: tuple[str, ...] = ()

    def called(self, word: str) -> bool:
        """Whether a word names it, in any case."""
        return word.casefold() in (n.casefold() for n in (self.word, *self.names))


def topics(target: Target, generation: Generation) -> Iterator[Topic]:
    """Everything that has a word."""
    yield from _of_language(generation)
    for e in generation.engines:
        more = partial(_engine, e, target, generation)
        yield Topic(e.name, "engine", f"{e.summary}.", more, e.aliases)
    for m in generation.memories.values():
        yield Topic(m.name, "memory", f"{m.summary}.", partial(_memory, m))
    for d in DTYPES.values():
        if d.name in generation.dtypes:
            yield Topic(d.name, "dtype", f"{d.summary}.", partial(_dtype, d), d.aliases)
    for kind, words in target.vocabulary.items():
        for word, meaning in words.items():
            yield Topic(word, kind, meaning, partial(_taken, word, target, generation))
    for o in target.offered(generation):
        yield Topic(o.name, "machine option", f"{o.summary}.", partial(_option, o))
    for s in SETTINGS.values():
        how = (f"set {s.name} VALUE: {s.kind.legal}.",)
        yield Topic(s.name, "setting", f"{s.summary}.", partial(tuple, how))
    for word, meaning in WORDS.items():
        yield Topic(word, "word", f"{_plain(meaning)}.", names=(f"{word}s",))
    keys = tuple(f"{key}: {text}" for key, text in KEYS.items())
    yield Topic("keys", "keys", "What keys do at the prompt.", partial(tuple, keys), ("key",))


def find(word: str, known: Iterable[Topic]) -> list[Topic]:
    """What a word means, with or without the sign that it is written with."""
    return [t for t in known if t.called(word) or t.called(word.lstrip(".@"))]


def _of_language(generation: Generation) -> Iterator[Topic]:
    for word, form in DIRECTIVES.items():
        yield Topic(f".{word}", "directive", form, names=(word,))
    for m in generation.memories.values():
        form = f".{m.name} t f32[128, 8]"
        yield Topic(f".{m.name}", "directive", form, partial(tuple, (f"A tensor in {m.name}.",)))
    yield from functions()


def functions() -> Iterator[Topic]:
    """The functions of expressions."""
    for word in dict.fromkeys((*EXPECTATION_WORDS, *CONSTANT_FUNCTIONS)):
        text = CONSTANT_FUNCTIONS.get(word, "of expressions, such as those of .expect")
        yield Topic(word, "function", text)


def _engine(engine: Engine, target: Target, generation: Generation) -> tuple[str, ...]:
    rows = [r.name for r in target.isa if engine.name in target.engines(r, generation)]
    reach = [
        f"{verb} {', '.join(memories)}"
        for verb, memories in (("reads", engine.reads), ("writes", engine.writes))
        if memories
    ]
    rate = generation.ticks / engine.cycle
    text = [f"{rounded(rate)} cycles in a µs"]
    if engine.aliases:
        text.append(f"also called {', '.join(engine.aliases)}")
    return (*text, *reach, f"Its instructions: {', '.join(rows)}.")


def _memory(memory: Memory) -> tuple[str, ...]:
    size = f"{memory.size:,} bytes" if memory.size else "as large as what is declared"
    where = f"{memory.partitions} partitions of {size}" if memory.partitions else size
    banks = f", each in {memory.banks} banks" if memory.banks else ""
    return (where + banks, f"Source: {memory.source}.")


def _dtype(dtype: DType) -> tuple[str, ...]:
    size = f"{counted(dtype.itemsize, 'byte')}; the largest is {_largest(dtype.max_finite)}"
    return (size, f"Source: {dtype.source}.")


def _option(option: Option) -> tuple[str, ...]:
    choices = [f"{word}: {meaning}" for word, meaning in (option.choices or {}).items()]
    return (*(choices or [option.describe()]), f"By default {option.default}.")


def _taken(word: str, target: Target, generation: Generation) -> tuple[str, ...]:
    """Which instructions take a word for an operand."""
    rows = [
        r.name
        for r in target.rows(generation)
        if any(word in o.kind.words for o in r.operands if not o.implicit)
    ]
    return (f"Taken by {', '.join(rows)}.",) if rows else ()


def _largest(value: float) -> str:
    return rounded(value) if value < 1e12 else f"{value:.4g}"


def _plain(markdown: str) -> str:
    """A sentence without marks for links and code."""
    return re.sub(r"\[(.*?)\]\(.*?\)", r"\1", markdown).replace("`", "")


def meanings(target: Target, generation: Generation) -> Mapping[str, str]:
    """Every word of a topic with its kind, for completion."""
    return {t.word: f"{t.kind}: {t.summary}" for t in topics(target, generation)}
