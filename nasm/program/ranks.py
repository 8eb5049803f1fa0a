"""Whether the collectives of a program fit the number of its ranks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from nasm.base.problems import Failure, Problem, Refused, counted
from nasm.base.records import replace
from nasm.isa.collectives import CollectiveBuffer, CollectiveCall, Group, RankExchanges
from nasm.isa.effects import RankExchange, moved
from nasm.program.footprint.traits import Traits
from nasm.program.program import RANKS, Instruction, Program
from nasm.views.view import View

NO_RANK, MISFIT = "E0250", "E0412"


def check_ranks(program: Program, first: int = 0) -> list[Problem]:
    """Errors in the groups and shapes of collectives, each at the first line that has it.

    Only instructions from one on are looked at.
    """
    collectives = program.target.collectives
    if collectives is None:
        return []
    wrong = {
        number: found
        for number, instruction in enumerate(islice(program.instructions, first, None), first)
        if instruction.row.effect is RankExchange
        and (found := next(_wrong(program, collectives, instruction), None)) is not None
    }
    problems: list[Problem] = []
    for queue, lines in enumerate(program.queues if wrong else ()):
        for pc, number in enumerate(lines.instructions):
            refused = wrong.pop(number, None)
            if refused is not None:
                problems.append(refused.at(program.span(queue, pc)))
    return problems


def _wrong(
    program: Program, collectives: RankExchanges, instruction: Instruction
) -> Iterator[Refused]:
    effect = effect_of(instruction)
    if effect is None:
        return
    groups = effect.groups or (tuple(range(program.ranks)),)
    for group in groups:
        absent = next((rank for rank in group if rank >= program.ranks), None)
        if absent is not None:
            have = f"ranks 0 to {program.ranks - 1}" if program.ranks > 1 else "rank 0 alone"
            hint = f".ranks {absent + 1}, or --ranks {absent + 1}, makes as many"
            yield Refused(NO_RANK, f"no rank {absent}: the program has {have}", hint)
            return
        text = collectives.misfit(call_of(effect, group))
        if text:
            yield Refused(MISFIT, text, "--ranks and .ranks say how many ranks there are")
            return


def with_ranks(program: Program, ranks: int | None) -> Program:
    """A program for so many ranks, None for those that it says; raises Failure if one misfits."""
    if ranks is None or ranks == program.ranks:
        return program
    if RANKS in program.constants:  # shapes and expectations may depend on it
        message = f"the program is assembled for {counted(program.ranks, 'rank')}"
        raise Failure(Problem("E0810", message, None, "give ranks to nasm.assemble"))
    made = replace(program, ranks=ranks)
    problems = check_ranks(made)
    if problems:
        raise Failure(problems)
    return made


def effect_of(instruction: Instruction) -> RankExchange | None:
    """What a collective asks for; None before its shape is known."""
    if instruction.known is None:
        return None
    traits = Traits(instruction.known, 0)
    arguments = traits.arguments.copy()
    for position, at in traits.constants:
        arguments[at] = instruction.operands[position]
    made: RankExchange = traits.row.semantics(*arguments)
    return made


def exchanged(instruction: Instruction) -> tuple[tuple[View, ...], tuple[View, ...]]:
    """What a collective reads and what it writes; nothing before its shape is known."""
    return moved(effect_of(instruction))


def call_of(effect: RankExchange, group: Group) -> CollectiveCall:
    """A collective as each rank of a group asks for it."""
    return CollectiveCall(
        effect.operation,
        group,
        tuple(map(_buffer, effect.destinations)),
        tuple(map(_buffer, effect.sources)),
        effect.options,
    )


def _buffer(view: View) -> CollectiveBuffer:
    return CollectiveBuffer(view.dtype.name, view.shape, view.tensor.memory.name)
