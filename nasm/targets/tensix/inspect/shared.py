"""What threads share, for display: semaphores, mutexes, configuration, packers, units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from nasm.isa.core_state import Part, Seen
from nasm.isa.settings import Settings
from nasm.targets.tensix.core.tensix import UNITS, Tensix
from nasm.targets.tensix.inspect import put_shared as put
from nasm.targets.tensix.inspect.put import Values, into
from nasm.targets.tensix.layouts.layout import ConfigLayout, Kind
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


class _Columns(NamedTuple):
    """The fields of a kind: their names, words, shifts and masks."""

    names: tuple[str, ...]
    words: U32
    shifts: U32
    masks: U32


@cache
def _of_kind(layout: ConfigLayout, kind: Kind) -> _Columns:
    found = {name: field for name, field in layout.fields.items() if field.kind == kind}
    words, shifts, masks = (
        np.array([getattr(field, what) for field in found.values()], np.uint32)
        for what in ("word", "shift", "mask")
    )
    return _Columns(tuple(found), words, shifts, masks)


def _config(core: Tensix) -> Seen:
    """Every field in both banks; those that are not 0 as a table."""
    of = _of_kind(core.layout, "config")
    fields = (core.config[:, of.words] >> of.shifts & of.masks).T
    rows = []
    for n in np.flatnonzero(fields.any(axis=1)).tolist():
        word = int(of.words[n])
        shared = word >= core.layout.shared
        values = ("",) * 2 if shared else tuple(map(str, fields[n].tolist()))
        same = str(int(fields[n, 0])) if shared else ""
        rows.append((of.names[n], str(word), *values, same))
    heads = "field", ">word", ">bank 0", ">bank 1", ">both"
    text = f"{len(rows)} not 0; {_used(core)}" if rows else ""
    return Seen(np.ascontiguousarray(fields), heads=heads, rows=tuple(rows), summary=text)


def _used(core: Tensix) -> str:
    banks = (f"t{t} uses bank {int(own.config[0]) & 1}" for t, own in enumerate(core.threads))
    return ", ".join(banks)


def _own_config(core: Tensix) -> Seen:
    held = np.stack([own.config for own in core.threads]).astype(np.uint32)
    of = _of_kind(core.layout, "thread")
    fields = (held[:, of.words] >> of.shifts & of.masks).T
    rows = tuple(
        (thread_name(t), of.names[n], str(int(of.words[n])), str(int(fields[n, t])))
        for t in range(THREADS)
        for n in np.flatnonzero(fields[:, t]).tolist()
    )
    heads = "thread", "field", ">word", ">value"
    text = f"{len(rows)} not 0" if rows else ""
    return Seen(np.ascontiguousarray(fields), summary=text, heads=heads, rows=rows)


def _put_config(core: Tensix, values: Values, which: Bools) -> None:
    put.fields(core, _of_kind(core.layout, "config").names, values, which)


def _put_own_config(core: Tensix, values: Values, which: Bools) -> None:
    put.own_fields(core, _of_kind(core.layout, "thread").names, values, which)


def _words(settings: Settings, names: tuple[str, ...]) -> dict[str, Mapping[str, int]]:
    """The words for values of fields, such as formats."""
    offered = settings.offered
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


def shared_parts(layout: ConfigLayout, settings: Settings) -> tuple[Part, ...]:
    """What is there once for all threads, and each thread's configuration, of a generation."""
    names, own = (_of_kind(layout, kind).names for kind in ("config", "thread"))
    return (
        Part(
            "semaphores",
            "the eight semaphores: value and maximum",
            _semaphores,
            tuple(f"semaphore{n}" for n in range(8)),
            put=into(lambda core: core.semaphores, "a semaphore", 15),
        ),
        Part(
            "mutexes",
            "the mutexes, and the thread that holds each",
            _mutexes,
            tuple(f"mutex{n}" for n in range(8)),
            put=put.mutexes,
            words={f"mutex{n}": put.OWNERS for n in range(8)},
        ),
        Part(
            "config",
            "fields of the configuration that are not 0, by bank",
            _config,
            names,
            put=_put_config,
            words=_words(settings, names),
        ),
        Part(
            "thread_config",
            "fields of the threads' own configuration that are not 0",
            _own_config,
            own,
            by_queue=True,
            put=_put_own_config,
            words=_words(settings, own),
        ),
        Part("packers", "what packers continue with", _packers),
        Part("units", "units at work, for which thread, and until when", _units),
    )
