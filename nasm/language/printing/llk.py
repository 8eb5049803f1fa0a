"""Programs as text of tt-llk, and what its functions make as text of programs.

A program is a function for each thread, which makes its instructions.

Values have the names of the vendor's headers where they have some. Templates that a program sets
for its expanders become objects; of other settings, which the host writes, only comments tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from nasm.base.problems import Refused
from nasm.isa.foreign import ForeignMade, WrittenSettings
from nasm.isa.instruction import Row
from nasm.isa.target import Target
from nasm.isa.words import Words
from nasm.language.printing.words import line, words_known, words_of
from nasm.llk.output import LOOPS, MASKED, OF_EXPANDER, VENDOR
from nasm.program.program import Program

_COUNTS: Final = ("OuterCount", "InnerCount", "Flags")


def program_lines(known: Words, made: ForeignMade) -> list[str]:
    """What a function makes as lines of a thread; a word that is no instruction stays as it is."""
    found = []
    for one in made.items:
        if isinstance(one, int):
            text = line(known, one)
            found.append(text.partition(" ;")[0].rstrip() if ".word" in text else text)
        else:
            found += _writes(known, one)
    return found


def _writes(known: Words, made: WrittenSettings) -> Iterator[str]:
    """Lines that write settings: in one, unless some are slots of an expander."""
    options = "".join(f"  {name}={value}" for name, value in made.options.items())
    if not any(name.startswith(OF_EXPANDER) for name in made.values):
        yield f".write {', '.join(f'{n} = {v}' for n, v in made.values.items())}{options}"
        return
    first, *others = (f".write {_setting(known, n, v)}" for n, v in made.values.items())
    yield first + options
    yield from others


def _setting(known: Words, name: str, value: int) -> str:
    """A word of an expander, as its instruction if it is one."""
    if name.partition("_")[2] in _COUNTS:
        return f"{name} = {value}"
    return f"{name} = {value:#010x}" if known.reason(value) else f"{name}: {line(known, value)}"


def program_text(target: Target, made: ForeignMade, machine: str, queue: str) -> str:
    """What a function makes as a program of one thread."""
    generation = target.generation(machine)
    assert generation is not None
    known = words_known(target, generation)
    rows = [f".target {machine}", "", f"@{queue}"]
    rows += [f".cfg {_setting(known, name, value)}" for name, value in made.settings.items()]
    rows += [f"    {text}" for text in program_lines(known, made)]
    return "\n".join(rows) + "\n"


def llk_text(program: Program) -> str:
    """A program as functions ``t0()`` and so on.

    Raises Refused if a word is no instruction, and for lines of what pushes instructions.
    """
    for lines_of in program.queues:
        if len(lines_of) and program.generation.engine(lines_of.engine).optional:
            message = f"@{lines_of.engine} has lines, which are not written as text of tt-llk"
            raise Refused("E0601", message, "leave these out, or print the program without --form")
    words, known = words_of(program), words_known(program.target, program.generation)
    held: dict[str, dict[str, int]] = {}
    lines = []
    for made in program.settings:
        if made.name.startswith(OF_EXPANDER):
            held.setdefault(made.engine, {})[made.name] = made.value
        else:
            engine = f"@{made.engine} " if made.engine else ""
            lines.append(f"// {engine}.cfg {made.name} = {made.value}")
    lines += [""] * bool(lines)
    for queue in dict.fromkeys((*words, *held)):
        lines += [f"inline void {queue}()", "{"]
        lines += [f"    {line}" for line in _templates(known, held.get(queue, {}))]
        lines += [f"    {_line(known, word)};" for word in words.get(queue, ())]
        lines += ["}", ""]
    return "\n".join(lines)


def _line(words: Words, word: int, prefix: str = "TTI_") -> str:
    row, text = _call(words, word)
    return f"{prefix}{row.name}{text}"


def _call(words: Words, word: int) -> tuple[Row, str]:
    reason = words.reason(word)
    if reason:
        raise Refused("E0323", f"{word:#010x} is no instruction: {reason}", "tt-llk has no macro")
    row, _ = words.decode(word)
    if not row.vendor.get(VENDOR):
        raise Refused("E0601", f"tt-llk has no macro of {row.name}")
    assert row.encoding is not None
    texts = []
    for one in row.encoding.operands:
        value = (word & one.mask) >> one.low  # without a sign: macros shift what they are given
        named = "" if one.values is None else one.values.scoped(value)
        texts.append(named or (str(value) if value < 10 else hex(value)))
    return row, f"({', '.join(texts)})" if texts else ""


def _templates(words: Words, held: Mapping[str, int]) -> Iterator[str]:
    """The objects that write these words: one of two loops, one of a mask."""
    loops = [held.get(f"MOP1_{name}") for name in LOOPS]
    masked = [held.get(f"MOP0_{name}") for name in MASKED]
    if any(word is not None for word in loops):
        outer, inner, start, end0, end1, op, op1, last, last1 = (
            0 if word is None else word for word in loops
        )
        ops = f"{_word(words, op)}, {_word(words, op1)}"
        yield f"ckernel_template loops({outer}, {inner}, {ops});"
        yield f"loops.set_start_op({_word(words, start)});"
        yield f"loops.set_end_ops({_word(words, end0)}, {_word(words, end1)});"
        yield f"loops.set_last_outer_loop_instr({_word(words, last)});"
        yield f"loops.set_last_inner_loop_instr({_word(words, last1)});"
        yield "loops.program();"
    if any(word is not None for word in masked):
        flags, b, *a, skip_a, skip_b = (0 if word is None else word for word in masked)
        shown = ", ".join(_word(words, word) for word in (*a, skip_a, b, skip_b))
        yield f"ckernel_unpack_template masked({flags & 1}, {flags >> 1}, {shown});"
        yield "masked.program();"


def _word(words: Words, word: int) -> str:
    """A word of a template: a macro where it is an instruction."""
    if words.reason(word):
        return hex(word)
    return _line(words, word, "TT_OP_")
