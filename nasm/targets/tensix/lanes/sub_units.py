"""The five sub-units, and what each of them executes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from nasm.targets.tensix.lanes.arithmetic import SFPADD, SFPADDI, SFPMAD, SFPMUL, SFPMULI
from nasm.targets.tensix.lanes.configuration import SFPCONFIG, SFPMOV, SFPNOP
from nasm.targets.tensix.lanes.conversions import SFP_STOCH_RND, SFPCAST
from nasm.targets.tensix.lanes.dst_access import SFPSTORE
from nasm.targets.tensix.lanes.float_fields import (
    SFPDIVP2,
    SFPEXEXP,
    SFPEXMAN,
    SFPSETEXP,
    SFPSETMAN,
    SFPSETSGN,
)
from nasm.targets.tensix.lanes.integers import (
    SFPABS,
    SFPAND,
    SFPIADD,
    SFPLZ,
    SFPNOT,
    SFPOR,
    SFPSHFT,
    SFPXOR,
)
from nasm.targets.tensix.lanes.permutations import SFPSHFT2, SFPSWAP, SFPTRANSP
from nasm.targets.tensix.lanes.predication import SFPCOMPC, SFPENCC, SFPPOPC, SFPPUSHC, SFPSETCC
from nasm.targets.tensix.lanes.tables import SFPLUT, SFPLUTFP32

LOAD, SIMPLE, MAD, ROUND, STORE = "load", "simple", "MAD", "round", "store"

SUB_UNITS: Final[Mapping[str, Mapping[str, Callable[..., None]]]] = {
    SIMPLE: {
        "SFPABS": SFPABS,
        "SFPAND": SFPAND,
        "SFPCAST": SFPCAST,
        "SFPCOMPC": SFPCOMPC,
        "SFPCONFIG": SFPCONFIG,
        "SFPDIVP2": SFPDIVP2,
        "SFPENCC": SFPENCC,
        "SFPEXEXP": SFPEXEXP,
        "SFPEXMAN": SFPEXMAN,
        "SFPIADD": SFPIADD,
        "SFPLZ": SFPLZ,
        "SFPMOV": SFPMOV,
        "SFPNOP": SFPNOP,
        "SFPNOT": SFPNOT,
        "SFPOR": SFPOR,
        "SFPPOPC": SFPPOPC,
        "SFPPUSHC": SFPPUSHC,
        "SFPSETCC": SFPSETCC,
        "SFPSETEXP": SFPSETEXP,
        "SFPSETMAN": SFPSETMAN,
        "SFPSETSGN": SFPSETSGN,
        "SFPSHFT": SFPSHFT,
        "SFPSWAP": SFPSWAP,
        "SFPTRANSP": SFPTRANSP,
        "SFPXOR": SFPXOR,
    },
    MAD: {
        "SFPADD": SFPADD,
        "SFPADDI": SFPADDI,
        "SFPLUT": SFPLUT,
        "SFPLUTFP32": SFPLUTFP32,
        "SFPMAD": SFPMAD,
        "SFPMUL": SFPMUL,
        "SFPMULI": SFPMULI,
        "SFPNOP": SFPNOP,
    },
    ROUND: {"SFPNOP": SFPNOP, "SFPSHFT2": SFPSHFT2, "SFP_STOCH_RND": SFP_STOCH_RND},
    STORE: {"SFPSTORE": SFPSTORE},
}
"""What macros can put off to each sub-unit. Loads, and SFPNOP if it is issued, are of ``LOAD``."""


def sub_unit(mnemonic: str) -> str:
    """The sub-unit that executes an instruction which is issued."""
    if mnemonic == "SFPNOP":
        return LOAD
    return next((unit for unit, known in SUB_UNITS.items() if mnemonic in known), LOAD)
