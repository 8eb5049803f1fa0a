"""The view methods of the language: ``.view .reshape .permute .broadcast .T .ap``.

Each returns a view the hardware can walk, or refuses with the reason it cannot.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from functools import lru_cache

from nasm.base import dtypes
from nasm.base.dtypes import DType
from nasm.base.problems import Refused, counted, did_you_mean, listed
from nasm.views.offsets import indirect, moved, row_by_row
from nasm.views.tensor import MOST_AXES
from nasm.views.value_text import value_text
from nasm.views.view import METHODS, Reg, View, merged

BAD_VIEW = "E0306"
EXAMPLES = "for example float32, bfloat16 or int32"


def retype(view: View, dtype: DType | str) -> View:
    """See the same bytes as another dtype; the innermost axis grows or shrinks."""
    to = dtype_named(dtype)
    have, want = view.dtype.itemsize, to.itemsize
    shape, steps = list(view.shape), list(view.steps)
    if have != want:
        last = len(shape) - 1
        if (last == 0 and view.partitioned) or (steps[last] != 1 and shape[last] != 1):
            raise Refused(
                BAD_VIEW,
                f"view of {view.tensor.name} as {to.name}: its {view.dtype.name} elements are "
                "not contiguous",
                "only contiguous elements can be viewed with another width",
            )
        total = shape[last] * have
        if total % want or view.offset % want:
            raise Refused(
                BAD_VIEW,
                f"view of {view.tensor.name} as {to.name}: its innermost axis has {total} bytes "
                f"from byte {view.offset} on; wanted multiples of {want}",
            )
        for moving in view.dynamic:
            if moving.stride % want and not (view.partitioned and moving.axis == 0):
                raise Refused(
                    BAD_VIEW,
                    f"view of {view.tensor.name} as {to.name}: {Reg(moving.register)} moves it by "
                    f"{counted(moving.stride, 'byte')}; wanted a multiple of {want}",
                    "view the tensor first, and let the register move that",
                )
        for axis in range(1 if view.partitioned else 0, last):
            if steps[axis] * have % want:
                raise Refused(
                    BAD_VIEW, f"axis {axis} of {view.tensor.name} does not step in whole {to.name}"
                )
            steps[axis] = steps[axis] * have // want
        shape[last], steps[last] = total // want, 1
    return View(
        view.tensor, to, view.partition, view.offset, tuple(shape), tuple(steps), view.dynamic
    )


def reshape(view: View, *sizes: int | Sequence[int]) -> View:
    """Give the axes other sizes without moving an element; one size may be -1."""
    shape = _sizes(sizes)
    fixed = 1 if view.partitioned else 0
    if fixed and (not shape or shape[0] not in (view.shape[0], -1)):
        raise Refused(
            BAD_VIEW,
            f"reshape of {view.tensor.name} would change its partition axis of {view.shape[0]}",
            "keep axis 0 as it is; only a DMA moves data across partitions freely",
        )
    known = math.prod(n for n in shape[fixed:] if n != -1)
    open_axes = shape[fixed:].count(-1)
    seen = f"{view.tensor.name}{list(view.shape)} cannot be reshaped to {list(shape)}"
    if open_axes > 1 or any(n < 1 and n != -1 for n in shape):
        raise Refused(BAD_VIEW, f"{seen}: sizes are at least 1, and one of them may be -1")
    if view.elements % known if open_axes else view.elements != known:
        each = " in each partition" if fixed else ""
        raise Refused(
            BAD_VIEW, f"{seen}: it has {view.elements} elements{each}, the sizes make {known}"
        )
    free = tuple(view.elements // known if n == -1 else n for n in shape[fixed:])
    steps = restepped(view.free, view.steps[fixed:], free)
    if steps is None:
        raise Refused(
            BAD_VIEW,
            f"{seen}: its elements are not evenly spaced along the new axes",
            "reshape the tensor first and slice it then, or copy it",
        )
    return view.with_free(free, steps)


def restepped(
    shape: tuple[int, ...], steps: tuple[int, ...], sizes: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The steps with which axes of these ``sizes`` walk the same elements in the same order.

    None if no steps do. Of axes that walk like one, some of the new axes each take a part. An axis
    of 1 has the step that NumPy gives it.
    """
    if sizes == shape:
        return steps
    made: list[int] = []
    step = 1
    for step, count in merged(shape, steps, 0):
        first, product = len(made), 1
        while product < count:
            product *= sizes[len(made)]
            made.append(0)
        if product != count:
            return None
        reach = step
        for axis in reversed(range(first, len(made))):
            made[axis] = reach
            reach *= sizes[axis]
    return (*made, *[step] * (len(sizes) - len(made)))


