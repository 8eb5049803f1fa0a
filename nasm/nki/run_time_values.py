"""What a kernel cannot do with tensors and registers: what they hold comes with the run."""

from __future__ import annotations

from typing import Any, NoReturn

from nasm.nki.errors import NOT_NKI, refuse

OPERATORS = {
    "+": ("add", "add radd iadd"),
    "-": ("subtract", "sub rsub isub"),
    "*": ("multiply", "mul rmul imul"),
    "/": ("divide", "truediv rtruediv itruediv"),
    "//": ("divide", "floordiv rfloordiv ifloordiv"),
    "%": ("mod", "mod rmod imod"),
    "**": ("power", "pow rpow ipow"),
    "@": ("matmul", "matmul rmatmul imatmul"),
    "<": ("less", "lt"),
    "<=": ("less_equal", "le"),
    ">": ("greater", "gt"),
    ">=": ("greater_equal", "ge"),
    "&": ("bitwise_and", "and rand iand"),
    "|": ("bitwise_or", "or ror ior"),
    "^": ("bitwise_xor", "xor rxor ixor"),
    "<<": ("left_shift", "lshift rlshift ilshift"),
    ">>": ("right_shift", "rshift rrshift irshift"),
    "unary -": ("negative", "neg"),
    "abs()": ("abs", "abs"),
    "~": ("invert", "invert"),
}
"""Python's operators: the function of nki.language to write instead, and Python's methods."""


class Uncalculated:
    """What Python cannot calculate with, or compare to a number: its value comes with the run."""

    __slots__ = ()
    WHAT, INSTEAD = "", ""

    def __eq__(self, other: object) -> bool:
        if isinstance(other, bool | int | float):
            hint = self.INSTEAD.format("equal")
            refuse(f"{self!r} == {other!r}: {self.WHAT} have no operators", hint)
        return self is other

    def __hash__(self) -> int:
        return id(self)


class UnknownTensor(Uncalculated):
    """A tensor: has a name, and elements that exist when the program runs."""

    __slots__ = ()
    WHAT = "tensors"
    INSTEAD = "nl.{} makes a new tile, a call of nki.isa writes one"

    @property
    def name(self) -> str:
        """What it is called."""
        raise NotImplementedError

    def __setitem__(self, key: Any, value: Any) -> None:
        refuse(
            f"an assignment to elements of {self.name}: a tensor is written by a call",
            "nisa.tensor_copy(dst=…, src=…) on chip, nisa.dma_copy or nl.store for HBM; "
            "assignments were NKI 0.1's: see the NKI Beta 2 migration guide",
            NOT_NKI,
        )

    @property
    def size(self) -> int:
        """How many elements it has."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        """That it is there: kernels ask so whether they were given something.

        Of a single element that may be a question for what it holds.
        """
        if self.size == 1:
            refuse(
                f"a branch on what {self.name} holds: that is known when the program runs",
                "load it into a register and loop on that, or compute both and nl.where; "
                "whether there is a tensor, write as: is not None",
            )
        return True

    def __int__(self) -> int:
        refuse(
            f"{self.name} as a number: what it holds is known when the program runs",
            "nisa.register_load gives a register, which addresses and bounds loops",
        )

    __index__ = __float__ = __int__

    def __iter__(self) -> NoReturn:
        refuse(f"a loop over {self.name}: index it, as in {self.name}[i]")


def _refused(sign: str, function: str) -> Any:
    def refused(self: Uncalculated, *others: object) -> NoReturn:
        hint = self.INSTEAD.format(function)
        refuse(f"{sign} of {self!r}: {self.WHAT} have no operators", hint)

    return refused


for _sign, (_function, _methods) in OPERATORS.items():
    for _method in _methods.split():
        setattr(Uncalculated, f"__{_method}__", _refused(_sign, _function))
