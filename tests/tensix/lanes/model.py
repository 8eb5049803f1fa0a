"""Every instruction of the vector unit, lane by lane, with Python's integers, as documented.

Knows nothing of nasm: ``compare.py`` fills a model from a coprocessor and reads it again.
"""

from __future__ import annotations

from tests.tensix.lanes.arithmetic import (
    SIGN,
    WORD,
    cast,
    into_dst,
    loadi,
    lut8,
    lut16,
    multiply_add,
    order,
    out_of_dst,
    rounded,
    shift,
    signed,
)
from tests.tensix.lanes.model_state import LANES, State

WIDE_LOADS = (3, 4, 10, 12)
WIDE_STORES = (*WIDE_LOADS, 7, 9)


class Model(State):
    """The instructions, by the names of their fields."""

    def SFPMAD(self, VA: int, VB: int, VC: int, VD: int, Mod1: int) -> None:
        L = self.L

        def value(i: int) -> int:
            a = L[L[7][i] & 15 if Mod1 & 4 else VA][i]
            return multiply_add(a, L[VB][i], L[VC][i])

        self.put_l7(VD, Mod1 & 8, value)

    SFPADD = SFPMUL = SFPMAD

    def SFPMULI(self, Imm16: int, VD: int, Mod1: int, VC: int | None = None) -> None:
        c = VD if VC is None else VC
        self.put_l7(VD, Mod1 & 8, lambda i: multiply_add(Imm16 << 16, self.L[c][i], 0))

    def SFPADDI(self, Imm16: int, VD: int, Mod1: int, VC: int | None = None) -> None:
        c = VD if VC is None else VC
        self.put_l7(VD, Mod1 & 8, lambda i: multiply_add(Imm16 << 16, 0x3F800000, self.L[c][i]))

    def SFPLUT(self, VD: int, Mod0: int) -> None:
        def value(i: int) -> int:
            l3 = self.L[3][i]
            b = l3 & ~SIGN
            entry = self.L[0 if b < 0x3F800000 else 1 if b < 0x40000000 else 2][i]
            d = multiply_add(lut8(entry >> 8 & 255), b, lut8(entry & 255))
            return d & ~SIGN | l3 & SIGN if Mod0 & 4 else d

        self.put_l7(VD, Mod0 & 8, value)

    def SFPLUTFP32(self, VD: int, Mod1: int) -> None:
        def value(i: int) -> int:
            l3 = self.L[3][i]
            b = l3 & ~SIGN
            n = 0 if b < 0x3F800000 else 1 if b < 0x40000000 else 2
            lo, hi = self.L[n][i], self.L[4 + n][i]
            if Mod1 & 10 == 10:
                a, c = lut16(lo >> 16), lut16(lo & 0xFFFF)
            elif Mod1 & 2:
                cuts = (0x3F000000, 0x3FC00000, 0x40800000 if Mod1 & 1 else 0x40400000)
                j = 16 if b >= cuts[n] else 0
                a, c = lut16(lo >> j & 0xFFFF), lut16(hi >> j & 0xFFFF)
            else:
                a, c = lo, hi
            d = multiply_add(a, b, c)
            return d & ~SIGN | l3 & SIGN if Mod1 & 4 else d

        direct = Mod1 & 10 == 10 and "no table_bug" in self.quirks
        self.put_l7(VD, 0 if direct else Mod1 & 8, value)

    def SFPIADD(self, Imm12: int, VC: int, VD: int, Mod1: int, VB: int | None = None) -> None:
        b, c = self.L[VD if VB is None else VB], self.L[VC]
        imm = Imm12 - 4096 if Imm12 & 0x800 else Imm12

        def value(i: int) -> int:
            if Mod1 & 1:
                return c[i] + imm
            return c[i] - b[i] if Mod1 & 2 else c[i] + b[i]

        for i in self.each(VD, value):
            if VD < 8 and not Mod1 & 4:
                self.flag[i] = bool(self.L[VD][i] & SIGN)
            if VD < 8 and Mod1 & 8:
                self.flag[i] = not self.flag[i]

    def SFPAND(self, VC: int, VD: int, VB: int | None = None) -> None:
        b = VD if VB is None else VB
        self.each(VD, lambda i: self.L[b][i] & self.L[VC][i])

    def SFPOR(self, VC: int, VD: int, VB: int | None = None) -> None:
        b = VD if VB is None else VB
        self.each(VD, lambda i: self.L[b][i] | self.L[VC][i])

    def SFPXOR(self, VC: int, VD: int, VB: int | None = None) -> None:
        b = VD if VB is None else VB
        self.each(VD, lambda i: self.L[b][i] ^ self.L[VC][i])

    def SFPNOT(self, VC: int, VD: int) -> None:
        self.each(VD, lambda i: ~self.L[VC][i])

    def SFPLZ(self, VC: int, VD: int, Mod1: int) -> None:
        mask = 0x7FFFFFFF if Mod1 & 4 else WORD
        c = [x & mask for x in self.L[VC]]
        for i in self.each(VD, lambda i: 32 - c[i].bit_length()):
            if VD < 8 and Mod1 & 2:
                self.flag[i] = c[i] != 0
            if VD < 8 and Mod1 & 8:
                self.flag[i] = not self.flag[i]

    def SFPSHFT(self, Imm12: int, VC: int, VD: int, Mod1: int, VB: int | None = None) -> None:
        b = VD if VB is None else VB
        imm = Imm12 - 4096 if Imm12 & 0x800 else Imm12
        self.each(VD, lambda i: shift(self.L[b][i], imm if Mod1 & 1 else signed(self.L[VC][i])))

    def SFPABS(self, VC: int, VD: int, Mod1: int) -> None:
        first = 0xFF800000 if "abs_keeps_minus_infinity" in self.quirks else 0xFF800001

        def value(i: int) -> int:
            x = self.L[VC][i]
            if x < SIGN or (Mod1 & 1 and x >= first):
                return x
            return x & ~SIGN if Mod1 & 1 else -x

        self.each(VD, value)

    def SFPMOV(self, VC: int, VD: int, Mod1: int) -> None:
        special = {15: self.config, 8: self.misc}
        special |= {n: self.templates[n] for n in range(4)}
        special |= {n + 4: self.sequences[n] for n in range(4)}
        for i in LANES:
            if not self.on(i) and Mod1 != 2:
                continue
            if not Mod1 & 8:
                x = self.L[VC][i] ^ (SIGN if Mod1 & 1 else 0)
            elif VC == 9:
                x = self.draw(i)
            else:
                x = special[VC][i] if VC in special else 0
            if VD < 8 or VD == 16:
                self.L[VD][i] = x

    def SFPEXEXP(self, VC: int, VD: int, Mod1: int) -> None:
        bias = 0 if Mod1 & 1 else 127
        c = list(self.L[VC])
        for i in self.each(VD, lambda i: (c[i] >> 23 & 255) - bias):
            if VD < 8 and Mod1 & 2:
                self.flag[i] = (c[i] >> 23 & 255) < bias
            if VD < 8 and Mod1 & 8:
                self.flag[i] = not self.flag[i]

    def SFPEXMAN(self, VC: int, VD: int, Mod1: int) -> None:
        self.each(VD, lambda i: (self.L[VC][i] & 0x7FFFFF) + (0 if Mod1 & 1 else 1 << 23))

    def SFPSETEXP(self, Imm8: int, VC: int, VD: int, Mod1: int, VB: int | None = None) -> None:
        def value(i: int) -> int:
            b = self.L[VD if VB is None else VB][i]
            e = Imm8 if Mod1 & 1 else b >> 23 & 255 if Mod1 & 2 else b & 255
            return self.L[VC][i] & 0x807FFFFF | e << 23

        self.each(VD, value)

    def SFPSETMAN(self, Imm12: int, VC: int, VD: int, Mod1: int, VB: int | None = None) -> None:
        def value(i: int) -> int:
            m = Imm12 << 11 if Mod1 & 1 else self.L[VD if VB is None else VB][i] & 0x7FFFFF
            return self.L[VC][i] & 0xFF800000 | m

        self.each(VD, value)

    def SFPSETSGN(self, Imm1: int, VC: int, VD: int, Mod1: int, VB: int | None = None) -> None:
        def value(i: int) -> int:
            s = Imm1 if Mod1 & 1 else self.L[VD if VB is None else VB][i] >> 31
            return self.L[VC][i] & 0x7FFFFFFF | s << 31

        self.each(VD, value)

    def SFPDIVP2(self, Imm8: int, VC: int, VD: int, Mod1: int) -> None:
        def value(i: int) -> int:
            c = self.L[VC][i]
            e = c >> 23 & 255
            if not Mod1 & 1:
                e = Imm8
            elif e != 255:
                e = (e + Imm8) % 256
            return c & 0x807FFFFF | e << 23

        self.each(VD, value)

    def SFPCAST(self, VC: int, VD: int, Mod1: int) -> None:
        self.each(VD, lambda i: cast(self.L[VC][i], self.draw(i) if Mod1 & 1 else None))

    def SFP_STOCH_RND(
        self, StochasticRounding: int, Imm5: int, VB: int, VC: int, VD: int, UseImm5: int, Mod1: int
    ) -> None:
        def value(i: int) -> int:
            least = 0x400000
            if StochasticRounding:
                least = (self.draw(i) & 0x7FFFFF) + ("no rounding_bias" in self.quirks)
            elif "rounding_always_draws" in self.quirks:
                self.draw(i)
            return rounded(Mod1, self.L[VC][i], Imm5 if UseImm5 else self.L[VB][i] & 31, least)

        self.each(VD, value)

    def SFPLOADI(self, VD: int, Mod0: int, Imm16: int) -> None:
        self.each(VD, lambda i: loadi(Mod0, Imm16, self.L[VD][i]))

    def SFPSETCC(self, Imm1: int, VC: int, Mod1: int) -> None:
        for i in LANES:
            if self.on(i):
                c = signed(self.L[VC][i])
                if not self.uses[i] or Mod1 & 8:
                    self.flag[i] = False
                elif Mod1 & 1:
                    self.flag[i] = bool(Imm1)
                else:
                    self.flag[i] = {0: c < 0, 2: c != 0, 4: c >= 0, 6: c == 0}[Mod1]

    def SFPENCC(self, Imm2: int, Mod1: int) -> None:
        for i in LANES:
            if Mod1 & 2:
                self.uses[i] = bool(Imm2 & 1)
            elif Mod1 & 1:
                self.uses[i] = not self.uses[i]
            self.flag[i] = bool(Imm2 & 2) if Mod1 & 8 else True

    def SFPPUSHC(self) -> None:
        self.stack.append((list(self.flag), list(self.uses)))

    def SFPPOPC(self, Mod1: int) -> None:
        flag, uses = self.stack[-1] if self.stack else ([False] * 32, [False] * 32)
        if Mod1 == 0:
            self.stack.pop()
            self.flag, self.uses = list(flag), list(uses)
            return
        if len(self.stack) == 8 and "no stack_bug" not in self.quirks:
            self.stack[0] = (flag, uses)
        for i in LANES:
            a, b = self.flag[i], flag[i]
            if Mod1 <= 12:
                self.uses[i] = uses[i]
                self.flag[i] = (
                    b, not b, a and b, a or b, a and not b, a or not b, not a and b, not a or b,
                    not a and not b, not a or not b, a != b, a == b,
                )[Mod1 - 1]  # fmt: skip
            elif Mod1 == 13:
                self.flag[i] = not a
            else:
                self.uses[i], self.flag[i] = True, Mod1 == 14

    def SFPCOMPC(self) -> None:
        flag, uses = self.stack[-1] if self.stack else ([True] * 32, [True] * 32)
        for i in LANES:
            self.flag[i] = uses[i] and self.uses[i] and flag[i] and not self.flag[i]

    def SFPCONFIG(self, Imm16: int, VD: int, Mod1: int) -> None:
        L0, flag, uses = list(self.L[0]), list(self.flag), list(self.uses)
        for i in LANES:
            k = i & 7
            if (Mod1 & 8 and not Imm16 >> 2 * k & 1) or (uses[k] and not flag[k]):
                continue
            value = Imm16 if Mod1 & 1 else L0[k]

            def combined(old: int, value: int = value) -> int:
                return {0: value, 2: old | value, 4: old & value, 6: old ^ value}[Mod1 & 6]

            if VD < 4:
                self.templates[VD][i] = L0[k]
            elif VD < 8:
                self.sequences[VD - 4][i] = value
            elif VD == 8:
                self.misc[i] = combined(self.misc[i]) & 0xFFF
            elif 11 <= VD <= 14:
                default = (0xBF800000, 0x37800000, 0xBF2CC4C7, 0xBEB08FF9)[VD - 11]
                self.L[VD][i] = default if Mod1 & 1 else L0[k]
            elif VD == 15:
                old = self.config[i]
                self.config[i] = combined(old) & 0x3FFFF | (old & 0x30000 if Mod1 & 1 else 0)

    def SFPSWAP(self, VC: int, VD: int, Mod1: int) -> None:
        masks = (0, WORD, 0xFFFF, 0xFF00FF, 0xFF0000FF, 0xFF, 0xFF00, 0xFF0000, 0xFF000000, 0)
        L = self.L
        for i in LANES:
            if not self.on(i):
                continue
            c, d = L[VC][i], L[VD][i]
            less = order(c) < order(d)
            swap = less if masks[Mod1] >> i & 1 else not less
            if self.bit(i, 8):
                swap = not swap
            if not swap and Mod1 != 0:
                continue
            if self.bit(i, 2):
                if VC < 4:
                    L[VC][i] = d
                if VD < 4:
                    L[VD][i] = c
                ca, da = 4 + VC % 4, 4 + VD % 4
                L[ca][i], L[da][i] = L[da][i], L[ca][i]
            else:
                if VC < 8:
                    L[VC][i] = d
                if VD < 8:
                    L[VD][i] = c

    def SFPTRANSP(self) -> None:
        old = [list(r) for r in self.L[:8]]
        for base in (0, 4):
            for r in range(4):
                for i in LANES:
                    if self.on(i):
                        self.L[base + r][i] = old[base + i // 8][r * 8 + i % 8]

    def SFPSHFT2(self, Imm12: int, VC: int, VD: int, Mod1: int, VB: int | None = None) -> None:
        L = self.L
        c, zero = list(L[VC]), list(L[0])
        right = [c[i - 1] if i & 7 else c[i + 7] for i in LANES]
        if Mod1 in (2, 3) and VD < 12:
            self.rotated = list(c)
        imm = Imm12 - 4096 if Imm12 & 0x800 else Imm12
        b = list(L[Imm12 & 15 if VB is None else VB])
        if Mod1 <= 2:
            last = ([0] * 32, zero[8:] + [0] * 8, right)[Mod1]
            for i in LANES:
                if self.on(i):
                    L[0][i], L[1][i], L[2][i], L[3][i] = L[1][i], L[2][i], L[3][i], last[i]
        elif Mod1 == 3:
            self.each(VD, lambda i: right[i])
        elif Mod1 == 4:
            bug = "no shift_bug" not in self.quirks
            self.each(VD, lambda i: c[i - 1] if i & 7 else self.rotated[i + 7] if bug else 0)
        else:
            self.each(VD, lambda i: shift(b[i], signed(c[i]) if Mod1 == 5 else imm))

    def places(self, Mod0: int, Imm10: int, exchange: int) -> list[tuple[int, int]]:
        addr = (Imm10 + self.offset + (self.address & 3 if Mod0 == 10 else self.address)) % 1024
        odd = [addr & 2 or self.bit(i & 7, exchange) for i in LANES]
        return [((addr & ~3) + i // 8, i % 8 * 2 + bool(odd[i])) for i in LANES]

    def SFPLOAD(self, VD: int, Mod0: int, Imm10: int) -> None:
        Mod0 = Mod0 or self.srcb
        for i, (row, column) in enumerate(self.places(Mod0, Imm10, 6)):
            if VD >= 8 or self.bit(i, 5) or not (self.on(i) or Mod0 == 10):
                continue
            if Mod0 in WIDE_LOADS:
                adj = (row & 0x1F8) << 1 | row & 0x207
                x = self.dst[adj][column] << 16 | self.dst[adj + 8][column]
            else:
                x = self.dst[row][column]
            self.L[VD][i] = out_of_dst(Mod0, x, self.L[VD][i], self.bit(i, 0))
            if VD < 4 and self.bit(i, 2) and self.bit(i, 3):
                self.L[VD + 4][i] = row << 4 | column

    def SFPSTORE(self, VD: int, Mod0: int, Imm10: int) -> None:
        Mod0 = Mod0 or self.srcb
        flush = "store_flushes_denormals" in self.quirks
        for i, (row, column) in enumerate(self.places(Mod0, Imm10, 7)):
            if self.bit(i, 4) or not (self.on(i) or Mod0 == 10):
                continue
            x = into_dst(Mod0, self.L[VD][i], flush)
            if Mod0 in WIDE_STORES:
                adj = (row & 0x1F8) << 1 | row & 0x207
                self.dst[adj][column], self.dst[adj + 8][column] = x >> 16, x & 0xFFFF
                self.defined[adj] = self.defined[adj + 8] = True
            else:
                self.dst[row][column] = x
                self.defined[row] = True
