"""Where objects may live: this process, others of this computer, a Dask cluster, or MPI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from nasm.workers.actors import Actor, LocalActor, in_cluster
from nasm.workers.mpi import MpiWire, communicator, in_mpi, release
from nasm.workers.pools import Cluster
from nasm.workers.processes import in_processes
from nasm.workers.wires import serve

MPI = "mpi"
"""The address that means the processes that mpiexec started."""

Executor = Cluster | int | str | None
"""So many processes, the address of a cluster or ``mpi``, or this process."""


class ActorPlace(Protocol):
    """Makes objects, ``width`` at the most; nothing is left to do where it ``served`` others."""

    width: int
    served: bool
    said: Any

    def made(self, kind: type, each: Sequence[Sequence[Any]]) -> list[Actor]:
        """An object of a class for each tuple of arguments; raises what making one raises."""

    def close(self) -> None:
        """Nothing is made any more, and nothing that was made is called."""


class OwnProcess:
    """This process."""

    width = 1
    served = False
    said: Any = None

    def made(self, kind: type, each: Sequence[Sequence[Any]]) -> list[Actor]:
        """Objects that are called directly."""
        return [LocalActor(kind(*args)) for args in each]

    def close(self) -> None:
        """Nothing is left elsewhere."""


class OtherProcesses:
    """So many processes of this computer, started as ``start`` says, or as is best."""

    served = False
    said: Any = None

    def __init__(self, count: int, start: str = "") -> None:
        self.width, self.start = count, start
        self.actors: list[Actor] = []

    def made(self, kind: type, each: Sequence[Sequence[Any]]) -> list[Actor]:
        """An object in each."""
        self.actors = in_processes(kind, each, self.start)
        return self.actors

    def close(self) -> None:
        """End them."""
        for actor in self.actors:
            actor.close()


class ClusterPlace:
    """The workers of a Dask cluster; one that was connected here is left at the end."""

    served = False
    said: Any = None

    def __init__(self, cluster: Cluster, ours: bool) -> None:
        self.cluster, self.ours = cluster, ours
        self.width = max(1, len(cluster.client.nthreads()))

    def made(self, kind: type, each: Sequence[Sequence[Any]]) -> list[Actor]:
        """As many objects in each worker."""
        return in_cluster(self.cluster, kind, each)

    def close(self) -> None:
        """Leave the cluster."""
        if self.ours:
            self.cluster.close(now=True)


class MpiPlace:
    """The processes that mpiexec started. In all but the first, making this serves that one.

    There ``served`` is true, and ``said`` what the first one has said at its end.
    """

    def __init__(self) -> None:
        self.comm = communicator()
        self.width = int(self.comm.size)
        self.served = self.comm.rank > 0
        self.said: Any = serve(MpiWire(self.comm, 0)) if self.served else None

    def made(self, kind: type, each: Sequence[Sequence[Any]]) -> list[Actor]:
        """An object in each."""
        return in_mpi(self.comm, kind, each)

    def close(self) -> None:
        """Let the others end, with what is ``said``."""
        if not self.served:
            release(self.comm, self.said)


def place_of(executor: Executor) -> ActorPlace:
    """Where an executor has its objects; raises Failure if it cannot be used, ValueError."""
    if executor is None:
        return OwnProcess()
    if isinstance(executor, Cluster):
        return ClusterPlace(executor, ours=False)
    if executor == MPI:
        return MpiPlace()
    if isinstance(executor, str):
        return ClusterPlace(Cluster(executor), ours=True)
    if executor < 1:
        raise ValueError(f"executor= takes a number of processes from 1 on, found {executor}")
    return OtherProcesses(executor)
