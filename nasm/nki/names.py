"""What kernels name: dtypes, memories, engines and modes, each under AWS's name."""

from __future__ import annotations

from enum import Enum, StrEnum

from nasm import dtypes
from nasm.dtypes import DType as Stored
from nasm.spec.view import Reg


class DType(str):
    """A dtype by AWS's name: a string, which also is what NumPy would make of it."""

    __slots__ = ()

    @property
    def stored(self) -> Stored:
        """The dtype as memories hold it."""
        found = dtypes.find(str(self))
        assert found is not None, self
        return found

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.stored.itemsize

    def __repr__(self) -> str:
        return f"nl.{self}"


DTYPES = {
    name: DType(name)
    for name in [
        "bool_",
        "int8",
        "int16",
        "int32",
        "uint8",
        "uint16",
        "uint32",
        "float16",
        "float32",
        "bfloat16",
        "tfloat32",
        "float8_e3m4",
        "float8_e4m3",
        "float8_e4m3fn",
        "float8_e5m2",
        "float8_e5m2_x4",
        "float8_e4m3fn_x4",
        "float8_e8m0fnu",
        "float4_e2m1fn_x4",
    ]
}
"""The dtypes by name."""


class MemoryRegion(StrEnum):
    """Where a tensor is."""

    sbuf = "sbuf"
    psum = "psum"
    private_hbm = "private_hbm"
    shared_hbm = "shared_hbm"

    @property
    def memory(self) -> str:
        """The machine's memory."""
        return "hbm" if self.value.endswith("hbm") else self.value

    def __str__(self) -> str:
        return self.value


HBM = MemoryRegion.private_hbm


class engine(Enum):  # noqa: N801  (AWS's names, here and below)
    """Who executes an instruction."""

    tensor = 1
    vector = 5
    scalar = 2
    gpsimd = 3
    dma = 4
    sync = 6
    unknown = 0


class reduce_cmd(Enum):  # noqa: N801
    """What becomes of an engine's accumulators."""

    idle = 0
    reset = 1
    reduce = 2
    reset_reduce = 3
    load_reduce = 4


class dge_mode(Enum):  # noqa: N801
    """Who makes the descriptors of a transfer."""

    unknown = 0
    swdge = 1
    hwdge = 2
    none = 3


class oob_mode(Enum):  # noqa: N801
    """What becomes of an entry that addresses nothing."""

    error = 0
    skip = 1


class matmul_perf_mode(Enum):  # noqa: N801
    """How the systolic array is used."""

    none = "none"
    double_row = "double_row"


class nc_version(Enum):  # noqa: N801
    """The generations."""

    gen2 = 2
    gen3 = 3
    gen4 = 4


class dma_engine(Enum):  # noqa: N801
    """Who moves what cores exchange."""

    dma = 1
    gpsimd_dma = 2


class VirtualRegister:
    """A number that exists when the program runs: no Python number.

    ``number`` tells it from others of the trace; one that is ``frozen`` is a loop's own.
    """

    __slots__ = ("frozen", "number", "owner")

    def __init__(self, number: int, owner: object, frozen: bool = False) -> None:
        self.number, self.owner, self.frozen = number, owner, frozen

    @property
    def named(self) -> Reg:
        """It as an operand, under its number in the trace."""
        return Reg(self.number)

    def __bool__(self) -> bool:
        from nasm.nki.loops import truth

        return truth(self)

    def __int__(self) -> int:
        raise TypeError("a register is no number while the kernel is traced")

    __index__ = __int__

    def __repr__(self) -> str:
        return f"<register {self.number}>"


class ds:  # noqa: N801
    """A window: a start, which a register may hold, and a length."""

    __slots__ = ("size", "start")

    def __init__(self, start: object, size: int) -> None:
        self.start, self.size = start, size
