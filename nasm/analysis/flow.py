"""Where a queue can go: its branches, what can be reached from where, and its loops."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from nasm.base.records import dataclass
from nasm.isa.effects import Jump
from nasm.isa.implicit_kinds import CoreState
from nasm.isa.instruction import Row
from nasm.program.program import Instruction, Program
from nasm.views.view import Reg

DEEPEST = 8
"""How many loops within each other are looked at."""


def written_registers(instruction: Instruction) -> list[int]:
    """The registers that an instruction sets."""
    values = (instruction.operand(operand.name) for operand in instruction.row.writes)
    return [value.number for value in values if isinstance(value, Reg)]


def compared_registers(instruction: Instruction) -> list[int]:
    """The registers that a branch looks at."""
    return [value.number for value in instruction.operands if isinstance(value, Reg)]


def decided_by_core(instruction: Instruction) -> bool:
    """Whether where a branch goes depends on what the core holds."""
    return any(isinstance(operand.kind, CoreState) for operand in instruction.row.reads)


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch at a pc, and where it leads to if it is taken."""

    pc: int
    target: int


@dataclass(frozen=True, slots=True)
class FlowLoop:
    """Blocks of which each can be reached from each.

    ``exits`` are the branches that may lead out of it, by pc.
    """

    blocks: frozenset[int]
    exits: tuple[int, ...]


class Flow:
    """The instructions of a queue as blocks, which are entered at their first one.

    The last block has none: it is the end of the queue. ``branches`` are those of the queue by pc;
    one that compares nothing goes one way only.
    """

    def __init__(self, program: Program, queue: int) -> None:
        lines = program.queues[queue]
        self.program, self.queue, self.length = program, queue, len(lines)
        self.branches: dict[int, Branch] = {}
        self._reachable: dict[int, set[int]] = {}
        if lines.labels:
            jumps = {n for n, i in enumerate(program.instructions) if i.row.effect is Jump}
            for pc, number in enumerate(lines.instructions[: self.length]):
                if number in jumps:
                    label = _label(program.instructions[number])
                    self.branches[pc] = Branch(pc, lines.labels[label])
        leaders = {0, self.length}
        for branch in self.branches.values():
            leaders |= {branch.pc + 1, branch.target}
        self.starts = sorted(leaders)
        self.next = [self._successors(n) for n in range(len(self.starts))]

    @property
    def end(self) -> int:
        """The block that is the end of the queue."""
        return len(self.starts) - 1

    def block(self, pc: int) -> int:
        """The block that an instruction is in."""
        return bisect_right(self.starts, pc) - 1

    def last(self, block: int) -> int:
        """The pc of a block's last instruction."""
        return self.starts[block + 1] - 1

    def pcs(self, block: int) -> range:
        """The instructions of a block."""
        return range(self.starts[block], self.starts[block + 1]) if block < self.end else range(0)

    def _successors(self, block: int) -> tuple[int, ...]:
        if block == self.end:
            return ()
        pc = self.last(block)
        branch = self.branches.get(pc)
        if branch is None:
            return (block + 1,)
        taken = self.block(branch.target)
        instruction = self.program.instruction(self.queue, pc)
        if compared_registers(instruction) or decided_by_core(instruction):
            return (taken, block + 1) if taken != block + 1 else (taken,)
        return (taken,) if _always(instruction) else (block + 1,)

    @cached_property
    def before(self) -> list[list[int]]:
        """The blocks that lead to each block."""
        found: list[list[int]] = [[] for _ in self.next]
        for block, after in enumerate(self.next):
            for other in after:
                found[other].append(block)
        return found

    def reachable_after(self, block: int) -> set[int]:
        """The blocks that can be entered once a block has been left."""
        if block not in self._reachable:
            self._reachable[block] = self._all_reachable_from(block)
        return self._reachable[block]

    def _all_reachable_from(self, block: int) -> set[int]:
        found: set[int] = set()
        left = list(self.next[block])
        while left:
            at = left.pop()
            if at not in found:
                found.add(at)
                left += self.next[at]
        return found

    def leading_to(self, block: int) -> set[int]:
        """The blocks from which a block can be entered, and itself."""
        found, left = {block}, list(self.before[block])
        while left:
            at = left.pop()
            if at not in found:
                found.add(at)
                left += self.before[at]
        return found

    def reaches(self, pc: int, other: int) -> bool:
        """Whether a queue whose head is at a pc may still execute another instruction."""
        here, there = self.block(pc), self.block(other)
        return (here == there and other >= pc) or there in self.reachable_after(here)

    def in_loop(self, pc: int) -> bool:
        """Whether an instruction can be executed more than once."""
        block = self.block(pc)
        return block in self.reachable_after(block)

    # -- loops

    @cached_property
    def loops(self) -> tuple[FlowLoop, ...]:
        """Every loop that can be entered, the outer ones first; what is in too many is left out."""
        if not any(branch.target <= branch.pc for branch in self.branches.values()):
            return ()
        level, loops = [{0} | self.reachable_after(0)], []
        for _ in range(DEEPEST):
            level = [found for blocks in level for found in self._cycles(blocks)]
            for found in level:
                exits = (n for n in sorted(found) if not found.issuperset(self.next[n]))
                loops.append(FlowLoop(frozenset(found), tuple(self.last(n) for n in exits)))
            level = [found - {self._head(found)} for found in level]
        return tuple(loops)

    def _cycles(self, blocks: set[int]) -> list[set[int]]:
        found = _components(blocks, self.next)
        return [one for one in found if len(one) > 1 or one & set(self.next[min(one)])]

    def _head(self, blocks: set[int]) -> int:
        """The first block by which a loop can be entered."""
        entered = [n for n in blocks if n == 0 or not blocks.issuperset(self.before[n])]
        return min(entered or blocks)


def _label(instruction: Instruction) -> str:
    (position,) = instruction.row.labels
    label = instruction.operands[position]
    assert isinstance(label, str)
    return label


def _always(instruction: Instruction) -> bool:
    """Whether a branch that compares no register is taken."""
    row: Row = instruction.row
    jump = row.semantics(*(instruction.operand(operand.name) for operand in row.reads))
    assert isinstance(jump, Jump)
    return jump.target is not None


def _components(blocks: set[int], after: list[tuple[int, ...]]) -> list[set[int]]:
    """The strongly connected components of some blocks, after Tarjan, in order."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    held: set[int] = set()
    found: list[set[int]] = []
    for root in sorted(blocks):
        if root in index:
            continue
        work = [(root, iter(after[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        held.add(root)
        while work:
            block, edges = work[-1]
            for other in edges:
                if other not in blocks:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    held.add(other)
                    work.append((other, iter(after[other])))
                    break
                if other in held:
                    low[block] = min(low[block], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[block])
                if low[block] == index[block]:
                    component: set[int] = set()
                    while block not in component:
                        component.add(stack.pop())
                    held -= component
                    found.append(component)
    return sorted(found, key=min)
