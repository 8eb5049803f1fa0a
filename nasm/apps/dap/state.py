"""What the adapter knows of a client: the session, what was given to it, and what runs."""

from __future__ import annotations

import io
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nasm.apps.dap.messages import WRONG, Channel, RequestArguments
from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.shell import Shell
from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.base.source import Source

if TYPE_CHECKING:
    from nasm.apps.dap.stops import Stops
    from nasm.debugger.engines.records import Context
    from nasm.debugger.session import Session

Body = Mapping[str, Any]

Load = Callable[[Sequence[str], str | None], "Session"]
"""Makes a session from the words of a command line, in a folder; raises Failure or Refused."""

WIDTH = 100
"""Columns for which what commands print is laid out."""

MOST = 1 << 20
"""References that a client is given until the run moves on; it asks for no more than it shows."""


@dataclass(slots=True)
class ShownVariable:
    """Something that is shown: a name and a value, what it is, and how to set it.

    ``inside`` gives what is in it. ``place`` is what 'set' takes, ``text`` an expression for it.
    """

    name: str
    value: str
    kind: str = ""
    text: str = ""
    place: str = ""
    inside: Callable[[bool], Sequence[ShownVariable]] | None = None


@dataclass(slots=True)
class FramePlace:
    """A frame of a stack: an engine, with the pc that is next or executed there."""

    queue: int
    pc: int


class RunningMove:
    """A move forward: ``piece`` moves the run, and returns whether it has got where it should.

    ``reason`` is that of the stop then, ``thread`` the engine that the client moved.
    """

    def __init__(self, piece: Callable[[Session], bool], reason: str, thread: int = 0) -> None:
        self.piece, self.reason, self.thread = piece, reason, thread


class Debugger:
    """The state of one client. ``load`` makes sessions.

    ``stops`` are its breakpoints, ``move`` is what moves the run now, and ``moved`` is called when
    the run is at another moment, or was changed.
    """

    stops: Stops

    def __init__(self, channel: Channel, load: Load) -> None:
        self.channel, self.load = channel, load
        self.inbox: queue.SimpleQueue[object] = queue.SimpleQueue()
        self.printed = io.StringIO()
        self._lock, self._moving, self._urgent = threading.Lock(), False, False
        self.client = RequestArguments({})
        self.launched: RequestArguments | None = None
        self.shell: Shell | None = None
        self.move: RunningMove | None = None
        self.over = self.reported = False
        self.after: list[Callable[[], None]] = []
        self.exception: tuple[str, str, str] = ("", "", "")
        self.containers: list[Callable[[bool], Sequence[ShownVariable]]] = []
        self.frames: list[FramePlace] = []
        self.texts: list[Source] = []
        self.known: set[object] = set()
        self.messages = 0
        self._context: Context | None = None

    @property
    def session(self) -> Session:
        """The session; raises Refused if nothing is launched."""
        return self.prompt.session

    @property
    def prompt(self) -> Shell:
        """What does commands of the prompt; raises Refused if nothing is launched."""
        if self.shell is None:
            raise Refused(WRONG, "no program is launched")
        return self.shell

    @property
    def context(self) -> Context:
        """What engines do now."""
        if self._context is None:
            self._context = self.session.context()
        return self._context

    def renew(self) -> None:
        """The run is at another moment or was changed: what was given to the client is over."""
        self._context = None
        self.containers.clear()
        self.frames.clear()
        if self.shell is not None:
            self.shell.renew()

    # -- moving, while another thread reads what the client sends

    def begin(self, session: Session) -> None:
        """Take a session: it is that of a shell, whose commands the console takes."""
        screen = ReplScreen(self.printed, "never")
        screen.settings.width = WIDTH
        self.shell = Shell(screen)
        self.shell.path = session.title
        self.shell.adopt(session)
        self.known, self.messages, self.reported = set(), 0, False
        self.exception = ("", "", "")

    @contextmanager
    def moving(self, urgent: bool = False) -> Iterator[bool]:
        """Within it the run moves; a message of the client halts it, or only one that is urgent.

        It is given whether the run may move: not if a message is there already.
        """
        session = self.session
        with self._lock:
            free = urgent or self.inbox.empty()
            session.halt(False)
            self._moving, self._urgent = free, urgent
        try:
            yield free
        finally:
            with self._lock:
                self._moving = False
                session.halt(False)

    def arrived(self, message: object, urgent: bool) -> None:
        """A message has arrived, in another thread: what moves is halted where it is whole."""
        with self._lock:
            self.inbox.put(message)
            if self._moving and (urgent or not self._urgent) and self.shell is not None:
                self.shell.session.halt()

    # -- what a client refers to

    def reference(self, inside: Callable[[bool], Sequence[ShownVariable]] | None) -> int:
        """A number for what is in something; 0 if there is nothing."""
        if inside is None or len(self.containers) >= MOST:
            return 0
        self.containers.append(inside)
        return len(self.containers)

    def inside(self, reference: int, bits: bool = False) -> Sequence[ShownVariable]:
        """What a reference denotes; raises Refused if it is of an earlier moment."""
        if not 0 < reference <= len(self.containers):
            raise Refused(WRONG, "that is of an earlier moment of the run")
        return self.containers[reference - 1](bits)

    def frame(self, number: int) -> FramePlace:
        """A frame by its number; raises Refused if it is of an earlier moment."""
        if not 0 < number <= len(self.frames):
            raise Refused(WRONG, "that frame is of an earlier moment of the run")
        return self.frames[number - 1]

    # -- lines and columns as the client counts them

    def line(self, number: int) -> int:
        """A line, from 1, as the client counts."""
        return number if self.client.get("linesStartAt1", bool, True) else number - 1

    def column(self, number: int) -> int:
        """A column, from 1, as the client counts."""
        return number if self.client.get("columnsStartAt1", bool, True) else number - 1

    def own_line(self, number: int) -> int:
        """A line as the client counts, from 1."""
        return number if self.client.get("linesStartAt1", bool, True) else number + 1


Handler = Callable[[Debugger, RequestArguments], "Body | None"]

HANDLERS: dict[str, Handler] = {}
"""What answers each request, by its name."""


def request(name: str) -> Callable[[Handler], Handler]:
    """Declare what answers a request: it returns the body of the response."""

    def declared(handler: Handler) -> Handler:
        HANDLERS[name] = handler
        return handler

    return declared
