; Registers of 32 lanes; LReg[9] is 0, LReg[10] is 1, LReg[15] twice the number of each lane; LReg[11] to LReg[14] can be set.
.target wormhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/math.nasm"
.include "lib/tensix/sfpu.nasm"
.include "lib/tensix/pack.nasm"
.l1  x  f32[32, 32]  tiled @ 0x4000 input = zeros
.l1  y  f32[32, 32]  tiled @ 0x8000 output

formats(tf32, wide=1)
unpack_tile(0x4000, f32, tf32)
acquire_dst()
constant(12, 0x40490FDB)
sfpu_tile(wide=1)
@t1
    SFPSTORE  VD=LCONST_0, Mod0=FP32, AddrMod=3, Imm10=0
    SFPSTORE  VD=LCONST_1, Mod0=FP32, AddrMod=3, Imm10=2
    SFPMOV    VC=LREG12, VD=2
    SFPSTORE  VD=2, Mod0=FP32, AddrMod=3, Imm10=4
    SFPCAST   VC=LTILEID, VD=1
    SFPSTORE  VD=1, Mod0=FP32, AddrMod=3, Imm10=8
release_dst(WAIT_SFPU)
pack_tile(0x8000, f32)
.expect y[0, 0] == 0
.expect y[3, 15] == 1
.expect y[4, 2] ~ 3.14159274  rtol=1e-6
.expect y[8, 14] == 14
.expect y[9, 0] == 16
.expect y[11, 14] == 62
