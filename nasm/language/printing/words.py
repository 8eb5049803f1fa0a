"""The words of a program, and words as a text that assembles to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nasm.base.problems import Refused
from nasm.isa.generation import Generation
from nasm.isa.target import Target
from nasm.isa.words import Words
from nasm.language.printing.comments import comment
from nasm.language.printing.elf_files import ElfStretch
from nasm.program import instruction_text
from nasm.program.program import Instruction, Program

Queues = Mapping[str, Sequence[int]]
"""Words by the queue that they are for."""


def words_of(program: Program) -> dict[str, list[int]]:
    """The words of every queue that has some; raises Refused.

    A wait or an update at a line is no part of a word: such a program has none.
    """
    words = words_known(program.target, program.generation)
    made = [
        words.encode(i.row, i.operands) if words.has(i.row) else None for i in program.instructions
    ]
    found = {}
    for number, queue in enumerate(program.queues):
        if program.generation.engine(queue.engine).optional:
            continue  # its instructions are those of another machine
        if any(queue.waits) or any(queue.updates):
            name = program.queue_name(number)
            raise Refused("E0601", f"@{name} has waits or updates at lines, which no word holds")
        if len(queue):
            of = (made[at] for at in queue.instructions)
            found[program.queue_name(number)] = [word for word in of if word is not None]
    return found


def words_with_code(program: Program) -> dict[str, list[int]]:
    """The words of every queue, and of code that other cores of a tile execute; raises Refused."""
    found, code = words_of(program), program.target.code
    if code is None:
        return found
    coded = {}
    for number, queue in enumerate(program.queues):
        words = code.words(program, number)
        if words is not None:
            if any(queue.waits) or any(queue.updates):
                name = program.queue_name(number)
                raise Refused("E0601", f"@{name} has waits or updates at lines, in no word")
            coded[program.queue_name(number)] = list(words)
    if coded:
        found = {name: words for name, words in found.items() if words}
    return found | coded


def words_known(target: Target, generation: Generation) -> Words:
    """The words of a generation; raises Refused if its instructions have none."""
    words = target.words(generation)
    if words is None:
        raise Refused("E0701", f"no public document says what words {target.summary} has")
    return words


def text_of(target: Target, name: str, queues: Queues) -> str:
    """A program of these words on a machine by its name; what is no instruction stays a word."""
    generation = target.generation(name)
    assert generation is not None
    words = words_known(target, generation)
    lines = [f".target {name}"]
    for queue, given in queues.items():
        of_code = target.code is not None and queue in target.code.engines
        made = (
            target.code.text(queue, given, name)
            if target.code and of_code
            else _lines(words, given)
        )
        lines += ["", f"@{queue}", *(f"    {line}" for line in made)]
    return "\n".join(lines) + "\n"


def text_of_code(target: Target, name: str, queue: str, found: Sequence[ElfStretch]) -> str:
    """The words in code as lines of a queue, each with its address in a comment."""
    generation = target.generation(name)
    assert generation is not None
    words = words_known(target, generation)
    lines = [f".target {name}", "", f"@{queue}"]
    for stretch in found:
        lines += [f"    {comment(f'{stretch.name} at {stretch.address:#x}'.strip())}"]
        lines += [f"    {line(words, word):60}  ; {at:#x}" for at, word in stretch.words]
    return "\n".join(lines) + "\n"


def _lines(words: Words, given: Sequence[int]) -> Iterator[str]:
    known: dict[int, str] = {}
    for word in given:
        if word not in known:
            known[word] = line(words, word)
        yield known[word]


def line(words: Words, word: int) -> str:
    """A word as a line: its instruction, or the word itself and why it is none."""
    reason = words.reason(word)
    row, operands = words.kept(word) if reason else words.decode(word)
    text = f"{row.name} {instruction_text.operands(Instruction(row, operands))}".rstrip()
    return f"{text}  {comment(reason)}" if reason else text
