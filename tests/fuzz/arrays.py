"""Array files: damaged ones, through every door by which a program gets them."""

from __future__ import annotations

import atexit
import functools
import io
import re
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from nasm.apps.cli import arrays
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine import tensor_io
from nasm.program.program import Program
from nasm.targets import TARGETS
from tests.fuzz import promises
from tests.fuzz.finding import Found

SHAPE = (4, 8)
DTYPES = (*["<f4"] * 12, ">f4", "<f8", "<i4", "|u1", "|V2", "<c8", "|O", "<U3", "|b1", "<f2")
WORDS = (
    *(
        "(4, 8)",
        "(8, 4)",
        "(32,)",
        "()",
        "(4, 8, 1)",
        "(4L, 8)",
        "(True, 32)",
        "(-4, 8)",
        "(4.0, 8)",
    ),
    *(
        "(18446744073709551616, 8)",
        "(4, 8",
        "{",
        "}",
        "'descr'",
        "'<f4'",
        "'|O'",
        "'<M8[s]'",
        "'<V4'",
    ),
    *("True", "False", "None", "0", "[('a', '<f4')]", "(('<f4', (2,)))", "'" * 9, "(" * 300, "\n"),
    *(
        "9" * 5000,
        "(4, 1152921504606846976)",
        "1 << 70",
        "'\x00'",
        "\ud7ff",
        "'f4, f4'",
        "'<f4\\n'",
    ),
)
HEAD = ".target trn2\n.hbm a f32[4, 8] input"


class Arrays:
    """Files, .npy and .npz."""

    name, suffix, each = "arrays", ".bin", 1
    memory, seconds = 128 << 20, 5.0

    def __init__(self) -> None:
        # In memory where there is such a folder: the file is written for every input.
        shm = Path("/dev/shm")
        self.folder = Path(tempfile.mkdtemp(dir=shm if shm.is_dir() else None))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.paths = f"{self.folder}/x.npy", f"{self.folder}/x.npz:a"
        zero = {"a": np.zeros(SHAPE, np.float32)}
        self.given = Session(_program(HEAD), zero)
        self.doors = {
            path: (_program(f'{HEAD} = "{path}"'), Session(_program(_golden(path)), zero))
            for path in self.paths
        }
        for _, golden in self.doors.values():
            golden.run(hashes=False)

    def make(self, rng: Random) -> bytes:
        """A file, damaged or of something else than is wanted."""
        data = _npy(rng, _array(rng))
        if rng.random() < 0.3:
            data = _edited(rng, data)
        if rng.random() < 0.001:
            data = _bomb()
        elif rng.random() < 0.5:
            data = _archive(rng, data)
        for _ in range(rng.choice([0, 0, 1, 1, 2, 5])):
            data = _damaged(rng, data)
        return data

    def check(self, data: bytes) -> None:
        """Give it to a program in each of the three ways."""
        path = self.paths[(b"PK" in data[:64]) ^ promises.chosen(data, 16)]
        Path(path.removesuffix(":a")).write_bytes(data)
        initialised, golden = self.doors[path]
        given = self._taken(lambda: self._loaded(self.given.program, path))
        if given is None and promises.chosen(data, 2):
            return  # two doors more are as much work again
        named = self._taken(lambda: self._loaded(initialised, ""))
        if given != named:
            said = f"{given and given.hex()}\n{named and named.hex()}"
            raise Found("hash", "--in and an initialiser take a file differently", said)
        judged = self._taken(lambda: repr(golden.expectations()).encode())
        if given is not None and judged is None:
            raise Found("hash", "--in takes a file that no expectation can read", path)

    def _loaded(self, program: Program, path: str) -> bytes:
        """The tensor's bytes, as a new session would have them."""
        addresses = self.given.machine.addresses
        tensor_io.load(program, addresses, arrays.given([("a", path)]) if path else {})
        return self.given.read("a").tobytes()

    def _taken(self, load: Callable[[], bytes]) -> bytes | None:
        """What was read, or None if the file was refused as it should be."""
        try:
            return load()
        except Failure as failure:
            told = promises.refused(failure)
            for word in ("allow_pickle", "E0808"):
                if word in told:
                    raise Found("diagnostic", f"{word} about a damaged file", told) from None
            return None

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """A damaged file is not cut: what makes it one is where its bytes stand."""
        return iter(())


