"""What a text declares: the machine, constants, tensors, semaphores, transfers."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.problems import in_line
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.literal_kinds import literal
from nasm.isa.settings import Assigned
from nasm.language.printing.comments import AllowComments
from nasm.language.printing.files import Files
from nasm.language.printing.layout import CORE, table, wrapped
from nasm.language.printing.views import view_text
from nasm.program.instruction_text import operands
from nasm.program.placement import chosen, placed_in
from nasm.program.program import RANKS, Instruction, Program
from nasm.program.settings import settings_of
from nasm.views.tensor import Tensor


def machine(program: Program) -> list[str]:
    """``.target trn2``, and what of the machine no text says."""
    lines = [f".target {program.generation.spellings[0]}"]
    options = [f"--option {name}={value}" for name, value in program.chosen.items()]
    options += [f"{f.name} = {f.value}" for f in program.figures_set]
    if program.ranks > 1:
        lines.append(f".ranks {program.ranks}")
    return lines + [in_line(f"; assembled with {what}") for what in options]


def constants(program: Program) -> list[str]:
    """``.const N = 512``."""
    found = [f"{n} = {literal(v)}" for n, v in program.constants.items() if n != RANKS]
    return wrapped(".const ", found)


def tensors(program: Program, files: Files, places: bool, allowed: AllowComments) -> Iterator[str]:
    """A line for each, in their order; a place only where the assembler would not choose it."""
    if not program.tensors:
        return
    as_chosen = chosen(program.tensors.values())
    core = 0
    yield f"{CORE}{core}"
    group: list[tuple[str, ...]] = []
    notes: list[list[str]] = []
    for tensor in program.tensors.values():
        if tensor.core != core:
            yield from _noted(notes, group)
            core, group, notes = tensor.core, [], []
            yield f"{CORE}{core}"
        notes.append(allowed.above(tensor.span))
        shown = places or tensor.fixed or not as_chosen[placed_in(tensor)]
        cells = _tensor(tensor, _place(tensor) if shown else "", files)
        group.append((*cells, allowed.trailing(tensor.span)))
    yield from _noted(notes, group)


def _noted(notes: list[list[str]], group: list[tuple[str, ...]]) -> Iterator[str]:
    """Lines in columns, each below its comments."""
    for above, line in zip(notes, table(group), strict=True):
        yield from (*above, line)


def _tensor(tensor: Tensor, at: str, files: Files) -> tuple[str, ...]:
    shape = ", ".join(map(str, tensor.shape))
    arranged = tensor.arrangement.name if tensor.arrangement is not None else ""
    more = [arranged, at, tensor.role]
    if tensor.init is not None:
        more.append(f"= {files.initialiser(tensor)}")
    text = " ".join(part for part in more if part)
    return f".{tensor.memory.name}", tensor.name, f"{tensor.stored}[{shape}]", text


def _place(tensor: Tensor) -> str:
    """``@ bank 3`` or ``@ P:B``."""
    offset, bank = tensor.offset or 0, tensor.memory.bank
    if bank and not tensor.partition and offset % bank == 0:
        return f"@ bank {offset // bank}"
    if tensor.memory.numbered:
        return f"@ {offset:#x}"
    return f"@ {tensor.partition or 0}:{offset}"


def semaphores(program: Program, names: dict[int, str]) -> Iterator[str]:
    """``.sem a, b = 7`` and ``.event c`` of each core, with numbers if they are not in order."""
    generation = program.generation
    groups: dict[tuple[int, bool], list[tuple[str, int]]] = {}
    for index, name in names.items():
        core, number, event = generation.counter(index)
        groups.setdefault((core, event), []).append((name, number))
    for (core, event), group in sorted(groups.items()):
        yield f"{CORE}{core}"
        plain = [number for _, number in group] == list(range(len(group)))
        items = [name if plain else f"{name} = {number}" for name, number in group]
        yield from wrapped(".event  " if event else ".sem   ", items)


def settings(program: Program, allowed: AllowComments) -> Iterator[str]:
    """``@engine .cfg NAME = value`` of each core, in their order."""
    for made in program.settings:
        yield f"{CORE}{made.core}"
        yield from allowed.above(made.span)
        engine = f"@{made.engine} " if made.engine else ""
        line = f"{engine}{setting(made, program)}"
        behind = allowed.trailing(made.span)
        yield f"{line}  {behind}" if behind else line


def setting(made: Assigned, program: Program) -> str:
    """``.cfg NAME = value``."""
    return f".cfg {made.name}{_set(made, program)}"


def _set(made: Assigned, program: Program) -> str:
    """`` = 3``, or the instruction after a colon where it is one."""
    target, generation = program.target, program.generation
    setting = settings_of(target, generation).named(made.name)
    words = target.words(generation)
    if not setting.instruction or words is None:
        return f" = {setting.text(made.value)}"
    if words.reason(made.value):
        return f" = {made.value:#x}"
    row, values = words.decode(made.value)
    return f": {row.name} {operands(Instruction(row, values))}".rstrip()


def transfer(made: DeclaredTransfer, allowed: AllowComments) -> list[str]:
    """``.dma name queue=2`` with its moves."""
    options = "".join(f"  {name}={value}" for name, value in made.options)
    moves = [(view_text(dst), f"<- {view_text(src)}") for dst, src in made.moves]
    behind = allowed.trailing(made.span)
    head = f".dma  {made.name}{options}" + (f"  {behind}" if behind else "")
    return [*allowed.above(made.span), head, *table(moves, "    ", " "), ".end"]
