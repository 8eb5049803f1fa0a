"""Objects in the processes that ``mpiexec`` started: the first one calls, the others serve.

``mpiexec -n 4 neuron-nasm run PROGRAM --scheduler mpi`` starts four; process 0 makes the run and
reports it, the others execute what it sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from nasm.base.problems import Failure, Problem
from nasm.workers.actors import Actor, LocalActor
from nasm.workers.pools import NOT_INSTALLED
from nasm.workers.wires import END, Remote


def communicator() -> Any:
    """All processes that mpiexec started; raises Failure without mpi4py."""
    try:
        return import_module("mpi4py.MPI").COMM_WORLD
    except ImportError as error:
        message = f"processes of mpiexec are reached with mpi4py, which cannot be used: {error}"
        hint = "pip install 'neuron-nasm[mpi]', and an MPI of this computer"
        raise Failure(Problem(NOT_INSTALLED, message, None, hint)) from None


class MpiWire:
    """Messages between this process and another one of mpiexec, by its number."""

    def __init__(self, comm: Any, number: int) -> None:
        self.comm, self.number = comm, number

    def send(self, message: Any) -> None:
        """Send an object."""
        self.comm.send(message, dest=self.number)

    def receive(self) -> Any:
        """Wait for an object."""
        return self.comm.recv(source=self.number)

    def close(self) -> None:
        """The process serves until all of them are released."""


def in_mpi(comm: Any, kind: type, each: Sequence[Sequence[Any]]) -> list[Actor]:
    """Objects in the processes of mpiexec, the first of them in this one.

    Raises what making one raises.
    """
    numbers = range(1, min(len(each), comm.size))
    actors = [Remote(MpiWire(comm, n), f"process {n} of mpiexec") for n in numbers]
    replies = [a.make(kind, args) for a, args in zip(actors, each[1:], strict=True)]
    first = LocalActor(kind(*each[0]))
    for reply in replies:
        reply.result()
    return [first, *actors]


def release(comm: Any, said: Any = None) -> None:
    """End what serves in the other processes."""
    for number in range(1, comm.size):
        comm.send((END, said), dest=number)
