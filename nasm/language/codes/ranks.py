"""Codes of several ranks and their collectives."""

from __future__ import annotations

from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0249",
        "a number of ranks that cannot be",
        "`.ranks` says how many machines run the program together, from 1 to 4,096. They meet in "
        "collectives, which not every target has.",
        ".ranks 0",
        ".ranks 4",
    ),
    Code(
        "E0250",
        "a collective of a rank that there is not",
        "Ranks are numbered from 0 on. `.ranks`, or `--ranks` on the command line, says how many "
        "there are.",
        ".ranks 2\n.hbm D bf16[128, 512]\n"
        "@cc Collective D, B, all_reduce, op=add, groups=[[0, 1], [2, 3]]",
        ".ranks 4\n.hbm D bf16[128, 512]\n"
        "@cc Collective D, B, all_reduce, op=add, groups=[[0, 1], [2, 3]]",
    ),
    Code(
        "E0412",
        "tensors of a collective that do not fit its group",
        "What a rank receives follows from the shape of what is sent and from how many ranks take "
        "part: all_gather puts their tensors one after the other, reduce_scatter and all_to_all "
        "cut them into as many parts.",
        ".ranks 4\n.hbm D bf16[256, 512]\n@cc Collective D, B, all_gather",
        ".ranks 4\n.hbm D bf16[128 * ranks, 512]\n@cc Collective D, B, all_gather",
    ),
    Code(
        "E0560",
        "ranks that meet in different collectives",
        "Two ranks wait for each other, and do not ask for the same: the operation, the dtypes and "
        "shapes of the tensors, and what combines them have to be equal. If both are in the "
        "program, the ranks reach them in a different order. The report names the lines of both.",
        ends=True,
    ),
    Code(
        "E0561",
        "ranks that name different groups",
        "Two ranks wait for each other in collectives whose groups differ. Each rank of a group "
        "names the same ranks, in the same order.",
        ends=True,
    ),
    Code(
        "E0562",
        "a rank that is in none of the groups",
        "A rank executes a collective whose groups do not name it, so that there is no other rank "
        "to meet. Name it in a group, or have it branch around the instruction.",
        ends=True,
    ),
    Code(
        "E0563",
        "counts of a collective that do not fit its tensors",
        "all_gather_v and all_to_all_v move as many elements as their metadata says when they "
        "start. A chunk has to be within its source, and to have room where it goes.",
        ends=True,
    ),
    Code(
        "E0564",
        "ranks that wait for ever",
        "Nothing is left to happen, and ranks wait in collectives for others that have ended or "
        "wait elsewhere. The report says at which collective each of them waits, and for which "
        "ranks.",
        ends=True,
    ),
    Code(
        "E0823",
        "a program of several ranks where one machine is wanted",
        "A program with `.ranks` is run by as many machines. `run` and `nasm.run` run all of them; "
        "what is asked about a single machine takes programs of one rank.",
    ),
    Code(
        "E0824",
        "a worker that has ended",
        "A process that had ranks of a run was ended from outside, by the system where memory ran "
        "out, or with its host. The other ranks cannot continue without what it would have sent. "
        "The message says where it was, which ranks it had, and at which collective they last met.",
    ),
    Code(
        "E0870",
        "a worker with tiles that has ended",
        "Tiles of a chip may be simulated in several processes, with `-j`, `--scheduler` or "
        "`executor=`. One of these was ended from outside, by the system where memory ran out, or "
        "with its host. The others cannot continue without it. The message says where it was.",
    ),
    Code(
        "E0825",
        "a rank that sends something else after it was changed",
        "The debugger runs the other ranks as far as the one that is debugged waits for them. If "
        "that goes back, is changed by hand, and then sends something else at a collective, the "
        "others have already received what it sent first. 'restart' begins all of them again.",
        ends=True,
    ),
)
