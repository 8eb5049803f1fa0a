"""Resources: what tasks occupy, by name; several queues of a core may want the same one.

A task asks for everything it needs together, and takes it only when all of it is free. Of several
queues that could take something at one tick the one that has waited longest gets it, then the
order of queues decides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Holder = tuple[int, int]
"""A queue and the pc of its instruction."""


class Resource:
    """Something of a core that one task occupies at a time, or one task each of its parts.

    It is free from ``free_at`` on; a task that wants parts of it can take them from ``shared_at``
    on, if these parts are free. ``holder`` took it last, at the start that has the number
    ``record``. ``shared`` says that tasks of several queues may want it: then ``waiting`` has the
    queues that wait for it, and since when; those of ``passed`` were passed over once.
    """

    __slots__ = (
        "core", "free_at", "holder", "name", "passed", "record", "shared", "shared_at", "waiting",
    )  # fmt: skip

    def __init__(self, core: int, name: str, *, shared: bool = False) -> None:
        self.core, self.name, self.shared = core, name, shared
        self.free_at = 0
        self.shared_at = 0
        self.holder: Holder | None = None
        self.record = -1
        self.waiting: dict[int, int] = {}
        self.passed: set[int] = set()

    def __repr__(self) -> str:
        return f"<{self.core}.{self.name}, free at {self.free_at}>"

    def take(self, until: int, holder: Holder, record: int) -> None:
        """Occupy all of it until a tick."""
        self.free_at = self.shared_at = until
        self.holder, self.record = holder, record

    def leave(self, queue: int) -> None:
        """Stop waiting for it, since it was taken; a task that still waits was passed over."""
        self.waiting.pop(queue, None)
        self.passed.discard(queue)
        self.passed.update(self.waiting)

    def save(self) -> Any:
        """Everything that changes."""
        held = (self.free_at, self.shared_at, self.holder, self.record)
        return held, dict(self.waiting), frozenset(self.passed)

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        (self.free_at, self.shared_at, self.holder, self.record), waiting, passed = saved
        self.waiting, self.passed = dict(waiting), set(passed)


class ResourceClaim(NamedTuple):
    """What a task needs of a resource: parts of it, or with none all of it."""

    resource: Resource
    parts: tuple[Resource, ...] = ()

    @property
    def free_at(self) -> int:
        """When it can be taken."""
        if not self.parts:
            return self.resource.free_at
        return max(self.resource.shared_at, *(part.free_at for part in self.parts))

    @property
    def last(self) -> Resource:
        """What keeps it from being taken, or kept it last."""
        return max((self.resource, *self.parts), key=self._free_at)

    def _free_at(self, resource: Resource) -> int:
        both = resource is self.resource and self.parts
        return resource.shared_at if both else resource.free_at

    def take(self, until: int, holder: Holder, record: int) -> None:
        """Take it, which must be free."""
        if not self.parts:
            self.resource.take(until, holder, record)
            return
        for part in self.parts:
            part.take(until, holder, record)
        if until >= self.resource.free_at:
            self.resource.free_at = until
            self.resource.holder, self.resource.record = holder, record


class Needs(NamedTuple):
    """What a task takes when it starts: all claims of one of several alternatives."""

    alternatives: tuple[tuple[ResourceClaim, ...], ...]

    @property
    def free_at(self) -> int:
        """When all claims of an alternative are free at once."""
        return min(max(claim.free_at for claim in claims) for claims in self.alternatives)

    @property
    def last(self) -> Resource:
        """What keeps it from being taken, or kept it last."""
        claims = min(self.alternatives, key=lambda claims: max(c.free_at for c in claims))
        return max(claims, key=lambda claim: claim.free_at).last

    @property
    def record(self) -> int:
        """The number of the start that keeps it from being taken, or kept it last."""
        return self.last.record

    def take(self, now: int, until: int, holder: Holder, record: int) -> None:
        """Take the first alternative that is free."""
        for claims in self.alternatives:
            if all(claim.free_at <= now for claim in claims):
                for claim in claims:
                    claim.take(until, holder, record)
                return

    @property
    def resources(self) -> tuple[Resource, ...]:
        """Everything it could take."""
        return tuple(claim.resource for claims in self.alternatives for claim in claims)


class Resources:
    """The resources of all cores, made when they are first named.

    Whether queues share one is declared where it is named, and is not learned from use: a run
    must not depend on which tasks were made before it.
    """

    def __init__(self) -> None:
        self._by_name: dict[tuple[int, str], Resource] = {}

    def named(self, core: int, name: str, *, shared: bool = False) -> Resource:
        """A resource of a core; ``shared`` says that tasks of several queues may want it."""
        found = self._by_name.get((core, name))
        if found is None:
            found = self._by_name[core, name] = Resource(core, name, shared=shared)
        return found

    def __iter__(self) -> Any:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def save(self) -> Any:
        """Every resource there is."""
        return {key: resource.save() for key, resource in self._by_name.items()}

    def restore(self, saved: Any) -> None:
        """As they were; those named since are as new."""
        for (core, name), resource in self._by_name.items():
            resource.restore(saved.get((core, name)) or Resource(core, name).save())
