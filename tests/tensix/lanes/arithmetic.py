"""Numbers of the vector unit one at a time, with Python's integers; knows nothing of nasm."""

from __future__ import annotations

WORD = 0xFFFFFFFF
SIGN = 0x80000000


def multiply_add(x: int, y: int, z: int) -> int:
    """The bits of x * y + z of those of floats, step by step as the facts have it."""

    def split(v: int) -> tuple[int, int, int]:
        e = v >> 23 & 255
        return v >> 31, e, (v & 0x7FFFFF | 0x800000) if e else 0

    (sx, ex, mx), (sy, ey, my), (sz, ez, mz) = split(x), split(y), split(z)
    sp, ep = sx ^ sy, ex + ey - 127
    p, dropped = divmod(mx * my * 8, 1 << 23)
    if dropped:
        p |= 1
    q = mz * 8
    nan = None
    if 255 in (ex, ey, ez) or ep >= 255:
        infinite = ex == 255 or ey == 255 or ep >= 255
        hidden = 0x800000
        bad = (ex == 255 and (mx != hidden or my == 0)) or (ey == 255 and (my != hidden or mx == 0))
        if bad or (ez == 255 and mz == hidden and infinite and sz != sp):
            nan = sp << 31 | 0x7F800001
        elif ez == 255 and mz != hidden:
            nan = sz << 31 | 0x7F800001
        elif ez == 255:
            return z
        else:
            return sp << 31 | 0x7F800000
        ep = min(ep, 255)
    if p == 0 or ep < 0:
        if nan is None:
            return z if mz else 0
        p = ep = 0
    er = max(ep, ez)
    p, q = _aligned(p, er - ep), _aligned(q, er - ez)
    total = (-p if sp else p) + (-q if sz else q)
    if total == 0:
        return nan or 0
    size, sign = abs(total), int(total < 0)
    n = size.bit_length() - 27
    er += n
    if er >= 255:
        return nan or sign << 31 | 0x7F800000
    if er < 0:
        return nan or 0
    size = size << -n if n <= 0 else size >> n | size & 1
    low, r = size & 7, er << 23 | size >> 3 & 0x7FFFFF
    if low > 4 or (low == 4 and r & 1):
        r += 1
    if r >> 23 == 0:
        return nan or 0
    return nan | r if nan else sign << 31 | r


def _aligned(m: int, by: int) -> int:
    kept = m >> by if by < 32 else 0
    return kept | 1 if kept and kept << by != m else kept


def signed(x: int) -> int:
    return x - (1 << 32) if x & SIGN else x


def order(x: int) -> int:
    """Where sign and magnitude stand: -0 below 0."""
    return -(x & 0x7FFFFFFF) - 1 if x & SIGN else x


def shift(x: int, amount: int) -> int:
    return x << (amount & 31) & WORD if amount >= 0 else x >> (-amount & 31)


def lut8(x: int) -> int:
    return 0 if x == 0xFF else (x >> 7) << 31 | (127 - (x >> 4 & 7)) << 23 | (x & 15) << 19


def lut16(x: int) -> int:
    e = x >> 10 & 31
    return (x >> 15) << 31 | (0 if e == 31 else 112 + e) << 23 | (x & 0x3FF) << 13


def cast(c: int, drawn: int | None) -> int:
    """Sign and magnitude to a float; to nearest without a draw."""
    size = c & 0x7FFFFFFF
    if not size:
        return c & SIGN
    zeros = 32 - size.bit_length()
    norm = size << zeros
    d = (c & SIGN) + ((157 - zeros) << 23) + (norm >> 8)
    if drawn is not None:
        return d + ((norm & 0xFE) > (drawn >> 9 & 0xFE))
    return d + (norm & 0x80 > 0 and norm & 0x17F > 0)


