"""Address counters of unpackers and packers (ADC): the instructions that set and step them.

Sources: the pages of ADCs and of each instruction in the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nasm.targets.tensix.state import U32, Coprocessor

WIDTHS: Final = (0x3FFFF, 0x1FFF, 0xFF, 0xFF)
"""The bits of X, Y, Z and W, and of their carriage returns."""
X, Y, Z, W = range(4)

Change = tuple[int, int, int]
"""A channel, a dimension, and what is set or added."""


def chosen(
    core: Coprocessor, thread: int, U0: int, U1: int, PK: int, ThreadOverride: int = 0
) -> Iterator[U32]:
    """The counters of the selected units: the thread's own, or those of ``ThreadOverride`` - 1."""
    adc = core.threads[ThreadOverride - 1 if ThreadOverride else thread].adc
    return (adc[who] for who, yes in enumerate((U0, U1, PK)) if yes)


def _set(units: Iterator[U32], *changes: Change) -> None:
    """Counter and carriage return become a value."""
    for unit in units:
        for channel, dimension, value in changes:
            unit[channel, dimension] = value & WIDTHS[dimension]


def _step(units: Iterator[U32], *changes: Change) -> None:
    """The counter alone is stepped."""
    for unit in units:
        for channel, dimension, step in changes:
            value = int(unit[channel, dimension, 0]) + step
            unit[channel, dimension, 0] = value & WIDTHS[dimension]


def _return(units: Iterator[U32], *changes: Change) -> None:
    """The carriage return is stepped, and the counter goes to it."""
    for unit in units:
        for channel, dimension, step in changes:
            value = int(unit[channel, dimension, 1]) + step
            unit[channel, dimension] = value & WIDTHS[dimension]


def SETADC(
    core: Coprocessor,
    thread: int,
    PK: int,
    U1: int,
    U0: int,
    Channel: int,
    XYZW: int,
    NewValue: int,
) -> None:
    """Set one counter. The top two bits of the 18 override the thread, and are part of X too."""
    _set(chosen(core, thread, U0, U1, PK, NewValue >> 16), (Channel, XYZW, NewValue))


def SETADCXX(
    core: Coprocessor, thread: int, PK: int, U1: int, U0: int, X1Val: int, X0Val: int
) -> None:
    """Set X of both channels."""
    _set(chosen(core, thread, U0, U1, PK), (0, X, X0Val), (1, X, X1Val))


def SETADCXY(
    core: Coprocessor,
    thread: int,
    PK: int,
    U1: int,
    U0: int,
    ThreadOverride: int,
    Y1Val: int,
    X1Val: int,
    Y0Val: int,
    X0Val: int,
    Y1: int,
    X1: int,
    Y0: int,
    X0: int,
) -> None:
    """Set those of X and Y that are selected."""
    units = chosen(core, thread, U0, U1, PK, ThreadOverride)
    _set(units, *_selected((X, Y), (X0, Y0, X1, Y1), (X0Val, Y0Val, X1Val, Y1Val)))


def SETADCZW(
    core: Coprocessor,
    thread: int,
    PK: int,
    U1: int,
    U0: int,
    ThreadOverride: int,
    W1Val: int,
    Z1Val: int,
    W0Val: int,
    Z0Val: int,
    W1: int,
    Z1: int,
    W0: int,
    Z0: int,
) -> None:
    """Set those of Z and W that are selected."""
    units = chosen(core, thread, U0, U1, PK, ThreadOverride)
    _set(units, *_selected((Z, W), (Z0, W0, Z1, W1), (Z0Val, W0Val, Z1Val, W1Val)))


def INCADCXY(
    core: Coprocessor,
    thread: int,
    PK: int,
    U1: int,
    U0: int,
    ThreadOverride: int,
    Y1Inc: int,
    X1Inc: int,
    Y0Inc: int,
    X0Inc: int,
) -> None:
    """Step X and Y of both channels; carriage returns stay."""
    units = chosen(core, thread, U0, U1, PK, ThreadOverride)
    _step(units, (0, X, X0Inc), (0, Y, Y0Inc), (1, X, X1Inc), (1, Y, Y1Inc))


def INCADCZW(
    core: Coprocessor,
    thread: int,
    PK: int,
    U1: int,
    U0: int,
    ThreadOverride: int,
    W1Inc: int,
    Z1Inc: int,
    W0Inc: int,
    Z0Inc: int,
) -> None:
    """Step Z and W of both channels; carriage returns stay."""
    units = chosen(core, thread, U0, U1, PK, ThreadOverride)
    _step(units, (0, Z, Z0Inc), (0, W, W0Inc), (1, Z, Z1Inc), (1, W, W1Inc))


def ADDRCRXY(
    core: Coprocessor,
    thread: int,
    PK: int,
    U1: int,
    U0: int,
    ThreadOverride: int,
    Y1Inc: int,
    X1Inc: int,
    Y0Inc: int,
    X0Inc: int,
    Y1: int,
    X1: int,
    Y0: int,
    X0: int,
) -> None:
    """Step the selected carriage returns of X and Y, and go back to them."""
    units = chosen(core, thread, U0, U1, PK, ThreadOverride)
    _return(units, *_selected((X, Y), (X0, Y0, X1, Y1), (X0Inc, Y0Inc, X1Inc, Y1Inc)))


def ADDRCRZW(
    core: Coprocessor,
    thread: int,
    PK: int,
    U1: int,
    U0: int,
    ThreadOverride: int,
    W1Inc: int,
    Z1Inc: int,
    W0Inc: int,
    Z0Inc: int,
    W1: int,
    Z1: int,
    W0: int,
    Z0: int,
) -> None:
    """Step the selected carriage returns of Z and W, and go back to them."""
    units = chosen(core, thread, U0, U1, PK, ThreadOverride)
    _return(units, *_selected((Z, W), (Z0, W0, Z1, W1), (Z0Inc, W0Inc, Z1Inc, W1Inc)))


def _selected(
    dimensions: tuple[int, int], which: tuple[int, ...], values: tuple[int, ...]
) -> list[Change]:
    """The changes of two dimensions of channel 0, then of channel 1, that are selected."""
    places = [(channel, dimension) for channel in (0, 1) for dimension in dimensions]
    return [(*p, v) for p, yes, v in zip(places, which, values, strict=True) if yes]
