"""Address counters of unpackers and packers (ADC): the instructions that set and step them.

Sources: the pages of ADCs and of each instruction in the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nasm.targets.tensix.state import U32, Coprocessor

X, Y, Z, W = range(4)

Change = tuple[int, int, int]
"""A channel, a dimension, and what is set or added."""


def _chosen(core: Coprocessor, thread: int, CntSetMask: int, override: int = 0) -> Iterator[U32]:
    """The counters of the selected units (unpackers 0 and 1, packers): bits 0 to 2 of a mask.

    They are those of the thread itself, or of thread ``override`` - 1.
    """
    adc = core.threads[override - 1 if override else thread].adc
    return (adc[unit] for unit in range(3) if CntSetMask >> unit & 1)


def _set(core: Coprocessor, units: Iterator[U32], *changes: Change) -> None:
    """Counter and carriage return become a value."""
    widths = core.chip.tiles.counters
    for unit in units:
        for channel, dimension, value in changes:
            unit[channel, dimension] = value & widths[dimension]


def _step(core: Coprocessor, units: Iterator[U32], *changes: Change) -> None:
    """The counter alone is stepped."""
    widths = core.chip.tiles.counters
    for unit in units:
        for channel, dimension, step in changes:
            value = int(unit[channel, dimension, 0]) + step
            unit[channel, dimension, 0] = value & widths[dimension]


def _return(core: Coprocessor, units: Iterator[U32], *changes: Change) -> None:
    """The carriage return is stepped, and the counter goes to it."""
    widths = core.chip.tiles.counters
    for unit in units:
        for channel, dimension, step in changes:
            value = int(unit[channel, dimension, 1]) + step
            unit[channel, dimension] = value & widths[dimension]


def SETADC(
    core: Coprocessor, thread: int, CntSetMask: int, Channel: int, XYZW: int, NewValue: int
) -> None:
    """Set one counter. The top two bits of the 18 override the thread, and are part of X too."""
    _set(core, _chosen(core, thread, CntSetMask, NewValue >> 16), (Channel, XYZW, NewValue))


def SETADCXX(core: Coprocessor, thread: int, CntSetMask: int, X1Val: int, X0Val: int) -> None:
    """Set X of both channels."""
    _set(core, _chosen(core, thread, CntSetMask), (0, X, X0Val), (1, X, X1Val))


def _selected(how: Callable[..., None], first: int, second: int) -> Callable[..., None]:
    """Change those of two dimensions of both channels that ``BitMask`` selects.

    Of the five bits of ``Ch1_Y`` the upper two are what the documentation calls ThreadOverride. The
    fields are called X and Y where they are Z and W, too.
    """
    places = [(channel, dimension) for channel in (0, 1) for dimension in (first, second)]

    def change(
        core: Coprocessor,
        thread: int,
        CntSetMask: int,
        Ch1_Y: int,
        Ch1_X: int,
        Ch0_Y: int,
        Ch0_X: int,
        BitMask: int,
    ) -> None:
        values = Ch0_X, Ch0_Y, Ch1_X, Ch1_Y & 7
        changes = [(*place, value) for place, value in zip(places, values, strict=True)]
        selected = (one for n, one in enumerate(changes) if BitMask >> n & 1)
        how(core, _chosen(core, thread, CntSetMask, Ch1_Y >> 3), *selected)

    return change


def _both(how: Callable[..., None], first: int, second: int) -> Callable[..., None]:
    """Change two dimensions of both channels: all four, as the word has no ``BitMask``."""
    change = _selected(how, first, second)

    def change_all(
        core: Coprocessor,
        thread: int,
        CntSetMask: int,
        Ch1_Y: int,
        Ch1_X: int,
        Ch0_Y: int,
        Ch0_X: int,
    ) -> None:
        change(core, thread, CntSetMask, Ch1_Y, Ch1_X, Ch0_Y, Ch0_X, 0b1111)

    return change_all


SETADCXY, SETADCZW = _selected(_set, X, Y), _selected(_set, Z, W)
"""Set those that are selected."""

INCADCXY, INCADCZW = _both(_step, X, Y), _both(_step, Z, W)
"""Step the counters of both channels; carriage returns stay."""

ADDRCRXY, ADDRCRZW = _selected(_return, X, Y), _selected(_return, Z, W)
"""Step the selected carriage returns, and go back to them."""
