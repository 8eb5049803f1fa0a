; y = gelu(x) of a tile, by a table of six lines in the vector unit. gelu(x) is x / 2 and an even function
; of x: a * abs(x) + c, with a and c by the size of x, cut at .5, 1, 1.5, 2 and 3. Seven instructions
; make 32 elements, of which the two SFPNOP wait: a product is there after two cycles
.target wormhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/sfpu.nasm"
.include "lib/tensix/pack.nasm"
.const X_AT = 0x4000, Y_AT = 0x8000
.l1  x  bf16[32, 32]  tiled @ X_AT input = normal(seed=1)
.l1  y  bf16[32, 32]  tiled @ Y_AT output

formats()
unpack_tile(X_AT)
acquire_dst(clear=0)
@t1
    SFPLOADI   VD=0, Mod0=FLOATB, Imm16=0x3F00        ; a half, which L12 keeps
    SFPCONFIG  VD=12
.const A = [0x3220, 0x37DC, 0x38EF, 0x38E0, 0x3855, 0x3800]  ; FP16: 0.191, 0.491, 0.617, 0.609, 0.541, 0.5
.const C = [0xA1F0, 0xB103, 0xB46E, 0xB435, 0xAFEB, 0x7C00]  ; -0.012, -0.157, -0.277, -0.263, -0.124, 0
.for n in 0..3
    SFPLOADI  VD=n, Mod0=LOWER, Imm16=A[2 * n]      ; the low half of L0 to L2, then the high one
    SFPLOADI  VD=n, Mod0=UPPER, Imm16=A[2 * n + 1]
    SFPLOADI  VD=n + 4, Mod0=LOWER, Imm16=C[2 * n]
    SFPLOADI  VD=n + 4, Mod0=UPPER, Imm16=C[2 * n + 1]
.end
sfpu_tile()                                      ; the tile to Dst, 32 times 32 elements
.for n in 0..32
    SFPLOAD     VD=3, AddrMod=3
    SFPMUL      VA=3, VB=12, VC=9, VD=7          ; L7 = x / 2
    SFPLUTFP32  VD=3, Mod1=FP16_6ENTRY_TABLE1    ; L3 = a * abs(x) + c
    SFPNOP
    SFPADD      VA=10, VB=3, VC=7, VD=3
    SFPNOP
    SFPSTORE    VD=3, AddrMod=2
.end
release_dst(WAIT_SFPU)
pack_tile(Y_AT)

.expect y ~ gelu(x)  rtol=1e-2 atol=1.3e-2
.expect cycles(t2) <= 307              ; seven cycles for 32 elements, 32 times