def permute(view: View, *axes: int | Sequence[int]) -> View:
    """Walk the axes in another order; the partition axis stays first."""
    order = _sizes(axes)
    if sorted(order) != list(range(len(view.shape))):
        raise Refused(
            BAD_VIEW,
            f"permute{order} of {view.tensor.name}: not an order of its {len(view.shape)} axes",
        )
    if view.partitioned and order[0] != 0:
        raise Refused(
            BAD_VIEW,
            f"permute{order} moves the partition axis of {view.tensor.name} in {_where(view)}",
            "an access pattern is the same in every partition: axis 0 stays first, and only moving "
            "the data transposes partitions",
        )
    return View(
        view.tensor,
        view.dtype,
        view.partition,
        view.offset,
        tuple(view.shape[a] for a in order),
        tuple(view.steps[a] for a in order),
        view.dynamic,
    )


def transpose(view: View) -> View:
    """Walk the axes in reverse order (``.T``)."""
    return permute(view, tuple(reversed(range(len(view.shape)))))


def broadcast(view: View, *sizes: int | Sequence[int]) -> View:
    """Repeat axes of size 1 (step 0) until the shape is this one."""
    shape = _sizes(sizes)
    if len(shape) != len(view.shape):
        raise Refused(
            BAD_VIEW,
            f"broadcast to {len(shape)} axes of {view.tensor.name}, which has {len(view.shape)}",
        )
    steps = list(view.steps)
    for axis, (have, want) in enumerate(zip(view.shape, shape, strict=True)):
        if have == want:
            continue
        if have != 1:
            raise Refused(
                BAD_VIEW,
                f"broadcast of axis {axis} of {view.tensor.name} from {have} to {want}",
                "only an axis of size 1 can be repeated",
            )
        steps[axis] = 0
    return View(
        view.tensor, view.dtype, view.partition, view.offset, shape, tuple(steps), view.dynamic
    )


def pattern(
    view: View,
    pairs: Sequence[Sequence[int]],
    offset: int | None = None,
    scalar_offset: Reg | View | None = None,
    vector_offset: View | None = None,
    indirect_dim: int = 0,
) -> View:
    """The access pattern itself, ``[[step, count], …]`` in elements of the whole tensor.

    On a partitioned memory the first pair walks partitions: its step is a multiple of the
    tensor's elements per partition. Of the view it is called on the pattern takes the dtype, the
    start unless an ``offset`` is given (in elements from the start of the tensor), and the step of
    axis ``indirect_dim``: a ``scalar_offset`` moves the pattern by so many of these steps, a
    ``vector_offset`` each position of the first pair by an entry of its own.
    """
    _known_start(view)
    made = _static_pattern(view, pairs, offset)
    if vector_offset is None:
        _within(made)
    if scalar_offset is None and vector_offset is None:
        return made
    if scalar_offset is not None and vector_offset is not None:
        raise Refused(BAD_VIEW, "an access pattern has one scalar_offset or vector_offset")
    if type(indirect_dim) is not int or not 0 <= indirect_dim < len(view.shape):
        raise Refused(
            BAD_VIEW,
            f"indirect_dim={value_text(indirect_dim)}: {_called_on(view)} has axes 0 to "
            f"{len(view.shape) - 1}",
        )
    if scalar_offset is not None:
        return moved(made, view, scalar_offset, indirect_dim)
    return row_by_row(made, view, vector_offset, indirect_dim)


def _known_start(view: View) -> None:
    """Refuse a pattern of a view that itself starts where a register says."""
    if view.dynamic:
        register = Reg(view.dynamic[0].register)
        raise Refused(
            BAD_VIEW,
            f".ap of {view.tensor.name}, whose start is in {register}",
            f"move the pattern instead: .ap(…, scalar_offset={register}, indirect_dim=axis)",
        )


def _called_on(view: View) -> str:
    """A view in a message: its shape only where it is not the tensor's."""
    name = view.tensor.name
    return name if view.shape == view.tensor.shape else f"{name} viewed as {list(view.shape)}"


def _static_pattern(view: View, pairs: Sequence[Sequence[int]], offset: int | None) -> View:
    tensor, size = view.tensor, view.dtype.itemsize
    if not isinstance(pairs, list | tuple) or not pairs or not all(map(_is_pair, pairs)):
        raise Refused(
            BAD_VIEW, f"an access pattern of {tensor.name} is a list of [step, count], all integers"
        )
    if offset is not None and type(offset) is not int:
        found = value_text(offset)
        raise Refused(BAD_VIEW, f"the offset of an access pattern is an integer, not {found}")
    _few(len(pairs))
    steps, counts = [p[0] for p in pairs], [p[1] for p in pairs]
    if min(counts) < 1:
        raise Refused(BAD_VIEW, f"a count below 1 in an access pattern of {tensor.name}")
    row = tensor.bytes // size
    if view.partitioned:
        if steps[0] % row:
            raise Refused(
                BAD_VIEW,
                f"the first step of {tensor.name}'s pattern is {steps[0]}, not a multiple of its "
                f"{row} elements per partition",
            )
        steps[0] //= row
    partition, start = view.partition, view.offset
    if offset is not None:
        partition, element = divmod(offset, row) if view.partitioned else (0, offset)
        start = element * size
    return View(tensor, view.dtype, partition, start, tuple(counts), tuple(steps))


