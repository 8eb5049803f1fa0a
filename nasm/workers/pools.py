"""Where runs are made: this process, processes of this computer, a cluster, any executor."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from nasm.base.problems import Failure, Problem
from nasm.workers.version import OtherVersion, version

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

J = TypeVar("J")
R = TypeVar("R")

NOT_INSTALLED, NO_CLUSTER, OTHER = "E0817", "E0844", "E0845"
LOCAL = "local"
"""The address that means a cluster of this computer's own."""

PATIENCE = "15s"
"""How long a cluster may take to answer."""

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that say how many threads a product may take: one, where many processes multiply."""


PRELOADED = ["nasm.sweeps.work", "nasm.debugger.session"]
"""What a worker needs for most that it is asked for."""


class WorkerPool(Protocol):
    """Does jobs, so many at a time."""

    width: int

    def submit(self, do: Callable[[J, str], R], job: J) -> Future[R]:
        """Begin a job."""

    def renew(self) -> bool:
        """Begin again after a worker has died; whether that is possible."""

    def close(self, now: bool) -> None:
        """End; with ``now`` without waiting for what is being run."""


class Given:
    """An executor that the caller has made, and ends."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.width = int(getattr(executor, "_max_workers", 0) or os.cpu_count() or 1)

    def submit(self, do: Callable[[J, str], R], job: J) -> Future[R]:
        """Begin a job."""
        return self.executor.submit(do, job, version())

    def renew(self) -> bool:
        """It is not ours to make again."""
        return False

    def close(self, now: bool) -> None:
        """It is not ours to end."""


class Serial:
    """This process, one run after the other."""

    width = 1

    def submit(self, do: Callable[[J, str], R], job: J) -> Future[R]:
        """Do a job."""
        made: Future[R] = Future()
        try:
            made.set_result(do(job, version()))
        except Exception as error:
            made.set_exception(error)
        return made

    def renew(self) -> bool:
        """Nothing of it can die."""
        return False

    def close(self, now: bool) -> None:
        """Nothing is left."""


class Processes:
    """So many processes of this computer, made again when one has died."""

    def __init__(self, count: int) -> None:
        self.width = count
        self._executor: ProcessPoolExecutor | None = None

    def _made(self) -> ProcessPoolExecutor:
        return forked(self.width)

    def submit(self, do: Callable[[J, str], R], job: J) -> Future[R]:
        """Begin a job."""
        self._executor = self._executor or self._made()
        return self._executor.submit(do, job, version())

    def renew(self) -> bool:
        """Begin again with other processes."""
        self.close(now=False)
        return True

    def close(self, now: bool) -> None:
        """End the processes."""
        if self._executor is None:
            return
        if now:
            for child in list(self._executor._processes.values()):
                child.terminate()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._executor = None


def forked(count: int) -> ProcessPoolExecutor:
    """So many processes that have imported what a run needs: each is a copy of a server."""
    from concurrent.futures import ProcessPoolExecutor

    made = ProcessPoolExecutor(count, mp_context=server(), initializer=_ignore)
    with in_one_thread():
        made.submit(_ignore)  # starts the server
    return made


def server() -> Any:
    """What starts copies of a server that has imported what a run needs."""
    import multiprocessing  # which not every Python in a browser has

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


@contextmanager
def in_one_thread() -> Iterator[None]:
    """Processes that are started in here multiply in one thread each."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update({name: "1" for name, value in before.items() if value is None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


def _ignore() -> None:
    """A worker: Ctrl-C is for the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Cluster:
    """A cluster of Dask, at an address, or one of this computer's own; raises Failure."""

    def __init__(self, address: str, workers: int | None = None) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            message = "a cluster is reached with the package distributed, which is not installed"
            hint = "pip install 'neuron-nasm[cluster]'"
            raise Failure(Problem(NOT_INSTALLED, message, None, hint)) from None
        where: dict[str, Any] = {"address": address}
        if address == LOCAL:
            where = {"processes": True, "n_workers": workers, "threads_per_worker": 1}
        try:
            self.client = distributed.Client(**where, timeout=PATIENCE)
        except (OSError, ValueError, TimeoutError) as error:
            message = f"no cluster at {address}: {error}"
            raise Failure(Problem(NO_CLUSTER, message.strip().rstrip(":"))) from None
        self.dashboard = str(self.client.dashboard_link or "")
        try:
            self._agree(self.client.run(version))
        except BaseException as error:
            self.client.close()
            if isinstance(error, ImportError):
                message = "a worker of the cluster has no nasm"
                raise Failure(Problem(OTHER, message, None, "install the same version")) from None
            if isinstance(error, OSError):  # a worker died while it was asked
                message = f"a worker of the cluster at {address} cannot be reached: {error}"
                raise Failure(Problem(NO_CLUSTER, message)) from None
            raise
        self.width = max(1, sum(self.client.nthreads().values()))
        self._executor = self.client.get_executor(retries=3, pure=False)

    def _agree(self, found: dict[str, str]) -> None:
        """Refuse workers of another version, before anything is run; raises Failure."""
        for worker, theirs in found.items():
            if theirs != version():
                raise Failure(other(OtherVersion(version(), theirs), f"the worker {worker}"))

    def submit(self, do: Callable[[J, str], R], job: J) -> Future[R]:
        """Begin a job."""
        made: Future[R] = self._executor.submit(do, job, version())
        return made

    def renew(self) -> bool:
        """It sends the work of a worker that has died to another one by itself."""
        return False

    def close(self, now: bool) -> None:
        """Leave the cluster, and end one of our own."""
        self._executor.shutdown(wait=not now)
        self.client.close()


def other(error: OtherVersion, where: str = "a worker") -> Problem:
    """A worker whose runs might differ."""
    message = f"{where} has nasm {error.found}; this is {error.wanted}"
    return Problem(OTHER, message, None, "install the same version everywhere")


def pool(executor: Executor | Cluster | int | str | None) -> WorkerPool:
    """What makes runs: an executor, so many processes, a cluster by its address, or this process.

    Raises Failure for a cluster that cannot be used, ValueError for a number below 1.
    """
    if executor is None:
        return Serial()
    if isinstance(executor, Cluster):
        return executor
    if isinstance(executor, str):
        return Cluster(executor)
    if isinstance(executor, int):
        if executor < 1:
            raise ValueError(f"executor= takes a number of processes from 1 on, found {executor}")
        return Processes(executor)
    return Given(executor)
