"""The targets nasm knows, imported when a program asks for one.

Those of the project are listed here. Installed packages add theirs as entry points of the group
``neuron_nasm.targets``: the name is what ``.target`` accepts, the value the ``TARGET`` of a module.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from nasm.base.problems import Refused, listed, quoted
from nasm.isa.generation import Generation
from nasm.isa.target import Loader, Target

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "neuron_nasm.targets"
"""The entry points of packages that have targets."""


def _neuron() -> Target:
    from nasm.targets.neuron import TARGET

    return TARGET


def _tensix() -> Target:
    from nasm.targets.tensix import TARGET

    return TARGET


class Targets(Mapping[str, Loader]):
    """What loads a target, by each name of a machine: built-in ones first, then installed ones.

    A built-in name is found without reading the metadata of installed packages, and always means
    the built-in target. The loaders of installed targets raise Refused for what cannot be used.
    """

    def __init__(self, built_in: Mapping[str, Loader]) -> None:
        self.built_in = built_in

    def __getitem__(self, name: str) -> Loader:
        return self.built_in.get(name) or self.installed[name]

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in self.installed

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from self.installed

    def __len__(self) -> int:
        return len(self.built_in) + len(self.installed)

    @cached_property
    def installed(self) -> dict[str, Loader]:
        """The targets of installed packages, none of which has been imported."""
        offers: dict[str, list[EntryPoint]] = {}
        for entry in _entry_points():
            offers.setdefault(entry.name, []).append(entry)
        taken = {package(e): n for n in self.built_in for e in offers.pop(n, ())}
        return {name: partial(_installed, some, taken) for name, some in offers.items()}

    def usable(self, name: str | None) -> Target | None:
        """The target of this name; None if there is none, or if it cannot be used."""
        try:
            return self[name]() if name is not None and name in self else None
        except Refused:
            return None

    def loaded(self) -> list[Target]:
        """Every target that can be used, once, the built-in ones first."""
        found = (self.usable(name) for name in self)
        return list({id(target): target for target in found if target is not None}.values())


def _entry_points() -> Iterator[EntryPoint]:
    """The entry points of installed packages; of a package that is there twice, the first.

    Packages with damaged metadata, which may have nothing to do with nasm, offer nothing.
    """
    from importlib.metadata import distributions

    seen: set[str] = set()
    for found in distributions():
        try:
            entries = found.entry_points.select(group=GROUP)
            name = found.name if entries else ""
        except Exception:
            continue
        if entries and name not in seen:
            seen.add(name)
            yield from entries


def package(entry: EntryPoint) -> str:
    """The name of the package that an entry point is from."""
    return entry.dist.name if entry.dist is not None else entry.module


def _installed(entries: list[EntryPoint], taken: Mapping[str, str]) -> Target:
    """Import an installed target; raises Refused with the error of its package.

    ``taken`` are packages that offer a built-in name as well, with that name.
    """
    entry, *others = entries
    name, source = entry.name, package(entry)
    if others:
        packages = listed(sorted(map(package, entries)), "and")
        raise _unusable(name, f"it is in several packages: {packages}", "uninstall all but one")
    if source in taken:
        text = f"its package {source} also defines '{taken[source]}', a target of nasm itself"
        raise _unusable(name, text, "its author has to choose another name for that")
    try:
        target: object = entry.load()
    except Exception as error:  # whatever a third-party module raises
        text = f"importing {entry.value} of {source} failed"
        raise _unusable(name, text, quoted(f"{type(error).__name__}: {error}")) from error
    if not isinstance(target, Target) or not _named(target):
        raise _unusable(name, f"{entry.value} of {source} is not the TARGET of its module")
    if target.generation(name) is None:
        raise _unusable(name, f"{entry.value} of {source} has no generation of this name")
    return target


def _named(target: Target) -> bool:
    """Whether a target is what its module calls TARGET, by which it is pickled."""
    return target is getattr(sys.modules.get(target.module), "TARGET", None)


def _unusable(name: str, why: str, hint: str = "") -> Refused:
    return Refused("E0214", f"the target '{quoted(name)}' cannot be used: {why}", hint)


TARGETS = Targets(
    {
        **{name: _neuron for name in ("trn1", "inf2", "trn2", "trn3", "gen2", "gen3", "gen4")},
        **{name: _tensix for name in ("wormhole", "blackhole")},
    }
)
"""Every name that ``.target`` accepts, and what loads it."""

USUAL = "trn2"
"""What is meant where no target is given: on an empty machine, and in help without a program."""


def machine_of(*names: str | None) -> tuple[Target, Generation]:
    """The machine of the first of these names that can be used, or else the usual one."""
    name = next((n for n in names if TARGETS.usable(n) is not None), None) or USUAL
    target = TARGETS[name]()
    return target, target.generation(name) or target.generations[0]
