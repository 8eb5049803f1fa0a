"""The targets nasm knows, imported when a program asks for one."""

from __future__ import annotations

from collections.abc import Mapping

from nasm.isa.target import Loader, Target


def _neuron() -> Target:
    from nasm.targets.neuron import TARGET

    return TARGET


def _tensix() -> Target:
    from nasm.targets.tensix import TARGET

    return TARGET


TARGETS: Mapping[str, Loader] = {
    **{name: _neuron for name in ("trn1", "inf2", "trn2", "trn3", "gen2", "gen3", "gen4")},
    "wormhole": _tensix,
}
"""Every name that ``.target`` accepts, and what loads it."""

USUAL = "trn2"
"""What is meant where nobody says one: on an empty machine, and in help without a program."""
