"""Who has what this engine or this machine lacks: other engines of it, other generations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nasm.base.problems import Problem, Refused, Severity, listed
from nasm.base.records import replace
from nasm.base.source import Span
from nasm.isa.effects import Transfer
from nasm.isa.generation import Generation
from nasm.isa.instruction import REQUIRED, InstructionContext, Operand, Row, Rule
from nasm.isa.kinds import Tile
from nasm.isa.synonyms import SIGNS
from nasm.isa.target import Target, rules_of
from nasm.program.instruction_text import operands as operands_text
from nasm.program.notes import declared
from nasm.program.program import Instruction
from nasm.views.tensor import Tensor
from nasm.views.value_text import Symbol
from nasm.views.view import View


def available(target: Target, generation: Generation, row: Row, engine: str) -> None:
    """Whether an engine of a generation has an instruction; raises Refused."""
    here = target.engines(row, generation)
    if engine in here:
        return
    message = f"{row.name} does not run on @{engine}"
    if not here:
        message = f"{row.name} is not on {generation.summary}"
    elif engine in row.engines:
        message += f" of {generation.summary}"
    everywhere = {g: target.engines(row, g) for g in target.generations}
    raise Refused("E0408", message, _having(everywhere, generation, engine, "runs on"))


def legal(target: Target, rule: Rule, context: InstructionContext) -> str:
    """Where an instruction that breaks a rule here would break none, or what to write instead.

    Other rules that it breaks here may be broken there too: they are reported for themselves.
    Empty if there is no such place, and nothing else to write.
    """
    if rule.relative:
        return ""
    here = {id(broken) for broken in _breaks(target, context)} - {id(rule)}
    found = {}
    for generation in target.generations:
        with_options = replace(generation, options=context.generation.options)
        found[generation] = tuple(
            engine
            for engine in target.engines(context.row, generation)
            if here.issuperset(map(id, _breaks(target, _moved(context, engine, with_options))))
        )
    legal_on = _having(found, context.generation, context.engine, "is legal on")
    here_too = any(engines for g, engines in found.items() if g.name == context.generation.name)
    return "; or ".join(filter(None, (legal_on, "" if here_too else _halved(target, context))))


def _breaks(target: Target, context: InstructionContext) -> list[Rule]:
    """The rules that an instruction breaks, warnings apart, up to one that others build on."""
    broken = []
    for rule in rules_of(target, context.row, bool(context.addressed)):
        if rule.severity is Severity.ERROR and rule.check(context) is not None:
            broken.append(rule)
            if rule.stops:
                break
    return broken


def _moved(context: InstructionContext, engine: str, generation: Generation) -> InstructionContext:
    """The same instruction elsewhere."""
    return replace(context, engine=engine, generation=generation)


def _halved(target: Target, context: InstructionContext) -> str:
    """The two lines that do what no engine does in one; empty if there are none."""
    row, here = context.row, context.generation
    halves = target.halves(row, tuple(context.operands.values()))
    if halves is None:
        return ""
    able = [
        [
            engine
            for engine in target.engines(row, here)
            if not _breaks(target, InstructionContext.of(row, operands, engine, here))
        ]
        for operands in halves
    ]
    if not all(able):
        return ""
    both = [engine for engine in able[0] if engine in able[1]]
    engines = (both[0], both[0]) if both else (able[0][0], able[1][0])
    order = ("", "") if both else ("  post half", "  after half")
    lines = (
        f"'@{engine} {row.name} {operands_text(Instruction(row, operands))}{moment}'"
        for engine, operands, moment in zip(engines, halves, order, strict=True)
    )
    return f"in two instructions: {', then '.join(lines)}"


def _having(
    having: Mapping[Generation, tuple[str, ...]], here: Generation, engine: str, verb: str
) -> str:
    """Engines by generation as a phrase: 'it is legal on @scalar, and on NeuronCore-v3 (Trn2)'.

    Other generations are listed alone if the same engine has it there.
    """
    places = []
    at_home = next((engines for g, engines in having.items() if g.name == here.name), ())
    if at_home:
        places.append(listed((f"@{e}" for e in at_home), "and"))
    others = {g.summary: e for g, e in having.items() if e and g.name != here.name}
    same = [g for g, engines in others.items() if engine in engines]
    if same:
        places.append(listed(same, "and"))
    elif not at_home:
        places += [f"@{'/@'.join(engines)} of {g}" for g, engines in others.items()]
    return f"it {verb} {', and on '.join(places)}" if places else ""


def of_operand(
    target: Target,
    generation: Generation,
    row: Row,
    name: str,
    refused: Refused,
    value: object,
    spans: Callable[[str], Span | None] | None,
) -> Problem:
    """What an operand's kind refused, at the place where the operand is written."""
    message = f"operand {name} of {row.name}: {refused.message}"
    others = taking(target, row, name, value) if refused.code == "E0206" else ""
    hint = others or refused.hint
    if refused.code == "E0302" and isinstance(value, View | Tensor):
        hint = moving(target, generation, row, name, value)
    return Problem(refused.code, message, spans(name) if spans else None, hint, declared(value))


