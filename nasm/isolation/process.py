"""One child process from its start to its end, whatever it does."""

from __future__ import annotations

import os
import pickle
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from nasm.isolation.exchange import Ended, Request
from nasm.isolation.limits import Limits
from nasm.isolation.work import TraceWork, Work

ROOT = str(Path(__file__).resolve().parents[2])
"""Where nasm is: a folder of packages, or a checkout."""

_CODE = "import sys; sys.path[:] = {path!r}; from nasm.isolation.child import main; main({channel})"
_KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/System", "/Library")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/proc/meminfo", "/proc/self")
_TICK, _AFTER = 0.02, 0.5


class Cancelled(Exception):
    """The caller no longer wants what a process was doing; the process has been ended."""


def run(
    work: Sequence[Work],
    limits: Limits,
    until: float,
    folder: str,
    word: bytes,
    cancelled: Callable[[], bool],
) -> Ended:
    """Do some work in a child process, until a moment of the monotonic clock at the latest.

    ``folder`` is the only one where it may write; a kernel's process is in it. Raises Cancelled
    once ``cancelled`` returns true.
    """
    first = work[0]
    foreign = isinstance(first, TraceWork)
    readable = _readable(first.kernel) if isinstance(first, TraceWork) else None
    request = Request(word, tuple(work), limits, (folder, os.devnull), readable)
    with ExitStack() as open_files:
        reading, writing = os.pipe()
        channel = open_files.enter_context(open(reading, "rb", buffering=0))
        with tempfile.TemporaryFile() as asked:
            pickle.dump(request, asked)
            asked.seek(0)
            try:
                child = _started(writing, asked.fileno(), folder, foreign)
            finally:
                os.close(writing)
        assert child.stdout is not None
        assert child.stderr is not None
        pipes = {"stdout": child.stdout.fileno(), "stderr": child.stderr.fileno()}
        open_files.callback(child.stdout.close)
        open_files.callback(child.stderr.close)
        with _reaped(child):
            return _followed(child, pipes, channel.fileno(), limits, until, cancelled)


def _started(channel: int, asked: int, folder: str, foreign: bool) -> subprocess.Popen[bytes]:
    path = _path() if foreign else [ROOT, *filter(os.path.isabs, sys.path)]
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment |= {"HOME": folder, "TMPDIR": folder, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-s", "-c", _CODE.format(path=path, channel=channel)],
        stdin=asked,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(channel,),
        cwd=folder if foreign else None,
        env=environment,
        start_new_session=True,
        bufsize=0,
    )


def _homes() -> list[str]:
    """The folders in which Python and its packages are."""
    return list(dict.fromkeys(map(os.path.realpath, (sys.prefix, sys.base_prefix))))


def _path() -> list[str]:
    """Where a kernel's process imports from: Python's own folders, packages, and nasm's."""
    homes = tuple(os.path.join(home, "") for home in (*_homes(), sys.prefix, sys.base_prefix))
    packages = ("site-packages", "dist-packages")
    own = [p for p in sys.path if p.startswith(homes) or os.path.basename(p) in packages]
    return [ROOT, *own]


def _readable(kernel: str) -> tuple[str, ...]:
    """What a kernel's process may read: Python, packages, nasm, and the kernel's own folder."""
    from nasm.nki.kernel_argument import split
    from nasm.nki.loading import place

    named = split(kernel)
    assert named is not None
    own = (os.path.dirname(named[0]), place(named[0])[0])
    return (*_homes(), *_path(), *own, *_SYSTEM, *_DEVICES)


@contextmanager
def _reaped(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """Whatever happens, in the end neither the child nor its group is left."""
    try:
        yield
    finally:
        _kill(child.pid)
        if child.returncode is None:
            child.wait()


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _followed(
    child: subprocess.Popen[bytes],
    pipes: dict[str, int],
    channel: int,
    limits: Limits,
    until: float,
    cancelled: Callable[[], bool],
) -> Ended:
    """Read what it says until it has ended, or has to be ended."""
    ended = Ended()
    over = False
    last = until
    with selectors.DefaultSelector() as selector:
        for name, number in (*pipes.items(), ("answers", channel)):
            os.set_blocking(number, False)
            selector.register(number, selectors.EVENT_READ, name)
        while selector.get_map() and time.monotonic() < last:
            if cancelled():
                raise Cancelled
            for key, _ in selector.select(_TICK):
                if not _taken(ended, key.fd, key.data, limits):
                    selector.unregister(key.fd)
            if ended.flooded:
                break
            if not over and _gone(child, ended):
                over = True  # others may still hold its pipes: they are ended with it
                _kill(child.pid)
                last = min(last, time.monotonic() + _AFTER)
    while not over and not ended.flooded and time.monotonic() < until:
        if cancelled():
            raise Cancelled
        over = _gone(child, ended)
        time.sleep(0 if over else _TICK)
    if not over:
        ended.late = not ended.flooded
        _kill(child.pid)
        while not _gone(child, ended):
            time.sleep(_TICK)
    return ended


def _taken(ended: Ended, number: int, name: str, limits: Limits) -> bool:
    """Take what has been written to a pipe; whether there can be more."""
    try:
        data = os.read(number, 1 << 16)
    except BlockingIOError:
        return True
    if name == "answers":
        ended.answers += data
    else:
        room = max(0, limits.output - len(ended.printed[name]))
        ended.printed[name] += data[:room]
        ended.left_out[name] += len(data[room:])
    return bool(data)


def _gone(child: subprocess.Popen[bytes], ended: Ended) -> bool:
    """Whether the child has ended; notes how, and what it took."""
    found, status, used = os.wait4(child.pid, os.WNOHANG)
    if not found:
        return False
    child.returncode = ended.status = os.waitstatus_to_exitcode(status)
    ended.cpu = used.ru_utime + used.ru_stime
    return True
