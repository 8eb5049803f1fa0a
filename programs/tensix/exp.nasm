; y = exp(x) of a tile in the vector unit: 2**n times 2**f, with n the integer next to x / log(2). Adding
; 1.5 * 2**23 rounds to it, and leaves it in the low bits, from where a shift brings it to the exponent;
; 2**f is a polynomial of degree 5, so near (1e-7) that the end result is bfloat16 rounded once.
; 22 instructions make 32 elements. They are recorded once, while they are executed, and played 31 times.
; For abs(x) < 87
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
constant(12, 0x3FB8AA3B)                         ; 1 / log(2)
constant(13, 0x4B400000)                         ; 1.5 * 2**23
constant(14, 0x3F317213)                         ; 0.693147, times f; then times f**2 up to f**5
load_number(7, 0x3E75FCDB)
load_number(6, 0x3D635D55)
load_number(5, 0x3C1E7610)
load_number(4, 0x3AAD4283)
sfpu_tile()                                      ; the tile to Dst, 32 times 32 elements

    REPLAY         Index=0, Count=22, Exec=1, Load=1
    SFPLOAD        VD=0, AddrMod=3
    SFPMUL         VA=0, VB=12, VC=9, VD=1       ; L1 = x / log(2)
    SFPNOP
    SFPADD         VA=10, VB=1, VC=13, VD=2      ; L2 = 1.5 * 2**23 + n
    SFPNOP
    SFPMAD         VA=13, VB=11, VC=2, VD=3      ; L3 = n, as L11 is -1
    SFPNOP
    SFPMAD         VA=3, VB=11, VC=1, VD=3             ; L3 = f, from -1/2 to 1/2
    SFPSHFT        Imm12=23, VD=2, Mod1=ARG_IMM        ; L2 = n in the place of an exponent
    SFPMAD         VA=4, VB=3, VC=5, VD=0
    SFPNOP
    SFPMAD         VA=0, VB=3, VC=6, VD=0
    SFPNOP
    SFPMAD         VA=0, VB=3, VC=7, VD=0
    SFPNOP
    SFPMAD         VA=0, VB=3, VC=14, VD=0
    SFPNOP
    SFPMAD         VA=0, VB=3, VC=10, VD=0       ; L0 = 2**f
    SFPNOP
    SFPIADD        VC=2, VD=0, Mod1=ARG_LREG_DST|CC_NONE     ; times 2**n
    SFP_STOCH_RND  VC=0, VD=0, Mod1=FP32_TO_FP16B            ; to nearest; a store would cut
    SFPSTORE       VD=0, AddrMod=2
.for n in 1..32
    REPLAY     Index=0, Count=22
.end
release_dst(WAIT_SFPU)
pack_tile(Y_AT)

.expect y ~ exp(x)  rtol=0.0039        ; half a unit of the last place is 2**-8 at most
.expect cycles(t2) <= 787              ; 704 for 32 times 22 instructions
