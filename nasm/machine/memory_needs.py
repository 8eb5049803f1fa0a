"""How much memory of the computer a program will take, estimated before any of it is taken.

Counted is what is going to be touched: the bytes of tensors; the shadow memory of those that are
not initialised as a whole; the copies that going back to the start needs of what is overwritten;
an input that is read from a file; the expectations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import prod

from nasm.base.array_files import ArrayFile
from nasm.base.host_memory import available, room_for
from nasm.base.problems import Failure, Refused, clean
from nasm.language.expectations.memory import memory
from nasm.machine.state import groups, room
from nasm.machine.writers import written
from nasm.program.program import Program
from nasm.views.tensor import Tensor

HINT = "declare smaller tensors (constants can be set with -D), or run it where there is more"

LITTLE = 64
"""Times the bytes of its tensors that no program takes: with less there is nothing to find out."""


def check(program: Program, inputs: Mapping[str, object]) -> None:
    """Refuse a program that needs more memory than there is; raises Failure."""
    found = available()
    size = sum(map(_bytes, program.tensors.values()))
    if found is None or LITTLE * size < found[0]:
        return
    try:
        room_for(_needs(program, inputs), HINT)
    except Refused as refused:
        raise Failure(refused.at(None)) from None


def _needs(program: Program, inputs: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    tensors = program.tensors
    full = {t.index for name, t in tensors.items() if t.init is not None or name in inputs}
    stores = masks = 0
    for group in groups(list(tensors.values())):
        size = room(group)
        stores += size
        masks += 0 if len(group) == 1 and group[0].index in full else size
    yield "the tensors", stores
    yield "the shadow memory of tensors that are not initialised as a whole", masks
    of_files = [_bytes(t) for name, t in tensors.items() if _of_file(t, inputs.get(name))]
    yield "the largest input file", max(of_files, default=0)
    yield "keeping what is overwritten, for going back", _kept(program, full)
    most = max(((memory(e, tensors), e) for e in program.expectations), default=None, key=_first)
    if most is not None:
        yield f"'{' '.join(clean(most[1].span.text).split())}'", most[0]


def _first(pair: tuple[int, object]) -> int:
    return pair[0]


def _bytes(tensor: Tensor) -> int:
    return prod(tensor.shape) * tensor.dtype.itemsize


def _of_file(tensor: Tensor, given: object) -> bool:
    return isinstance(tensor.init if given is None else given, ArrayFile)


def _kept(program: Program, full: Collection[int]) -> int:
    """Bytes and their mask of initialised tensors, as far as instructions overwrite them."""
    sizes: dict[int, int] = {}
    limits: dict[int, int] = {}
    seen: set[object] = set()
    for instruction in program.instructions:
        for view in written(instruction):
            tensor = view.tensor
            place = (tensor.index, view.partition, view.offset, view.shape, view.steps)
            if tensor.index in full and place not in seen:
                seen.add(place)
                limits[tensor.index] = _bytes(tensor)
                more = view.size * view.dtype.itemsize
                sizes[tensor.index] = sizes.get(tensor.index, 0) + more
    return 2 * sum(min(size, limits[index]) for index, size in sizes.items())
