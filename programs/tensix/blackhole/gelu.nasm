; y = gelu(x) of a tile on Blackhole: x / 2 * (1 + x * p(x * x)), cut at 1
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
constant(11, 0xBAAE7448)      ; c3
constant(12, 0x3C8AB720)      ; c2
constant(13, 0xBE0449D5)      ; c1
constant(14, 0x3F4BE84F)      ; c0
load_number(7, 0x383F1C44)    ; c4
load_number(6, 0x3F000000)    ; a half
sfpu_tile()
@t1
.for n in 0..32
    SFPLOAD   VD=0, AddrMod=3
    SFPMUL    VA=0, VB=0, VC=9, VD=1
    SFPLOADI  VD=2, Mod0=FLOATB, Imm16=0x4110
    SFPSWAP   VC=2, VD=1, Mod1=VEC_MIN_MAX      ; L1 = min(x * x, 9)
    SFPMAD    VA=1, VB=7, VC=11, VD=3
    SFPLOADI  VD=4, Mod0=FLOATB, Imm16=0x3F80
    SFPMAD    VA=1, VB=3, VC=12, VD=3
    SFPLOADI  VD=5, Mod0=FLOATB, Imm16=0xBF80
    SFPMAD    VA=1, VB=3, VC=13, VD=3
    SFPNOP
    SFPMAD    VA=1, VB=3, VC=14, VD=3
    SFPNOP
    SFPMUL    VA=0, VB=3, VC=9, VD=3
    SFPMUL    VA=0, VB=6, VC=9, VD=0
    SFPSWAP   VC=4, VD=3, Mod1=VEC_MIN_MAX
    SFPSWAP   VC=3, VD=5, Mod1=VEC_MIN_MAX
    SFPMAD    VA=0, VB=3, VC=0, VD=0
    SFPNOP
    SFPSTORE  VD=0, AddrMod=2
.end
release_dst(WAIT_SFPU)
pack_tile(Y_AT)
.expect y ~ gelu(x)  rtol=1e-2 atol=1e-2