def _within(view: View) -> None:
    """Refuse a pattern that reaches past its tensor."""
    tensor, size = view.tensor, view.dtype.itemsize
    low, high = view.extent
    if low < 0 or high > tensor.bytes:
        each = " of each partition" if view.partitioned else ""
        raise Refused(
            "E0305",
            f"the access pattern reaches elements {low // size} to {high // size - 1}"
            f"{each}; {tensor.name} has 0 to {tensor.bytes // size - 1}",
        )
    if view.partitioned:
        ends = view.partition, view.partition + view.steps[0] * (view.shape[0] - 1)
        if min(ends) < 0 or max(ends) >= tensor.partitions:
            raise Refused(
                "E0305",
                f"the access pattern reaches partitions {min(ends)} to {max(ends)}; "
                f"{tensor.name} has 0 to {tensor.partitions - 1}",
            )


def _few(axes: int) -> None:
    """Refuse more axes than a view can have."""
    if axes > MOST_AXES:
        raise Refused(BAD_VIEW, f"a view of {axes} axes; wanted at most {MOST_AXES}")


def _is_pair(pair: object) -> bool:
    return isinstance(pair, list | tuple) and len(pair) == 2 and all(type(n) is int for n in pair)


def _sizes(sizes: Sequence[object]) -> tuple[int, ...]:
    given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], list | tuple) else sizes
    if not given or any(type(n) is not int for n in given):
        raise Refused(BAD_VIEW, "sizes and axes are integers, one or more")
    _few(len(given))
    return tuple(n for n in given if isinstance(n, int))


def dtype_named(dtype: DType | str) -> DType:
    """A dtype by any of its names; raises Refused."""
    if not isinstance(dtype, DType | str):
        raise Refused("E0205", f"a dtype is a name, found {value_text(dtype)}", EXAMPLES)
    found = dtypes.find(dtype) if isinstance(dtype, str) else dtype
    if found is not None:
        return found
    hint = did_you_mean(str(dtype), dtypes.names())
    if str(dtype).endswith("64"):
        hint = "no dtype has 64 bits: float32 and int32 are the widest"
    elif not hint:
        width = str(dtype).rstrip("0123456789"), str(dtype).lstrip("abcdefghijklmnopqrstuvwxyz")
        kinds = {"f": "float", "fp": "float", "i": "int", "s": "int", "u": "uint"}
        like = f"{kinds.get(width[0], width[0])}{width[1]}"
        begin = [name for name in dtypes.names() if name.startswith(like)]
        hint = f"write {listed(begin, 'or')}" if begin else ""
    raise Refused("E0205", f"no dtype '{dtype}'", hint or EXAMPLES)


@lru_cache(maxsize=256)
def accepts(function: Callable[..., object], count: int, names: tuple[str, ...] = ()) -> bool:
    """Whether a function can be called with so many arguments and these named ones."""
    try:
        inspect.signature(function).bind(*[None] * count, **dict.fromkeys(names))
    except TypeError:
        return False
    return True


def _where(view: View) -> str:
    return view.tensor.memory.name


def _checked(name: str, method: Callable[..., View]) -> Callable[..., View]:
    """The method, for arguments that it takes and views whose positions no tile decides.

    So an error that is raised inside the method is a defect of the method.
    """

    def checked(view: View, /, *given: object, **named: object) -> View:
        if not accepts(method, 1 + len(given), tuple(named)):
            raise Refused(
                BAD_VIEW,
                f"these are not the arguments of .{name}",
                f"it is written {SPELLINGS[name]}",
            )
        if view.offsets is not None:
            raise Refused(
                BAD_VIEW,
                f".{name} of {view.tensor.name}, whose positions "
                f"{view.offsets.tile.tensor.name} decides at run time",
                "make the view first and address it indirectly last",
            )
        return method(view, *given, **named)

    return checked


SPELLINGS = {
    "view": ".view(dtype)",
    "reshape": ".reshape(size, …)",
    "permute": ".permute(axis, …)",
    "broadcast": ".broadcast(size, …)",
    "ap": ".ap([[step, count], …], offset=n, scalar_offset=%r or tile, vector_offset=tile, "
    "indirect_dim=d)",
    "T": ".T",
    "indirect": ".indirect(tile, num_elem=n)",
}
"""How a program writes each method."""


_METHODS: dict[str, Callable[..., View]] = {
    "view": retype,
    "reshape": reshape,
    "permute": permute,
    "broadcast": broadcast,
    "ap": pattern,
    "T": transpose,
    "indirect": indirect,
}
METHODS.update({name: _checked(name, method) for name, method in _METHODS.items()})
