"""What draws itself: in a notebook, through Rich, and when it is printed.

How it looks is known far above, where the debugger's views are; they are imported when something
is drawn for the first time.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own takes a while to import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import IO, Any, Protocol

    from nasm.base.page import RunPage

    class Views(Protocol):
        """Says how things look."""

        def html_of(self, thing: Drawn) -> str:
            """A thing for a notebook."""

        def plain(self, thing: Drawn) -> str:
            """A thing as text."""

        def rendered(self, thing: Drawn, console: Any, options: Any) -> Iterable[Any]:
            """A thing for a console of Rich's."""

        def launches(self, out: IO[bytes]) -> Any:
            """What writes one trace of several runs."""

        def recorded(self, session: Any, out: IO[bytes]) -> Any:
            """What writes the trace of a run, and its summary."""

        def page(self, results: Any) -> RunPage:
            """The page of a run that was watched, from its results."""


class Drawn:
    """Something that draws itself; its ``repr`` is one line."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return views().html_of(self)

    def __rich_console__(self, console: Any, options: Any) -> Iterable[Any]:
        return views().rendered(self, console, options)

    def __str__(self) -> str:
        return views().plain(self)


def _not_set() -> Views:
    raise RuntimeError("nothing says how things are drawn")


views: Callable[[], Views] = _not_set
"""The function that draws records; the room above sets it."""