def rounded(mode: int, x: int, by: int, least: int) -> int:
    """SFP_STOCH_RND of one lane: 23 bits that are cut off round up from ``least`` on."""
    exp = x >> 23 & 255
    if mode < 2:
        if exp == 0:
            return 0
        if exp == 255:
            return x & 0xFF800000
        cut = 16 if mode else 13
        low = x % (1 << cut)
        return x - low + ((1 << cut) if low << (23 - cut) >= least else 0)
    most = {2: 255, 3: 127, 4: 255, 5: 127, 6: 65535, 7: 32767}[mode]
    sign = x & SIGN if mode in (3, 5, 7) else 0
    if mode in (4, 5):
        mag = (x & 0x7FFFFFFF) << 23 >> by
    else:
        e = exp - 127
        if e < -1:
            return 0
        if e >= 16:
            return sign | most
        mag = 0x800000 | x & 0x7FFFFF
        mag = mag << e if e >= 0 else mag >> -e
    mag = min((mag >> 23) + ((mag & 0x7FFFFF) >= least), most)
    return sign | mag if mag else 0


def loadi(mode: int, imm: int, old: int) -> int:
    if mode == 0:
        return imm << 16
    if mode == 1:
        return (imm >> 15) << 31 | ((imm >> 10 & 31) + 112) << 23 | (imm & 0x3FF) << 13
    if mode == 2:
        return imm
    if mode == 4:
        return imm | 0xFFFF0000 if imm & 0x8000 else imm
    return imm << 16 | old & 0xFFFF if mode == 8 else old & 0xFFFF0000 | imm


def step(state: int) -> int:
    taps = (state & 0x80200003).bit_count()
    return (~taps & 1) << 31 | state >> 1


def twos(x: int) -> int:
    """Sign and magnitude to two's complement."""
    return -(x & 0x7FFFFFFF) & WORD if x & SIGN else x


def sign_mag(x: int) -> int:
    return SIGN | -x & 0x7FFFFFFF if x & SIGN else x


def out_of_dst(mode: int, x: int, old: int, infinite: bool) -> int:
    """What SFPLOAD makes of 16 or 32 bits."""
    if mode in (3, 4, 10, 12):
        hi = x >> 16
        fp = (hi & 0x8000 | (hi & 0xFF) << 7 | hi >> 8 & 0x7F) << 16 | x & 0xFFFF
        return twos(fp) if mode == 12 else fp
    sign = (x >> 15) << 31
    if mode == 1:
        man, exp = x >> 5 & 0x3FF, x & 31
        if infinite and (man, exp) == (0x3FF, 31):
            return sign | 0x7F800000
        return sign | (exp + 112 if exp else 0) << 23 | man << 13
    return {
        2: (x & 0x8000 | (x & 0xFF) << 7 | x >> 8 & 0x7F) << 16,
        5: sign | x >> 5 & 0x7F,
        6: x,
        7: x << 16,
        8: sign | x & 0x7FFF,
        9: x,
        11: 0,
        13: twos(sign | x >> 5 & 0x3FF),
        14: old & 0xFFFF0000 | x,
        15: x << 16 | old & 0xFFFF,
    }[mode]


def into_dst(mode: int, x: int, flush: bool) -> int:
    """What SFPSTORE makes of a lane: 16 bits, or 32 of some modes."""
    if mode == 1:
        exp = (x >> 23 & 255) - 112
        man = x >> 13 & 0x3FF
        if exp <= 0:
            exp = man = 0
        elif exp > 31:
            exp, man = 31, 0x3FF
        return (x >> 31) << 15 | man << 5 | exp
    if (mode == 2 or (mode == 3 and flush)) and not x & 0x7F800000:
        x &= SIGN
    if mode == 2:
        x >>= 16
        return x & 0x8000 | (x & 0x7F) << 8 | x >> 7 & 0xFF
    if mode in (3, 4, 10, 12):
        if mode == 12:
            x = sign_mag(x)
        hi = x >> 16
        return (hi & 0x8000 | (hi & 0x7F) << 8 | hi >> 7 & 0xFF) << 16 | x & 0xFFFF
    if mode in (5, 13):
        x = sign_mag(x) if mode == 13 else x
        return (x >> 31) << 15 | (x & 0x3FF) << 5 | 16
    return {
        6: x & 0xFFFF,
        7: x,
        8: (x >> 31) << 15 | x & 0x7FFF,
        9: (x << 16 | x >> 16) & WORD,
        11: 0,
        14: x & 0xFFFF,
        15: x >> 16,
    }[mode]
