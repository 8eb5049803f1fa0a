"""Cutting a pair of views into runs that one access pattern each can walk."""

from __future__ import annotations

from nasm.spec.view import View

Pair = tuple[View, View]


def pieces(dst: View, src: View, begin: int, end: int) -> list[Pair]:
    """Elements [begin, end) of both sides in row-major order, in as few pieces as they allow."""
    found = []
    while begin < end:
        stop = end
        while True:
            shorter = min(_reach(dst, begin, stop), _reach(src, begin, stop))
            if shorter == stop:
                break
            stop = shorter
        found.append((_run(dst, begin, stop), _run(src, begin, stop)))
        begin = stop
    return found


def run_length(view: View) -> int:
    """Elements that lie next to each other before the pattern jumps."""
    dims = view.dims
    return dims[-1][1] if dims and dims[-1][0] == 1 else 1


def _lead(view: View) -> int:
    """The first axis with more than one element: those before it need no walking."""
    return next((a for a, n in enumerate(view.shape) if n > 1), len(view.shape) - 1)


def _rows(view: View, axis: int, begin: int, end: int) -> View:
    """Rows [begin, end) of an axis."""
    return view.index([*[slice(None)] * axis, slice(begin, end)])


def _reach(view: View, begin: int, end: int) -> int:
    """How far from ``begin`` one access pattern can walk the view."""
    axis = _lead(view)
    inner = view.size // view.shape[axis]
    if begin % inner == 0 and end - begin >= inner:
        return begin + (end - begin) // inner * inner
    row = begin // inner
    stop = min(end, (row + 1) * inner) - row * inner
    return row * inner + _reach(_rows(view, axis, row, row + 1), begin % inner, stop)


def _run(view: View, begin: int, end: int) -> View:
    """Elements [begin, end) of a view, which one pattern can walk."""
    if begin == 0 and end == view.size:
        return view
    axis = _lead(view)
    inner = view.size // view.shape[axis]
    if begin % inner == 0 and end % inner == 0:
        return _rows(view, axis, begin // inner, end // inner)
    row = begin // inner
    return _run(_rows(view, axis, row, row + 1), begin - row * inner, end - row * inner)
