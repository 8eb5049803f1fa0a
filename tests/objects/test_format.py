"""The bytes of an object file, read by nothing of ours but docs/object-format.md."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.base.source_files import ObjectFile
from nasm.language.objects import load
from nasm.language.objects.writing import written
from tests.toy.target import TARGETS

TEXT = """\
.target trn2
.const N = 8
.hbm A f32[128, 16] input = normal(seed=3)
.sbuf a f32[128, 16]
.sem ready
@sync DmaCopy a, A $ready += 16
again: @vector Memset a[:, 2:N], 1.5 $ready >= 16
@vector Memset a[:, 2:N], 1.5
.expect a[0, 2] == N - 6.5
"""

TYPES = "BIiqd"


def parts(data: bytes) -> dict[str, bytes]:
    magic, version, count, size = struct.unpack_from("<8sHHQ", data)
    assert (magic, version, size) == (b"\x8enasm\r\n\x1a", 1, len(data))
    end = 20 + 28 * count
    assert struct.unpack_from("<I", data, end)[0] == zlib.crc32(data[:end])
    found = {}
    for number in range(count):
        name, at, length, checksum = struct.unpack_from("<8sQQI", data, 20 + 28 * number)
        body = data[at : at + length]
        assert zlib.crc32(body) == checksum
        found[name.rstrip(b"\0").decode()] = body
    return found


def columns(body: bytes) -> list[list[Any]]:
    found, at = [], 0
    while at < len(body):
        kind, count = struct.unpack_from("<II", body, at)
        made = struct.unpack_from(f"<{count}{TYPES[kind]}", body, at + 8)
        found.append(list(made))
        at += 8 + count * struct.calcsize(f"<{TYPES[kind]}")
    return found


def test_an_object_is_what_the_page_says() -> None:
    source = Source("small.nasm", TEXT)
    found = parts(written(nasm.assemble(source), source))
    machine = json.loads(found["machine"])
    assert machine["target"] == "trn2"
    assert machine["constants"] == [["N", 8]]
    assert machine["counters"] == [[0, "ready"]]
    assert machine["cores"] == 1
    first, second = json.loads(found["tensors"])
    assert first["init"] == ["normal", 3]
    assert (first["name"], first["memory"], first["shape"]) == ("A", "hbm", [128, 16])
    assert (second["dtype"], second["place"], second["init"]) == ("float32", [0, 0], None)
    queues = {q["engine"]: q for q in json.loads(found["queues"]) if q["lines"]}
    assert {e: q["lines"] for e, q in queues.items()} == {"vector": 2, "sync": 1}
    assert queues["vector"]["labels"] == [["again", 0]]
    # Two lines of Memset share instruction 0, which the first queue with lines uses first.
    assert columns(found["lines"]) == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert columns(found["sync"]) == [[0], [0], [16], [0], [0], [16], [0]]
    rows = json.loads(found["rows"])
    assert [name for name, _ in rows] == ["Memset", "DmaCopy"]
    which, given = columns(found["code"])
    assert which == [0, 1]
    kinds, payloads, items = columns(found["values"])
    assert (kinds[0], payloads[0], items) == (0, 0, [])
    view, number = given[:2]
    assert (kinds[view], kinds[number]) == (6, 3)
    assert struct.unpack("<d", struct.pack("<q", payloads[number])) == (1.5,)
    table = columns(found["views"])
    at = payloads[view]
    assert (table[0][at], table[2][at], table[4][at]) == (1, 2, 2 * 4)
    start = sum(table[2][:at])
    assert (table[5][start : start + 2], table[6][start : start + 2]) == ([128, 6], [1, 1])
    assert json.loads(found["expect"]) == [".expect  a[0, 2] == N - 6.5"] or json.loads(
        found["expect"]
    ) == [".expect  a[0, 2] == N - 6.5".replace("  ", " ", 1)]
    assert json.loads(found["debug"])["texts"] == [["small.nasm", TEXT]]
    spans = columns(found["spans"])
    of_lines, _ = columns(found["places"])
    text, start_at, end_at, _ = (column[of_lines[0] - 1] for column in spans)
    assert text == 0
    assert TEXT[start_at:end_at].startswith("Memset a[:, 2:N]")


def test_an_object_of_a_target_that_is_missing_is_not_called_damaged() -> None:
    source = Source("small.nasm", TEXT)
    file = ObjectFile("small.nobj", written(nasm.assemble(source), source))
    with pytest.raises(Failure) as refused:
        load(file, TARGETS)
    (problem,) = refused.value.problems
    text = "it is for 'trn2', which this version does not have"
    assert problem.message == f"cannot use small.nobj: {text}"
