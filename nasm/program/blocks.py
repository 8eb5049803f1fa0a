"""Blocks whose tensors live until their end: what may no longer be used after it."""

from __future__ import annotations

from nasm.base.problems import Note, Refused
from nasm.base.source import Span
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.list_kinds import mentioned
from nasm.program.program import Instruction
from nasm.views.tensor import Tensor
from nasm.views.view import View

OVER, FILLED = "E0240", "E0241"


class Blocks:
    """The blocks of a program: which are open, and which tensors were declared in one.

    ``over`` are those of blocks that have ended, with where. In ``use`` are all of a program
    that runs: what a block declares in a text that adds to it shares bytes with none.
    """

    def __init__(self) -> None:
        self._open: list[int] = []
        self._count = 0
        self.use = False
        self.held: dict[int, Tensor] = {}
        self.over: dict[int, Span | None] = {}
        self._before: dict[int, Span | None] = {}
        self._mentioned: dict[int, tuple[int, ...]] = {}

    def keep(self) -> None:
        """A text begins: what has ended before stays so."""
        self._before = dict(self.over)

    def forget(self) -> None:
        """Forget which blocks have ended in the text."""
        self.over = dict(self._before)

    def begin(self) -> None:
        """A block begins."""
        self._count += 1
        self._open.append(self._count)

    def end(self, span: Span | None) -> None:
        """The innermost block ends."""
        number = self._open.pop()
        for index, tensor in self.held.items():
            if number in tensor.block:
                self.over.setdefault(index, span)

    def hold(self, tensor: Tensor) -> None:
        """Note a tensor on a chip that is declared in a block; refuses one with initial values."""
        if (
            not self._open
            or self.use
            or tensor.memory.shared
            or not tensor.memory.size
            or tensor.fixed
        ):
            return
        if tensor.init is not None:
            text = (
                f"{tensor.name} has initial values, which another tensor of its block's bytes may"
            )
            raise Refused(FILLED, f"{text} overwrite before", "declare it outside of the '.scope'")
        tensor.block = tuple(self._open)
        self.held[tensor.index] = tensor

    def check(self, number: int, instruction: Instruction) -> None:
        """Refuse an instruction that mentions a tensor of a block that has ended."""
        named = self._mentioned.get(number)
        if named is None:
            named = self._mentioned[number] = _named(instruction)
        for index in named:
            if index in self.over:
                name = self.held[index].name
                notes = (Note("it ends here", self.over[index]),) if self.over[index] else ()
                raise Refused(
                    OVER,
                    f"{name} belongs to a '.scope' that has ended: its bytes may be another's now",
                    "use it before the '.end', or declare it outside of the '.scope'",
                    notes,
                )


def _named(instruction: Instruction) -> tuple[int, ...]:
    """The indices of the tensors that an instruction mentions."""
    kinds = View, tuple, DeclaredTransfer
    named = [operand for operand in instruction.operands if isinstance(operand, kinds)]
    return tuple(tensor.index for operand in named for tensor in mentioned(operand))
