"""What a tile has its two networks move: reads, writes, multicasts, inline writes.

Source: the public ISA documentation of Wormhole B0, NoC.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nasm.isa.effects import Packet
from nasm.isa.instruction import Operand
from nasm.isa.kinds import Number
from nasm.targets.tensix.isa.network_operands import (
    BYTES,
    CORNERS,
    ENGINE,
    HERE,
    HOST_ID,
    ID,
    MAJOR_AXIS,
    PAGE,
    RECTANGLE,
    REQUEST,
    SAFE,
    SELF,
    STATIC,
    STATIC_CHANNEL,
    TENSORS,
    THERE,
    WORD,
    X_OF,
    Y_OF,
    aligned,
    connected,
    coordinates,
    count_of,
    labels,
    lengths,
    network_of,
    spreading,
)
from nasm.targets.tensix.isa.table import ISA
from nasm.views.view import View


@ISA.instruction(
    Operand("Dst", HERE, "@", doc="where they go, in this tile"),
    Operand("Src", THERE, "@", doc="where they are"),
    X_OF,
    Y_OF,
    BYTES,
    STATIC,
    ID,
    ENGINE,
    rules=(lengths("Dst", "Src"), connected("Src"), STATIC_CHANNEL),
    posts=1,
    source=f"{PAGE}: NOC_CMD_RD",
    setup=TENSORS,
    example="NOC_READ a, b  $got++",
    formula="Dst of this tile = Src of another one",
    **REQUEST,
)
def NOC_READ(
    Dst: Any, Src: Any, X: int, Y: int, Bytes: int, Vc: int, Id: int, engine: str
) -> Packet:
    """Read bytes of another tile, of DRAM or of the host into L1.

    A request of one flit goes there, and the response with the bytes comes back. It posts once all
    of them have been written here.
    """
    count = count_of(Bytes, Dst, Src)
    return Packet(
        network_of(engine), count, Dst, Src, coordinates(X, Y), fetches=True, **labels(Id, Vc)
    )


def _writing(posted: bool) -> Callable[..., Packet]:
    def send(
        Dst: Any, Src: Any, X: int, Y: int, Bytes: int, Vc: int, Id: int, engine: str
    ) -> Packet:
        count = count_of(Bytes, Src, Dst)
        return Packet(
            network_of(engine),
            count,
            Src,
            Dst,
            coordinates(X, Y),
            reply=not posted,
            **labels(Id, Vc),
        )

    return send


_WRITE_OPERANDS: Final = (
    Operand("Dst", THERE, "@", doc="where they go"),
    Operand("Src", HERE, "@", doc="where they are, in this tile"),
    X_OF,
    Y_OF,
    BYTES,
    STATIC,
    ID,
    ENGINE,
)
_WRITE_RULES: Final = (lengths("Src", "Dst"), connected("Dst"), STATIC_CHANNEL)


@ISA.instruction(
    *_WRITE_OPERANDS,
    rules=(*_WRITE_RULES, HOST_ID),
    posts=1,
    source=f"{PAGE}: NOC_CMD_WR, NOC_CMD_RESP_MARKED",
    setup=TENSORS,
    example="NOC_WRITE b, a  $got++",
    formula="Dst of another tile = Src of this one",
    **REQUEST,
)
def NOC_WRITE(
    Dst: Any, Src: Any, X: int, Y: int, Bytes: int, Vc: int, Id: int, engine: str
) -> Packet:
    """Write bytes of L1 to another tile, to DRAM or to the host, with an acknowledgement.

    It posts once that has come back. Request and acknowledgement together go once round the torus,
    on each axis on which the two tiles differ, so that the time does not depend on the distance.
    """
    return _writing(False)(Dst, Src, X, Y, Bytes, Vc, Id, engine)


@ISA.instruction(
    *_WRITE_OPERANDS,
    rules=_WRITE_RULES,
    source=f"{PAGE}: NOC_CMD_WR without NOC_CMD_RESP_MARKED",
    setup=TENSORS,
    example="NOC_WRITE_POSTED b, a",
    formula="Dst of another tile = Src of this one",
    instead={"NOC_WRITE": "where something has to wait until the bytes are there"},
    **REQUEST,
)
def NOC_WRITE_POSTED(
    Dst: Any, Src: Any, X: int, Y: int, Bytes: int, Vc: int, Id: int, engine: str
) -> Packet:
    """Write bytes of L1 elsewhere, without an acknowledgement: nothing says when they are there."""
    return _writing(True)(Dst, Src, X, Y, Bytes, Vc, Id, engine)


_MULTICAST_OPERANDS: Final = (
    Operand("Dst", THERE, "@", doc="where they go in each tile: an address, or a tensor of one"),
    Operand("Src", HERE, "@", doc="where they are, in this tile"),
    *CORNERS,
    BYTES,
    MAJOR_AXIS,
    SELF,
    STATIC,
    ID,
    ENGINE,
)
_MULTICAST_RULES: Final = (lengths("Src", "Dst"), RECTANGLE, STATIC_CHANNEL)
_MULTICAST_EXAMPLE: Final = "b, a, X0=3, Y0=3, X1=4, Y1=4"


@ISA.instruction(
    *_MULTICAST_OPERANDS,
    rules=_MULTICAST_RULES,
    posts=1,
    spreads=True,
    source=f"{PAGE}: NOC_CMD_BRCST_PACKET; RoutingPaths",
    setup=TENSORS,
    example=f"NOC_MULTICAST {_MULTICAST_EXAMPLE}  $got += 4",
    formula="Dst of each Tensix tile of a rectangle = Src of this tile",
    **REQUEST,
)
def NOC_MULTICAST(
    Dst: Any,
    Src: Any,
    X0: int,
    Y0: int,
    X1: int,
    Y1: int,
    Bytes: int,
    Major: str,
    Include: bool,
    Vc: int,
    Id: int,
    engine: str,
) -> Packet:
    """Write bytes of L1 to the same place of every Tensix tile of a rectangle.

    Both corners belong to it, and it goes round the torus where the first one is past the last.
    Tiles of other kinds do not listen. Each receiver's acknowledgement posts 1.
    """
    more = spreading(network_of(engine), (X0, Y0, X1, Y1), Major, Include, Vc, Id)
    return Packet(count=count_of(Bytes, Src, Dst), here=Src, there=Dst, **more)


@ISA.instruction(
    *_MULTICAST_OPERANDS,
    rules=_MULTICAST_RULES,
    source=f"{PAGE}: NOC_CMD_BRCST_PACKET without NOC_CMD_RESP_MARKED",
    setup=TENSORS,
    example=f"NOC_MULTICAST_POSTED {_MULTICAST_EXAMPLE}",
    formula="Dst of each Tensix tile of a rectangle = Src of this tile",
    instead={"NOC_MULTICAST": "where something has to wait until the bytes are there"},
    **REQUEST,
)
def NOC_MULTICAST_POSTED(
    Dst: Any,
    Src: Any,
    X0: int,
    Y0: int,
    X1: int,
    Y1: int,
    Bytes: int,
    Major: str,
    Include: bool,
    Vc: int,
    Id: int,
    engine: str,
) -> Packet:
    """Write bytes of L1 to every Tensix tile of a rectangle, without acknowledgements."""
    more = spreading(network_of(engine), (X0, Y0, X1, Y1), Major, Include, Vc, Id)
    return Packet(count=count_of(Bytes, Src, Dst), here=Src, there=Dst, reply=False, **more)


@ISA.instruction(
    Operand("Dst", THERE, "@", doc="the word, or with a Mask its 16 bytes"),
    Operand("Value", WORD, doc="32 bits"),
    X_OF,
    Y_OF,
    Operand(
        "Mask",
        Number(integer=True, low=0, high=0xFFFF),
        default=0,
        doc="which of the aligned 16 bytes get the value, repeated; 0: the word at Dst",
        keyword=True,
    ),
    STATIC,
    ID,
    ENGINE,
    rules=(SAFE, connected("Dst"), STATIC_CHANNEL, aligned(4), HOST_ID),
    posts=1,
    source=f"{PAGE}: NOC_CMD_WR_INLINE",
    setup=TENSORS,
    example="NOC_INLINE_WRITE v[0:1], 42  $got++",
    formula="the word Dst of another tile = Value",
    **REQUEST,
)
def NOC_INLINE_WRITE(
    Dst: Any, Value: int, X: int, Y: int, Mask: int, Vc: int, Id: int, engine: str
) -> Packet:
    """Write a number to a word of another tile, in a packet of one flit; with acknowledgement."""
    word = (Value & 0xFFFFFFFF).to_bytes(4, "little")
    network, to, more = network_of(engine), coordinates(X, Y), labels(Id, Vc)
    if not Mask:
        return Packet(network, 4, there=Dst, to=to, data=word, **more)
    only = tuple(n for n in range(16) if Mask >> n & 1)
    there = Dst if isinstance(Dst, View) else Dst & -16
    return Packet(network, 16, there=there, to=to, data=4 * word, only=only, **more)
