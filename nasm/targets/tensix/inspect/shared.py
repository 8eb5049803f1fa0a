"""What threads share, for display: semaphores, mutexes, configuration, packers, units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from nasm.isa.core_state import Part, Seen
from nasm.targets.tensix.core.tensix import UNITS, Tensix
from nasm.targets.tensix.inspect import put_shared as put
from nasm.targets.tensix.inspect.put import Values, into
from nasm.targets.tensix.scalar.config_fields import FIELDS, GLOBAL, Kind
from nasm.targets.tensix.settings import SETTINGS
from nasm.targets.tensix.state import NO_THREAD, THREADS, U32, Bools
from nasm.targets.tensix.unit_queries import thread_name

# -- semaphores and mutexes


def _semaphores(core: Tensix) -> Seen:
    held = core.semaphores.copy()
    rows = tuple(
        (str(n), str(value), str(most))
        for n, (value, most) in enumerate(held.tolist())
        if value or most
    )
    text = ", ".join(f"{n}: {value} of {most}" for n, value, most in rows)
    return Seen(held, summary=text, heads=(">semaphore", ">value", ">maximum"), rows=rows)


def _mutexes(core: Tensix) -> Seen:
    held = core.mutexes.copy()
    rows = []
    for n, owner in enumerate(held.tolist()):
        wanted = [thread_name(t) for t in range(THREADS) if core.threads[t].wants == n]
        if owner != NO_THREAD or wanted:
            by = "no thread" if owner == NO_THREAD else thread_name(owner)
            rows.append((str(n), by, ", ".join(wanted)))
    text = ", ".join(f"{n} of {by}" + f", for {who}" * bool(who) for n, by, who in rows)
    heads = ">mutex", "held by", "wanted by"
    return Seen(held, held != NO_THREAD, summary=text, heads=heads, rows=tuple(rows))


# -- configuration


def _of_kind(kind: Kind) -> tuple[tuple[str, ...], U32, U32, U32]:
    """Names of the fields of a kind, their words, shifts and masks."""
    found = {name: field for name, field in FIELDS.items() if field.kind == kind}
    words, shifts, masks = (
        np.array([getattr(field, what) for field in found.values()], np.uint32)
        for what in ("word", "shift", "mask")
    )
    return tuple(found), words, shifts, masks


_NAMES, _WORDS, _SHIFTS, _MASKS = _of_kind("config")
_OWN_NAMES, _OWN_WORDS, _OWN_SHIFTS, _OWN_MASKS = _of_kind("thread")


def _config(core: Tensix) -> Seen:
    """Every field in both banks; those that are not 0 as a table."""
    fields = (core.config[:, _WORDS] >> _SHIFTS & _MASKS).T
    rows = []
    for n in np.flatnonzero(fields.any(axis=1)).tolist():
        word = int(_WORDS[n])
        values = ("",) * 2 if word >= GLOBAL else tuple(map(str, fields[n].tolist()))
        same = str(int(fields[n, 0])) if word >= GLOBAL else ""
        rows.append((_NAMES[n], str(word), *values, same))
    heads = "field", ">word", ">bank 0", ">bank 1", ">both"
    text = f"{len(rows)} not 0; {_used(core)}" if rows else ""
    return Seen(np.ascontiguousarray(fields), heads=heads, rows=tuple(rows), summary=text)


def _used(core: Tensix) -> str:
    banks = (f"t{t} uses bank {int(own.config[0]) & 1}" for t, own in enumerate(core.threads))
    return ", ".join(banks)


def _own_config(core: Tensix) -> Seen:
    held = np.stack([own.config for own in core.threads]).astype(np.uint32)
    fields = (held[:, _OWN_WORDS] >> _OWN_SHIFTS & _OWN_MASKS).T
    rows = tuple(
        (thread_name(t), _OWN_NAMES[n], str(int(_OWN_WORDS[n])), str(int(fields[n, t])))
        for t in range(THREADS)
        for n in np.flatnonzero(fields[:, t]).tolist()
    )
    heads = "thread", "field", ">word", ">value"
    text = f"{len(rows)} not 0" if rows else ""
    return Seen(np.ascontiguousarray(fields), summary=text, heads=heads, rows=rows)


def _put_config(core: Tensix, values: Values, which: Bools) -> None:
    put.fields(core, _NAMES, values, which)


def _put_own_config(core: Tensix, values: Values, which: Bools) -> None:
    put.own_fields(core, _OWN_NAMES, values, which)


def _words(names: tuple[str, ...]) -> dict[str, Mapping[str, int]]:
    """The words for values of fields, such as formats."""
    offered = SETTINGS.offered
    return {name: offered[name].words for name in names if offered[name].words}


# -- packers, units


def _packers(core: Tensix) -> Seen:
    rows = []
    for n, packer in enumerate(core.packers):
        fresh = bool(packer.needs_address.all()) and packer.position == (0, 0, 0)
        if fresh and not (packer.buffered.any() or packer.offset):
            continue
        address = "to be taken" if packer.needs_address[2] else f"{int(packer.addresses[2]):#x}"
        x, y, z = packer.position
        waiting = int(packer.buffered[2])
        rows.append((str(n), address, f"{x}, {y}, {z}", str(waiting), f"{packer.offset:#x}"))
    heads = ">packer", "next byte of L1", "x, y, z in the tile", ">bytes waiting", "offset"
    text = ", ".join(f"{n} at {address}" for n, address, *_ in rows)
    return Seen(summary=text, heads=heads, rows=tuple(rows))


def _busy(core: Tensix) -> Iterator[tuple[str, str, str]]:
    now = core.around.now
    for at, unit in enumerate(UNITS):
        for thread in range(THREADS):
            until = core.until[THREADS * at + thread]
            if until > now:
                yield unit, thread_name(thread), str(until)
            elif core.busy(unit, thread):
                yield unit, thread_name(thread), ""


def _units(core: Tensix) -> Seen:
    rows = tuple(_busy(core))
    busy = dict.fromkeys(unit for unit, *_ in rows)
    ahead = len(core.entries)
    text = f"{', '.join(busy)} busy" if busy else ""
    if ahead:
        text += f"{'; ' if text else ''}{ahead} to complete"
    return Seen(heads=("unit", "with", ">until tick"), rows=rows, summary=text)


PARTS: Final = (
    Part("semaphores", "the eight semaphores: value and maximum", _semaphores,
         tuple(f"semaphore{n}" for n in range(8)),
         put=into(lambda core: core.semaphores, "a semaphore", 15)),
    Part("mutexes", "the mutexes, and the thread that holds each", _mutexes,
         tuple(f"mutex{n}" for n in range(8)), put=put.mutexes,
         words={f"mutex{n}": put.OWNERS for n in range(8)}),
    Part("config", "fields of the configuration that are not 0, by bank", _config, _NAMES,
         put=_put_config, words=_words(_NAMES)),
    Part("thread_config", "fields of the threads' own configuration that are not 0", _own_config,
         _OWN_NAMES, by_queue=True, put=_put_own_config, words=_words(_OWN_NAMES)),
    Part("packers", "what packers continue with", _packers),
    Part("units", "units at work, for which thread, and until when", _units),
)  # fmt: skip
"""What is there once for all threads, and each thread's configuration."""
