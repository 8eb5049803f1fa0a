"""Objects in the processes that ``mpiexec`` started: the first one calls, the others serve.

``mpiexec -n 4 neuron-nasm run PROGRAM --scheduler mpi`` starts four; process 0 makes the run and
reports it, the others execute what it sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from nasm.base.problems import Failure, Problem
from nasm.workers.actors import Actor, ActorReply, LocalActor
from nasm.workers.pools import NOT_INSTALLED

MAKE, END = "make", "end"


def communicator() -> Any:
    """All processes that mpiexec started; raises Failure without mpi4py."""
    try:
        return import_module("mpi4py.MPI").COMM_WORLD
    except ImportError as error:
        message = f"processes of mpiexec are reached with mpi4py, which cannot be used: {error}"
        hint = "pip install 'neuron-nasm[mpi]', and an MPI of this computer"
        raise Failure(Problem(NOT_INSTALLED, message, None, hint)) from None


def serve(comm: Any) -> Any:
    """Execute what process 0 sends, until it ends that; returns what it says then."""
    made: Any = None
    while True:
        method, args = comm.recv(source=0)
        if method == END:
            return args
        try:
            if method == MAKE:
                kind, given = args
                made, found = kind(*given), None
            else:
                found = getattr(made, method)(*args)
        except Exception as error:
            comm.send((False, error), dest=0)
        else:
            comm.send((True, found), dest=0)


class InMpi:
    """An object in another process of mpiexec."""

    def __init__(self, comm: Any, number: int) -> None:
        self.comm, self.number, self.where = comm, number, f"process {number} of mpiexec"
        self.sent = self.taken = 0

    def call(self, method: str, *args: Any) -> ActorReply:
        """Call a method there."""
        self.comm.send((method, args), dest=self.number)
        self.sent += 1
        return _MpiReply(self, self.sent)

    def close(self) -> None:
        """The process serves until all of them are released."""


class _MpiReply:
    """What a process answers to its n-th call: answers come in the order of calls."""

    def __init__(self, actor: InMpi, number: int) -> None:
        self.actor, self.number = actor, number

    def result(self) -> Any:
        actor = self.actor
        assert actor.taken == self.number - 1, "answers are taken in the order of calls"
        fine, found = actor.comm.recv(source=actor.number)
        actor.taken += 1
        if not fine:
            raise found
        return found


def in_mpi(comm: Any, kind: type, each: Sequence[Sequence[Any]]) -> list[Actor]:
    """Objects in the processes of mpiexec, the first of them in this one.

    Raises what making one raises.
    """
    actors = [InMpi(comm, n) for n in range(1, min(len(each), comm.size))]
    replies = [a.call(MAKE, kind, args) for a, args in zip(actors, each[1:], strict=True)]
    first = LocalActor(kind(*each[0]))
    for reply in replies:
        reply.result()
    return [first, *actors]


def release(comm: Any, said: Any = None) -> None:
    """End what serves in the other processes."""
    for number in range(1, comm.size):
        comm.send((END, said), dest=number)
