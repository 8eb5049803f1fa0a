; Each of 32 lanes sorts its own 8 numbers on Blackhole, by the 24 comparisons of a bitonic network: registers L0 to L7 are
; the eight numbers of a lane, and SFPSWAP orders two of them in all lanes at once
.target blackhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/blackhole/sfpu.nasm"
.include "lib/tensix/blackhole/pack.nasm"
.const X_AT = 0x4000, Y_AT = 0x8000
.l1  x  bf16[32, 32]  tiled @ X_AT input = normal(seed=1)
.l1  y  bf16[32, 32]  tiled @ Y_AT output

formats()
unpack_tile(X_AT)
acquire_dst(clear=0)
sfpu_tile()
@t1
.for group in 0..4
.for n in 0..8
    SFPLOAD  VD=n, AddrMod=3, Imm10=2 * (8 * group + n)
.end
.for k in [2, 4, 8]
.for j in [4, 2, 1]
.if j < k
.for i in 0..8
.if i & j == 0
    SFPSWAP  VC=i + j if i & k == 0 else i, VD=i if i & k == 0 else i + j, Mod1=VEC_MIN_MAX
.end
.end
.end
.end
.end
.for n in 0..8
    SFPSTORE  VD=n, AddrMod=3, Imm10=2 * (8 * group + n)
.end
.end
release_dst(WAIT_SFPU)
pack_tile(Y_AT)
.expect (y[0:32, 0:32:2] <= y[0:32, 1:32:2])     ; a lane has both of two columns, of
.expect (y[0:12, 1:32:2] <= y[4:16, 0:32:2])     ; every fourth row of a face
.expect (y[16:28, 1:32:2] <= y[20:32, 0:32:2])
.expect sum(y) ~ sum(x) rtol=1e-4
