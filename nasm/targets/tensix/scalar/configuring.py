"""Instructions that read and write the configuration: of threads, of banks, and of the scalar unit.

Sources: the pages of the configuration unit and of the instructions in the public ISA documentation
of Wormhole B0; RDCFG, which has no page, as the public simulator has it.
"""

from __future__ import annotations

from collections.abc import Callable

from nasm.base.problems import Refused
from nasm.targets.tensix import streams
from nasm.targets.tensix.scalar import config
from nasm.targets.tensix.scalar.gprs import quad
from nasm.targets.tensix.state import THREADS, Coprocessor

Later = Callable[[], None]


def SETC16(core: Coprocessor, thread: int, CfgIndex: int, NewValue: int) -> None:
    """Write a word of the thread's own configuration; raises Refused outside of it."""
    config.write_thread(core, thread, CfgIndex, NewValue)


def WRCFG(core: Coprocessor, thread: int, InputReg: int, Is128Bit: int, CfgIndex: int) -> Later:
    """Write a register, or an aligned quad to four aligned words, of the thread's bank.

    The next instruction does not see it yet: it is written at completion.
    """
    words = written_by_WRCFG(core, Is128Bit, CfgIndex)
    own = core.threads[thread].registers
    values = (quad(core, thread, InputReg) if Is128Bit else own[InputReg:][:1]).tolist()
    return writing(core, thread, words, values)


def writing(core: Coprocessor, thread: int, words: range, values: list[int]) -> Later:
    """What writes words of the bank that the thread uses now."""
    chosen = config.bank(core, thread)

    def write() -> None:
        for number, value in zip(words, values, strict=True):
            config.write_bank(core, chosen, number, value)

    return write


def RDCFG(core: Coprocessor, thread: int, GprAddress: int, CfgReg: int) -> None:
    """Read a word of the thread's bank into a register.

    The next instruction finds it there: tt-llk adds to the register in the next one, and waits for
    nothing, where it steps the addresses of a product's tiles. Raises Refused for one that a thread
    does not have: the field is wider than there are registers.
    """
    registers = core.threads[thread].registers
    if GprAddress >= len(registers):
        message = f"a thread has registers 0 to {len(registers) - 1}, found {GprAddress}"
        raise Refused("E0701", message)
    registers[GprAddress] = config.read(core, thread, CfgReg)


def _rmwcib(byte: int) -> Callable[[Coprocessor, int, int, int, int], None]:
    def write(core: Coprocessor, thread: int, Mask: int, NewValue: int, Index4: int) -> None:
        """Write those bits of a byte of a word of the thread's bank that a mask selects."""
        config.write_bits(core, thread, Index4, NewValue << 8 * byte, Mask << 8 * byte)

    return write


RMWCIB0, RMWCIB1, RMWCIB2, RMWCIB3 = map(_rmwcib, range(4))
"""By the byte within the word, the lowest first."""


def STREAMWRCFG(
    core: Coprocessor, thread: int, StreamSelect: int, RegIndex: int, CfgIndex: int
) -> Later:
    """Write a register of a stream of the overlay to a word of the thread's bank, at completion.

    The register is read as it starts. Source: its page in the documentation of Blackhole A0.
    """
    words = core.layout.words
    if CfgIndex >= words:
        raise Refused("E0701", f"the configuration has words 0 to {words - 1}; found {CfgIndex}")
    value = streams.read(core, streams.selected(core, thread, StreamSelect), RegIndex)
    return writing(core, thread, range(CfgIndex, CfgIndex + 1), [value])


def REG2FLOP_ADC(
    core: Coprocessor,
    thread: int,
    SizeSel: int,
    OverrideThread: int,
    Shift8: int,
    ThreadSel: int,
    Channel: int,
    ADCSel: int,
    Cr: int,
    XYZW: int,
    InputReg: int,
) -> None:
    """Write part of a register to an address counter, or to its carriage return, and not to both.

    There is no thread 3 and no unit 3: a write there is lost.
    """
    owner = ThreadSel if OverrideThread else thread
    if owner >= THREADS or ADCSel == 3:
        return
    value = _part(int(core.threads[thread].registers[InputReg]), SizeSel, Shift8)
    core.threads[owner].adc[ADCSel, Channel, XYZW, Cr] = value & core.chip.tiles.counters[XYZW]


def CFGSHIFTMASK(
    core: Coprocessor,
    thread: int,
    MaskMode: int,
    AluMode: int,
    MaskWidth: int,
    RotateAmt: int,
    ScratchIndex: int,
    CfgIndex: int,
) -> Later:
    """Combine a word of the thread's bank with a scratch word, masked and then rotated.

    It is written at completion. Source: its page in the ISA documentation of Blackhole A0.
    """
    which = ScratchIndex if ScratchIndex < 3 else thread
    mask = (2 << MaskWidth) - 1 & _WORD
    scratch = _rotated(config.field(core, thread, f"SCRATCH_SEC{which}_val") & mask, RotateAmt)
    old = config.read(core, thread, CfgIndex)
    if MaskMode == 0:
        old &= ~_rotated(mask, RotateAmt)
    value = _COMBINED[AluMode](old, scratch) & _WORD
    return writing(core, thread, range(CfgIndex, CfgIndex + 1), [value])


_WORD = 0xFFFFFFFF
_COMBINED: tuple[Callable[[int, int], int], ...] = (
    lambda old, scratch: old | scratch,
    lambda old, scratch: old & scratch,
    lambda old, scratch: old ^ scratch,
    lambda old, scratch: old + scratch,
    lambda old, scratch: old | ~scratch,
    lambda old, scratch: old & ~scratch,
    lambda old, scratch: old ^ ~scratch,
    lambda old, scratch: old - scratch,
)
"""By AluMode."""


def _rotated(value: int, by: int) -> int:
    """A word rotated to the right."""
    return (value >> by | value << 32 - by) & _WORD


def _part(value: int, size: int, shift: int) -> int:
    """All of a register, a half or a byte: sizes 1 to 3; 0 where no part begins."""
    parts = {1: (0xFFFFFFFF, (0,)), 2: (0xFFFF, (0, 2)), 3: (0xFF, (0, 1, 2, 3))}
    bits, starts = parts.get(size, (0, ()))
    return value >> 8 * shift & bits if shift in starts else 0


def written_by_WRCFG(core: Coprocessor, Is128Bit: int, CfgIndex: int) -> range:
    """The words of the bank that WRCFG writes; raises Refused outside of it."""
    first, count = (CfgIndex & ~3, 4) if Is128Bit else (CfgIndex, 1)
    words = core.layout.words
    if CfgIndex >= words:
        raise Refused("E0701", f"the configuration has words 0 to {words - 1}; found {CfgIndex}")
    return range(first, first + count)
