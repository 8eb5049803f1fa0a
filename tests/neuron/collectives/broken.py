"""What ranks exchange."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import hbm, sbuf

TILES = {
    "x": hbm("f32", (8, 4)),
    "y": hbm("f32", (8, 4)),
    "z": hbm("f32", (8, 4)),
    "h": hbm("bf16", (8, 4)),
    "s": sbuf("f32", (8, 4)),
    "t": sbuf("f32", (8, 4)),
    "u": sbuf("f32", (8, 2, 2)),
    "v": sbuf("f32", (8, 2, 2)),
    "p": hbm("float8_e4m3fn_x4", (8, 4)),
    "q": hbm("float8_e4m3fn_x4", (8, 4)),
    "counts": hbm("u32", (3, 1)),
    "signed": hbm("i32", (3, 1)),
    "placed": hbm("u32", (4, 1)),
}


def cases() -> list[Broken]:
    five = "[x, x, x, x, x]"
    found = [
        ("only all_reduce, reduce", "E0407", "all_reduce without op=", "y, x, all_reduce"),
        ("only all_reduce, reduce", "E0407", "op=add of all_gather", "y, x, all_gather, op=add"),
        ("collective_permute has pairs", "E0407", "without pairs=", "y, x, collective_permute"),
        (
            "collective_permute has pairs",
            "E0407",
            "groups= of collective_permute",
            "y, x, collective_permute, pairs=[[0, 1]], groups=[[0]]",
        ),
        (
            "collective_permute has pairs",
            "E0407",
            "pairs= of all_gather",
            "y, x, all_gather, pairs=[[0, 1]]",
        ),
        (
            "groups do not overlap",
            "E0407",
            "rank 1 is in groups twice",
            "y, x, all_gather, groups=[[0, 1], [1, 2]]",
        ),
        (
            "each rank is once a source",
            "E0407",
            "rank 0 is a source twice",
            "y, x, collective_permute, pairs=[[0, 1], [0, 2]]",
        ),
        (
            "each rank is once a source",
            "E0407",
            "rank 2 is a target twice",
            "y, x, collective_permute, pairs=[[0, 2], [1, 2]]",
        ),
        (
            "there is a destination for each",
            "E0404",
            "1 destinations, 2 sources",
            "y, [x, z], all_gather",
        ),
        (
            "there is a destination for each",
            "E0404",
            "without srcs1=",
            "y, x, collective_permute_implicit_reduce, op=add",
        ),
        (
            "there is a destination for each",
            "E0404",
            "srcs1 has 2 tensors, srcs 1",
            "y, x, collective_permute_implicit_reduce, op=add, srcs1=[x, z]",
        ),
        (
            "there is a destination for each",
            "E0404",
            "srcs1= of all_gather",
            "y, x, all_gather, srcs1=z",
        ),
        (
            "collective_permute and the operations",
            "E0410",
            "collective_permute of 2 tensors",
            "[y, z], [x, x], collective_permute, pairs=[[0, 1]]",
        ),
        (
            "collective_permute and the operations",
            "E0410",
            "collective_permute_implicit of 5 tensors",
            f"{five}, {five}, collective_permute_implicit",
        ),
        ("all tensors are in HBM", "E0406", "hbm and sbuf", "y, s, all_reduce, op=add"),
        ("SBUF is for", "E0408", "all_to_all of tensors in sbuf", "s, t, all_to_all"),
        ("SBUF is for", "E0408", "several tensors in sbuf", "[s, t], [t, s], all_gather"),
        ("tensors in SBUF have two", "E0404", "u is [8, 2, 2]", "u, v, all_reduce, op=add"),
        ("dim= is of", "E0407", "dim=1 of all_gather in hbm", "y, x, all_gather, dim=1"),
        (
            "dim= is of",
            "E0407",
            "dim=1 of reduce_scatter in sbuf",
            "s, t, reduce_scatter, op=add, dim=1",
        ),
        ("all tensors of a collective", "E0405", "bfloat16 and float32", "h, x, all_gather"),
        (
            "what is combined has plain",
            "E0405",
            "p is float8_e4m3fn_x4",
            "q, p, all_reduce, op=add",
        ),
        (
            "a tensor of a collective has a place",
            "E0407",
            "x is addressed by a register",
            "y[0:4], x[%r0 : +4], all_gather",
        ),
        (
            "every element of a destination",
            "E0404",
            "y walks some elements more",
            "y[0:1, 0:1].broadcast(8, 4), x, all_gather",
        ),
        ("all_gather_v and all_to_all_v", "E0407", "without metadata=", "y, x, all_to_all_v"),
        (
            "all_gather_v and all_to_all_v",
            "E0407",
            "metadata= of all_gather",
            "y, x, all_gather, metadata=counts",
        ),
        ("metadata is uint32", "E0405", "signed is int32", "y, x, all_to_all_v, metadata=signed"),
        (
            "has_rdispls=true is",
            "E0408",
            "has_rdispls=true of all_to_all_v on v3",
            "y, x, all_to_all_v, metadata=placed, has_rdispls=true",
        ),
        (
            "a collective takes a priority",
            "E0408",
            "priority=1 on v3",
            "y, x, all_gather, priority=1",
        ),
    ]
    return [
        Broken("Collective", sentence, code, piece, f"@cc Collective {operands}", tiles=TILES)
        for sentence, code, piece, operands in found
    ]
