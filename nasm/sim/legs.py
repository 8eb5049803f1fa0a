"""Legs: what a network carries from one place to another, apart from channels."""

from __future__ import annotations

from typing import NamedTuple

from nasm.sim.channels import Flight, Group, Portion


class Leg(NamedTuple):
    """A transfer in flight to one place: it lands there, and later its sender has ``known``.

    ``core`` is where it lands, if that is a core.
    """

    flight: Flight
    portion: Portion
    landed: int
    known: int
    core: int | None


class Arriving(NamedTuple):
    """A group of a leg that lands."""

    group: Group
    leg: Leg


class Reply(NamedTuple):
    """What comes back when a group has landed."""

    group: Group
