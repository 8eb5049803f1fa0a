"""Objects that live in other processes, and are called there: on this computer or on others.

An object is made once, in a worker, and keeps its state there; only arguments and results travel,
pickled. Calls of one object are executed in their order, those of several side by side.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING, Any, Protocol

from nasm.workers.pools import Cluster, forked
from nasm.workers.version import OtherVersion, version

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


class WorkerLost(Exception):
    """The worker that had an object has ended: ``where`` it was."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


class ActorReply(Protocol):
    """What a call will return."""

    def result(self) -> Any:
        """Wait for it; raises what the call raised, or WorkerLost."""


class Actor(Protocol):
    """An object somewhere."""

    where: str

    def call(self, method: str, *args: Any) -> ActorReply:
        """Call a method."""

    def close(self) -> None:
        """The object is not needed any more."""


class DoneCall:
    """The result of a call that was made at once."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def result(self) -> Any:
        """The result."""
        return self.value


class LocalActor:
    """An object in this process."""

    where = "this process"

    def __init__(self, made: Any) -> None:
        self.made = made

    def call(self, method: str, *args: Any) -> ActorReply:
        """Call a method now."""
        return DoneCall(getattr(self.made, method)(*args))

    def close(self) -> None:
        """Nothing is left elsewhere."""


# ---------------------------------------------------------------- processes of this computer


class InProcess:
    """An object in a process of its own."""

    def __init__(self, executor: ProcessPoolExecutor, where: str) -> None:
        self.executor, self.where = executor, where

    @classmethod
    def begin(cls, kind: type, args: Sequence[Any]) -> tuple[InProcess, ActorReply]:
        """Start a process, and begin to make an object there; the reply is its process."""
        found = cls(forked(1), "a process of this computer")
        return found, found._reply(found.executor.submit(_make, version(), kind, tuple(args)))

    def call(self, method: str, *args: Any) -> ActorReply:
        """Call a method there."""
        try:
            return self._reply(self.executor.submit(_call, method, args))
        except BrokenExecutor:
            raise WorkerLost(self.where) from None

    def _reply(self, future: Any) -> ActorReply:
        return _FutureReply(future, self.where)

    def close(self) -> None:
        """End the process."""
        self.executor.shutdown(wait=False, cancel_futures=True)


class _FutureReply:
    def __init__(self, future: Any, where: str) -> None:
        self.future, self.where = future, where

    def result(self) -> Any:
        try:
            return self.future.result()
        except BrokenExecutor:
            raise WorkerLost(self.where) from None


_MADE: list[Any] = []
"""The object of this process, if it is a worker."""


def _make(wanted: str, kind: type, args: tuple[Any, ...]) -> str:
    if version() != wanted:
        raise OtherVersion(wanted, version())
    _MADE[:] = [kind(*args)]
    return f"process {os.getpid()}"


def _call(method: str, args: tuple[Any, ...]) -> Any:
    return getattr(_MADE[0], method)(*args)


# ---------------------------------------------------------------- workers of a cluster


class InCluster:
    """An object in a worker of a Dask cluster."""

    def __init__(self, proxy: Any, where: str) -> None:
        self.proxy, self.where = proxy, where

    def call(self, method: str, *args: Any) -> ActorReply:
        """Call a method there."""
        return _ClusterReply(lambda: getattr(self.proxy, method)(*args), self.where)

    def close(self) -> None:
        """Let the worker drop the object."""
        self.proxy = None


class _ClusterReply:
    """A call that was sent when this was made."""

    def __init__(self, send: Any, where: str) -> None:
        self.where = where
        self.future = self._guarded(send)

    def result(self) -> Any:
        return self._guarded(self.future.result)

    def _guarded(self, call: Any) -> Any:
        try:
            return call()
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) or "Actor" in str(error):
                raise WorkerLost(self.where) from None
            raise


def in_cluster(cluster: Cluster, kind: type, each: Sequence[Sequence[Any]]) -> list[Actor]:
    """Objects in the workers of a cluster, as many in each."""
    addresses = sorted(cluster.client.nthreads())
    futures = []
    for number, args in enumerate(each):
        address = addresses[number % len(addresses)]
        futures.append(
            cluster.client.submit(kind, *args, actor=True, pure=False, workers=[address])
        )
    return [
        InCluster(future.result(), f"worker {addresses[n % len(addresses)]}")
        for n, future in enumerate(futures)
    ]


def in_processes(kind: type, each: Sequence[Sequence[Any]]) -> list[Actor]:
    """Objects in processes of this computer, one in each; raises what making one raises."""
    begun = [InProcess.begin(kind, args) for args in each]
    try:
        for actor, first in begun:
            actor.where = first.result()
    except BaseException:
        for actor, _ in begun:
            actor.close()
        raise
    return [actor for actor, _ in begun]
