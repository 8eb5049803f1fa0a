"""Shapes of tensors and of views of them, as affine forms of the size of a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from nasm.language.text import tree
from nasm.runs.check.size_forms import SIZE, AffineForm, number

Form = Callable[[tree.ExpressionNode], AffineForm]
Shape = tuple[AffineForm, ...]


class SizedTensor(NamedTuple):
    """A tensor or a view: its axes, None if they are not known; axis 0 may be of partitions.

    ``sized`` says whether they may depend on the size; ``tiles`` that it is an array of tensors.
    """

    axes: Shape | None
    sized: bool
    partitioned: bool
    tiles: bool = False

    def view(self, axes: Shape | None) -> SizedTensor:
        """A view of it."""
        return SizedTensor(axes, self.sized, self.partitioned)


def declared(line: tree.TensorLine, axes: Shape, partitioned: bool) -> SizedTensor:
    """A tensor as it is declared."""
    sized = any(SIZE in form.factors for form in axes)
    return SizedTensor(axes, sized, partitioned, line.tiles is not None)


def view_of(node: tree.ExpressionNode, tensors: dict[str, SizedTensor], form: Form) -> SizedTensor:
    """What an expression is a view of; raises KeyError if it is of no tensor that is known."""
    match node:
        case tree.Name(name=name):
            return tensors[name]
        case tree.Method(before=before, name=name, arguments=arguments):
            base = view_of(before, tensors, form)
            return base.view(_method(base.axes, name, [form(each) for each in arguments or ()]))
        case tree.Subscript(before=before, items=items):
            base = view_of(before, tensors, form)
            if base.tiles:
                one = len(items) == 1 and not isinstance(items[0], tree.Slice)
                return base._replace(tiles=not one)
            return base.view(_subscript(base, items, form))
    raise KeyError


def _method(axes: Shape | None, name: str, forms: Sequence[AffineForm]) -> Shape | None:
    """The axes of a view by a method; None if they are not known."""
    if name in ("reshape", "broadcast"):
        known = all(form.factors or (form.fixed and form.constant > 0) for form in forms)
        return tuple(forms) if known else None
    if axes is None:
        return None
    if name == "T" and not forms:
        return axes[::-1]
    order = [int(form.constant) for form in forms if form.fixed]
    if name == "permute" and sorted(order) == list(range(len(axes))):
        return tuple(axes[axis] for axis in order)
    return None


def _subscript(base: SizedTensor, items: Sequence[tree.ExpressionNode], form: Form) -> Shape | None:
    """The axes of a view by indices; None if they are not known."""
    if base.axes is None or len(items) > len(base.axes):
        return None
    found = list[AffineForm]()
    for nth, (axis, item) in enumerate(zip(base.axes, items, strict=False)):
        if not isinstance(item, tree.Slice):
            found += [number(1)] if base.partitioned and nth == 0 else []
        elif item.step is not None:
            return None
        elif item.length is not None:
            found.append(form(item.length))
        else:
            bounds = [None if end is None else form(end) for end in (item.first, item.stop)]
            if any(end is not None and not _positive(end) for end in bounds):
                return None  # a negative bound counts from the end
            first, stop = bounds
            found.append((stop or axis).plus(first or number(0), -1))
    return (*found, *base.axes[len(items) :])


def _positive(form: AffineForm) -> bool:
    """Whether a bound certainly counts from the start."""
    return form.fixed and form.constant >= 0