def _golden(path: str) -> str:
    return f'{HEAD}\n.expect a == "{path}"'


def _program(text: str) -> Program:
    return assemble(Source("door.nasm", text + "\n"), TARGETS)


def _array(rng: Random) -> np.ndarray[Any, Any]:
    dtype = np.dtype(rng.choice(DTYPES))
    shape = rng.choice([*[SHAPE] * 12, (8, 4), (32,), (), (0, 8), (4, 8, 1), (4, 9)])
    if dtype.hasobject:
        return np.full(shape, None, dtype)
    return (
        np.frombuffer(rng.randbytes(1 + 400 * dtype.itemsize), np.uint8)[1:]
        .view(dtype)[: int(np.prod(shape))]
        .reshape(shape)
    )


def _npy(rng: Random, array: np.ndarray[Any, Any]) -> bytes:
    out = io.BytesIO()
    if rng.random() < 0.1:
        array = np.asfortranarray(array)
    version = rng.choice([(1, 0), (1, 0), (2, 0), (3, 0)])
    np.lib.format.write_array(out, array, version, allow_pickle=True)
    return out.getvalue()


def _edited(rng: Random, data: bytes) -> bytes:
    """Another word in the header, whose length may stay what it was."""
    start = 10 if data[6] == 1 else 12
    end = data.find(b"\n", start) + 1
    header = data[start:end].decode("latin-1")
    words = list(re.finditer(r"'[^']*'|\([^)]*\)|\w+|[{}:,]", header))
    for match in [rng.choice(words)] if words else []:
        header = header[: match.start()] + rng.choice(WORDS) + header[match.end() :]
    new = header.encode("utf-8", "replace")
    if rng.random() < 0.5:
        new = new.rstrip(b"\n ")[: end - start - 1].ljust(end - start - 1) + b"\n"
        return data[:start] + new + data[end:]
    size = struct.pack("<H", len(new) & 0xFFFF) if start == 10 else struct.pack("<I", len(new))
    return data[:8] + size + new + data[end:]


def _archive(rng: Random, data: bytes) -> bytes:
    out = io.BytesIO()
    kind = rng.choices(range(4), (10, 10, 1, 1))[0]
    kind = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)[kind]
    with zipfile.ZipFile(out, "w", kind) as archive:
        archive.writestr(rng.choice(["a.npy", "a.npy", "a.npy", "a", "b.npy", "../a.npy"]), data)
        if rng.random() < 0.3:
            archive.writestr("other.npy", data[:80])
    return out.getvalue()


@functools.cache
def _bomb() -> bytes:
    """An archive that holds far more than it seems to, and than a process may have."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("a.npy", "w") as member,
    ):
        np.save(member, np.zeros(SHAPE, np.float32))
        for _ in range(160):
            member.write(bytes(1 << 20))
    return out.getvalue()


def _damaged(rng: Random, data: bytes) -> bytes:
    """Other bytes, fewer, or more; often where the structure is."""
    size = len(data)
    if not size:
        return data
    at = min(size - 1, rng.choice([rng.randrange(size), rng.randrange(min(size, 128)), size - 1]))
    if rng.random() < 0.3:  # the directory of an archive
        at = max(0, size - 1 - rng.randrange(128))
    match rng.randrange(6):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + data[at + rng.randint(1, 16) :]
        case 2:
            return data[:at] + rng.randbytes(rng.randint(1, 8)) + data[at:]
        case 3:
            new = rng.choice([b"\x00", b"\xff", b"\x7f", b"\xff\xff\xff\xff", b"\x00\x00\x00\x80"])
            return data[:at] + new + data[at + len(new) :]
        case 4:
            return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        case _:
            return data + data[at:]