def taking(target: Target, row: Row, operand: str, word: object) -> str:
    """The instructions of which an operand of this name takes a word; empty if none does."""
    if not isinstance(word, Symbol | str):
        return ""
    names = [
        other.name
        for other in target.isa
        if other is not row
        and operand in other.position
        and word in other.operand(operand).kind.words
    ]
    return f"{listed(names, 'and')} take{'s' * (len(names) == 1)} it" if names else ""


def moving(
    target: Target, generation: Generation, row: Row, name: str, value: View | Tensor
) -> str:
    """How a tensor comes from, or to, a memory that an operand does not reach; or nothing."""
    tensor = value.in_order().tensor if isinstance(value, View) else value
    operand, here = row.operand(name), tensor.memory
    reaches = [m for kind in operand.kinds if isinstance(kind, Tile) for m in kind.memories]
    near = generation.memories.get(reaches[0]) if reaches else None
    if near is None:
        return ""
    tile, writes = f"a tile of {near.name}", operand.access != "r"
    if bool(near.partitions) != bool(here.partitions):
        mover = next((r for r in target.isa if _moves(r, near.name, here.name)), None)
        engines = target.engines(mover, generation) if mover is not None else ()
        if mover is None or not engines:
            return ""
        line = f"@{engines[-1]} {mover.name}"
        if writes:
            return f"write {tile} post made, then '{line} {tensor.name}, tile after made'"
        return f"move it first, '{line} tile, {tensor.name} post moved', and read tile after moved"
    if writes:
        sizes = ", ".join(map(str, tensor.shape))
        return f"declare it there: '.{near.name} {tensor.name} {tensor.dtype.name}[{sizes}]'"
    copy = target.computing.get("a", "")
    line = copy.replace("c, a", f"tile, {tensor.name}")
    return f"copy it to {tile} first: '{line}'" if copy else ""


def _moves(row: Row, *memories: str) -> bool:
    """Whether a transfer has two operands that reach some memories, and needs no more."""
    needed = [operand for operand in row.written if operand.default is REQUIRED]
    tiles = [set(k.memories) for o in needed for k in o.kinds if isinstance(k, Tile)]
    return (
        row.effect is Transfer
        and len(needed) == len(tiles) == 2
        and all(each.issuperset(memories) for each in tiles)
    )


def swapped(row: Row, operands: Sequence[object], problems: list[Problem]) -> list[Problem]:
    """One problem instead of two, if each of two operands is where the other belongs."""
    wrong = [
        n for n, o in row.places if operands[n] is not o.default and not _takes(o, operands[n])
    ]
    if len(wrong) != 2:
        return problems
    one, other = (row.operands[n] for n in wrong)
    if not (_takes(one, operands[wrong[1]]) and _takes(other, operands[wrong[0]])):
        return problems
    hint = f"they are the other way round: {one.name} comes first, then {other.name}"
    return [replace(problems[0], hint=hint)]


def _takes(operand: Operand, value: object) -> bool:
    try:
        operand.kind.accept(value)
    except Refused:
        return False
    return True


def of_number(target: Target, row: Row, name: str, operands: Sequence[object]) -> str:
    """The instruction that takes a number where this one takes a tile; or nothing."""
    operand = row.operand(name)
    if not any(isinstance(kind, Tile) for kind in operand.kinds) or operand.access == "w":
        return ""
    words = [value for value in operands if isinstance(value, str)]
    sign = next((sign for sign, word in SIGNS.items() if word in words), "")
    needed = sum(each.default is REQUIRED for each in row.written)
    example = target.computing.get(f"a {sign} 2" if sign else "2" if needed == 2 else "", "")
    return f"a number is taken by {example}" if example else ""
