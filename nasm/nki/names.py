"""What kernels name: dtypes, memories, engines and modes, each under AWS's name."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from enum import Enum, IntEnum, StrEnum
from typing import NoReturn

from nasm.base import dtypes
from nasm.base.dtypes import DType as Stored
from nasm.isa.generation import Generation
from nasm.nki.errors import refuse
from nasm.views.view import Reg

TRACED_FOR: ContextVar[Generation | None] = ContextVar("nasm.nki.generation", default=None)
"""The generation that a kernel is being traced for."""

BEFORE = {"float8_e4m3fn": "float8_e4m3"}
"""What a dtype means on generations that do not have it: engines read its bits as these."""


class DType(str):
    """A dtype by AWS's name: a string, which NumPy takes for what it names where it has that.

    Made of any of its names, of NumPy's, ml_dtypes', torch's or JAX's dtype of that name.
    """

    __slots__ = ()

    def __new__(cls, dtype: object) -> DType:
        """One of the dtypes, whatever names it."""
        return dtype if isinstance(dtype, DType) else str.__new__(cls, _named(dtype))

    @property
    def stored(self) -> Stored:
        """The dtype as memories hold it."""
        generation = TRACED_FOR.get()
        name = str(self)
        if generation is not None and name not in generation.dtypes:
            name = BEFORE.get(name, name)
        found = dtypes.find(name)
        assert found is not None, self
        return found

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.stored.itemsize

    @property
    def name(self) -> str:
        """Its name, as a dtype of NumPy has one."""
        return str(self)

    def __str__(self) -> str:
        return str.__str__(self)

    def __repr__(self) -> str:
        return f"nl.{self}"


def _named(dtype: object) -> str:
    """The name of a dtype, however it is given."""
    word = dtype if isinstance(dtype, str) else _word(dtype)
    word = word.removeprefix("torch.")
    word = "bool_" if word == "bool" else word
    found = dtypes.find(word)
    if found is None:
        wide = "no dtype has 64 bits: " if word.endswith("64") else ""
        refuse(f"no dtype {word!r}", f"{wide}for example nl.float32, nl.bfloat16 or nl.int32")
    return word if word in NAMES else found.name


def _word(dtype: object) -> str:
    """The name that an object which is a dtype goes by."""
    if isinstance(dtype, type):
        return dtype.__name__
    own = getattr(dtype, "dtype", dtype)  # a scalar type of JAX has one
    name = getattr(own, "name", None)
    return name if isinstance(name, str) else str(own)


NAMES = (
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
)
"""What AWS calls the dtypes."""

DTYPES = {name: DType(name) for name in NAMES}
"""The dtypes by name."""


class MemoryRegion(StrEnum):
    """Where a tensor is."""

    sbuf = "sbuf"
    psum = "psum"
    private_hbm = "private_hbm"
    shared_hbm = "shared_hbm"

    memory: str
    """The machine's memory."""

    def __init__(self, name: str) -> None:
        self.memory = "hbm" if name.endswith("hbm") else name

    @classmethod
    def _missing_(cls, value: object) -> MemoryRegion:
        if value != "hbm":
            refuse(f"buffer={value!r}: wanted {', '.join(f'nl.{n}' for n in BUFFERS)}")
        return cls.private_hbm

    def __str__(self) -> str:
        return self.value


BUFFERS = ("sbuf", "psum", "hbm", "private_hbm", "shared_hbm")
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


class nc_version(IntEnum):  # noqa: N801
    """The generations; kernels ask whether one is at least another."""

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

    __slots__ = ("frozen", "number")
    WHAT = "registers"
    INSTEAD = "calculate with a tile of one element, and nisa.register_load it"

    def __init__(self, number: int, frozen: bool = False) -> None:
        self.number, self.frozen = number, frozen

    @property
    def named(self) -> Reg:
        """It as an operand, under its number in the trace."""
        return Reg(self.number)

    def __bool__(self) -> bool:
        return CONDITION["while"](self)

    def _number(self, *_: object) -> NoReturn:
        refuse(
            "a register as a number of Python: what it holds is known when the program runs",
            "nl.fori_loop takes one as a bound, x.select(axis, register) as a place; compute in "
            "tiles, and load from there with nisa.register_load",
        )

    __int__ = __index__ = __float__ = __neg__ = __abs__ = __invert__ = _number
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _number
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __mod__ = __rmod__ = _number
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __pow__ = __rpow__ = _number
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _number
    __lt__ = __le__ = __gt__ = __ge__ = _number

    def __eq__(self, other: object) -> bool:
        if self is not other and isinstance(other, int | float | VirtualRegister):
            self._number()
        return self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<register {self.number}>"


CONDITION: dict[str, Callable[[VirtualRegister], bool]] = {}
"""What a register as the condition of a while statement does: :mod:`nasm.nki.loops`, which is
written in terms of registers, enters it here."""


class ds:  # noqa: N801
    """A window: a start, which a register may hold, and a length."""

    __slots__ = ("size", "start")

    def __init__(self, start: object, size: int) -> None:
        self.start, self.size = start, size

    def __repr__(self) -> str:
        return f"nl.ds({self.start}, {self.size})"
