"""What a target and a program have that completion offers, with a word on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nasm.isa.generation import Generation
from nasm.isa.target import Target
from nasm.program.program import Program

Operands = Mapping[str, tuple[str, Mapping[str, str]]]
"""What an instruction takes: by name, what it may be, and its words with their meaning."""

Finder = Callable[[Program], Mapping[str, str]]
"""The words of a kind with their meaning, of a program."""


def mnemonics(target: Target, generation: Generation) -> dict[str, str]:
    """The instructions of a generation."""
    return {row.name: row.summary for row in target.rows(generation)}


def operands(target: Target, generation: Generation, mnemonic: str) -> Operands:
    """What an instruction takes; nothing if there is none of that name."""
    row = target.row(mnemonic, generation)
    meant = {word: text for words in target.vocabulary.values() for word, text in words.items()}
    kinds = {name: row.kind(name) for name in row.names} if row else {}
    return {
        name: (kind.describe(), {w: kind.meanings.get(w, meant.get(w, "")) for w in kind.words})
        for name, kind in kinds.items()
        if kind is not None
    }


def engines(program: Program) -> dict[str, str]:
    """The engines of all cores that it uses."""
    return {
        program.named(core, e.name): e.summary
        for core in range(program.cores)
        for e in program.generation.engines
    }


def memories(program: Program) -> dict[str, str]:
    """The memories of its machine."""
    return {m.name: m.summary for m in program.generation.memories.values()}


def tensors(program: Program) -> dict[str, str]:
    """Its tensors, and its views that have names."""
    own = {
        name: f"{t.dtype.name}{list(t.shape)} in {t.memory.name}"
        for name, t in program.tensors.items()
    }
    parts = {
        name: f"{view.dtype.name}{list(view.shape)} of {view.tensor.name}"
        for name, view in program.views.items()
        if not isinstance(view, list)
    }
    arrays = {
        name: f"an array of {len(tiles)} tiles {tiles[0].dtype.name}{list(tiles[0].shape)}"
        for name, tiles in program.views.items()
        if isinstance(tiles, list)
    }
    return own | parts | arrays


def parts(program: Program) -> dict[str, str]:
    """What of its cores can be looked at."""
    return {part.name: part.what for part in program.held_parts}


def items(program: Program) -> dict[str, str]:
    """The names of items of that, of which there may be many."""
    return {item: f"of {part.name}" for part in program.held_parts for item in part.items}


def constants(program: Program) -> dict[str, str]:
    """Its constants."""
    return {name: str(value) for name, value in program.constants.items()}


def labels(program: Program) -> dict[str, str]:
    """The labels of all queues."""
    return {
        label: f"{program.queue_name(n)} pc {pc}"
        for n, lines in enumerate(program.queues)
        for label, pc in lines.labels.items()
    }


OF_PROGRAM: dict[str, Finder] = {
    "engine": engines,
    "memory": memories,
    "tensor": tensors,
    "part": parts,
    "item": items,
    "constant": constants,
    "label": labels,
}
"""What a program has, by kind, whether or not it runs."""
