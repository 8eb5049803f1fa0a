"""Streams as a server for editors has them: bounded, and not closed when it ends."""

from __future__ import annotations

from typing import IO, BinaryIO, Protocol, cast

LONGEST = 64 << 20
"""Bytes of a message; a longer one ends the session, as the end of the input does."""

HEADER = 4096
"""Bytes of a line of a header."""


class ByteStream(Protocol):
    """What can be read: a file, or something like it."""

    def readline(self, size: int, /) -> bytes:
        """A line, of at most so many bytes."""

    def read(self, size: int, /) -> bytes:
        """So many bytes, or fewer at the end."""


class Input:
    """What an editor sends."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """A line of a header; empty at the end, and if it is none."""
        line = self._stream.readline(HEADER)
        return line if line.endswith(b"\n") else b""

    def read(self, size: int) -> bytes:
        """The body of a message; empty where there is no whole one."""
        if size > LONGEST:
            return b""
        body = self._stream.read(size)
        return body if len(body) == size else b""


class WireOutput:
    """What an editor is sent. The caller that opened the stream closes it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Send a message, or a part of one."""
        self._stream.write(data)

    def flush(self) -> None:
        """Send it now."""
        self._stream.flush()

    def close(self) -> None:
        """Nothing more is sent."""


def streams(given: IO[bytes], sent: IO[bytes]) -> tuple[BinaryIO, BinaryIO]:
    """Both, as the server takes them."""
    return cast("BinaryIO", Input(given)), cast("BinaryIO", WireOutput(sent))
