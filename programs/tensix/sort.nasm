; y = x with each column sorted, by a bitonic network: 32 numbers of eight columns at a time, in eight registers of four
; rows. Bits of a position, p4 to p0: those of the register compare whole registers. As stored they are p4 p3 p2, and p1
; p0 the row; SFPTRANSP exchanges p3 p2 and p1 p0. What is loaded is in no order, so that it counts as exchanged.
.target wormhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/math.nasm"
.include "lib/tensix/sfpu.nasm"
.include "lib/tensix/pack.nasm"
.l1  x  bf16[32, 32]  tiled @ 0x4000 input = normal(seed=4)
.l1  y  bf16[32, 32]  tiled @ 0x8000 output

.macro exchange(a, b, mode=VEC_MIN_MAX)       ; the smaller to a
@t1  SFPSWAP  VD=a, VC=b, Mod1=mode
.end
.macro columns(first)
@t1
.for r in 0..8
    SFPLOAD   VD=r, Mod0=BF16, AddrMod=3, Imm10=first + 4 * (r % 4) + 32 * (r // 4)
.end
; register: p4 p1 p0, row: p3 p2. Runs of 2: p0 compared, up or down by p1
.for h in [0, 4]
    exchange(h, h + 1)
    exchange(h + 3, h + 2)
.end
; runs of 4: p1, p0; up or down by p2, the low bit of the row
.for s in [2, 1]
.for h in [0, 4]
.for i in 0..2
    exchange(h + i * (3 - s), h + i * (3 - s) + s, SUBVEC_MIN02_MAX13)
.end
.end
.end
; runs of 8: p2, up or down by p3
    SFPTRANSP
.for h in [0, 4]
    exchange(h, h + 1)
    exchange(h + 3, h + 2)
.end
    SFPTRANSP
.for s in [2, 1]
.for h in [0, 4]
.for i in 0..2
    exchange(h + i * (3 - s), h + i * (3 - s) + s, SUBVEC_MIN01_MAX23)
.end
.end
.end
; runs of 16: by p4. Runs of 32: up
.for n in [16, 32]
    SFPTRANSP
.if n == 32
.for i in 0..4
    exchange(i, i + 4)
.end
.end
.for t in 0..2
.if t == 1
    SFPTRANSP
.end
.for s in [2, 1]
.for h in [0, 4]
.for i in 0..2
.const lo = h + i * (3 - s)
.const up = n == 32 or h == 0
    exchange(lo if up else lo + s, lo + s if up else lo)
.end
.end
.end
.end
.end
    SFPTRANSP
.for r in 0..8
    SFPSTORE  VD=r, Mod0=BF16, AddrMod=3, Imm10=first + 4 * (r % 4) + 32 * (r // 4)
.end
.end

formats()
unpack_tile(0x4000)
acquire_dst()
sfpu_tile()
.for f in [0, 2, 16, 18]
columns(f)
.end
release_dst(WAIT_SFPU)
pack_tile(0x8000)

.expect (y[0:31, :] <= y[1:32, :])
.expect sum(y, axis=0) ~ sum(x, axis=0) rtol=1e-5 atol=1e-5
