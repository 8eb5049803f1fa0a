"""Objects that live in other processes, and are called there: on this computer or on others.

An object is made once, in a worker, and keeps its state there; only arguments and results travel,
pickled. Calls of one object are executed in their order, those of several side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from nasm.workers.pools import Cluster


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
