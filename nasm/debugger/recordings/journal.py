"""Changes by hand as data, and data as changes: each is made again from what a user could type."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.debugger.changing import part_setting, setting
from nasm.debugger.changing.changes import (
    Divert,
    HandChange,
    SetBytes,
    SetElements,
    SetPart,
    SetRegister,
    SetSemaphore,
    addressed,
)
from nasm.debugger.recordings.arrays import KeptArrays
from nasm.language.objects.bodies import Fields
from nasm.language.objects.sections import damaged
from nasm.runs.execution import Execution
from nasm.sim.memory import Array

SKIP = "skip"


def written(run: Execution, change: HandChange, arrays: KeptArrays) -> dict[str, Any]:
    """A change that is no typed line, as data."""
    return {"text": change.text, **_what(run, change, arrays)}


def _what(run: Execution, change: HandChange, arrays: KeptArrays) -> dict[str, Any]:
    program = run.program
    match change:
        case SetElements():
            number = arrays.number(change.values[0][1])
            return {"do": "elements", "place": change.place, "array": number}
        case SetBytes():
            number = arrays.number(change.values)
            place = {"memory": change.memory, "core": change.core, "address": change.address}
            return {"do": "bytes", **place, "array": number}
        case SetPart():
            return {"do": "part", "place": change.place, "array": arrays.number(change.values)}
        case SetSemaphore():
            name = program.semaphore_name(change.number)
            return {"do": "semaphore", "name": name, "value": change.value}
        case SetRegister():
            engine, number = program.queue_name(change.queue), change.number
            return {"do": "register", "engine": engine, "number": number, "value": change.value}
        case Divert():
            engine = program.queue_name(change.queue)
            if change.text.startswith(SKIP):
                return {"do": "skip", "engine": engine}
            return {"do": "pc", "engine": engine, "pc": int(change.pc)}
    raise AssertionError(change)


def read(run: Execution, fields: Fields, arrays: list[Array]) -> HandChange:
    """The change that data says, for the moment at which the run is; raises Refused or Failure."""
    made: Any = _read(run, fields, arrays)
    return cast("HandChange", replace(made, text=fields.get("text", str)))


def _read(run: Execution, fields: Fields, arrays: list[Array]) -> HandChange:
    do: str = fields.get("do", str)
    match do:
        case "elements":
            return _elements(run, fields, _array(fields, arrays))
        case "bytes":
            return _bytes(run, fields, _array(fields, arrays))
        case "part":
            return _part(run, fields, _array(fields, arrays))
        case "semaphore":
            name, value = fields.get("name", str), fields.get("value", int)
            return setting.setting(run, f"${name}", value)
        case "register":
            place = f"@{fields.get('engine', str)} %r{fields.get('number', int)}"
            return setting.setting(run, place, fields.get("value", int))
        case "skip":
            return setting.skipping(run, fields.get("engine", str))
        case "pc":
            return setting.going_on_at(run, fields.get("engine", str), fields.get("pc", int))
    raise damaged("it has a change of no known kind")


def _array(fields: Fields, arrays: list[Array]) -> Array:
    number: int = fields.get("array", int)
    if not 0 <= number < len(arrays):
        raise damaged(f"it has no array {number}")
    return arrays[number]


def _elements(run: Execution, fields: Fields, values: Array) -> SetElements:
    """Elements of a tensor: the place is read as if it was typed, the values are as they were."""
    made = setting.setting(run, fields.get("place", str), values)
    if not isinstance(made, SetElements):
        raise damaged("a place in it is no tensor")
    stored = made.values[0][1]
    if (stored.dtype, stored.shape) != (values.dtype, values.shape):
        raise Refused("E0848", f"{made.place} does not hold {values.dtype}{list(values.shape)}")
    view = made.values[0][0]
    return replace(made, values=((view, values),))


def _bytes(run: Execution, fields: Fields, values: Array) -> SetBytes:
    """Bytes of a core's memory, which is there and has them."""
    memory, core = fields.get("memory", str), fields.get("core", int)
    address: int = fields.get("address", int)
    if (values.dtype, values.ndim) != (np.dtype(np.uint8), 1):
        raise damaged("the bytes of a change in it are none")
    addressed(run.machine, memory, core).look(address, len(values))
    return SetBytes("", memory, core, address, values.astype(np.uint8))


def _part(run: Execution, fields: Fields, values: Array) -> SetPart:
    place = fields.get("place", str)
    made = part_setting.setting(run, place, "", 0)
    if made is None:
        raise damaged("a place in it is no part of a core")
    if (made.values.dtype, made.values.shape) != (values.dtype, values.shape):
        raise Refused("E0848", f"{place} does not hold {values.dtype}{list(values.shape)}")
    return replace(made, values=values)
