; The matrix unit: Dst[8, 16] += SrcB[8, 16] @ SrcA[16, 16] by MVMUL, in four phases of 5 by 7 bits.
.target wormhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/math.nasm"
.include "lib/tensix/pack.nasm"
.l1  a  bf16[32, 32]  tiled @ 0x4000 input = normal(seed=1)
.l1  b  bf16[32, 32]  tiled @ 0x8000 input = normal(seed=2)
.l1  c  f32[32, 32]   tiled @ 0x10000 output

formats(wide=1)
unpack_pair(0x8000, 0x4000)
acquire_dst()
addr_mod(0, fidelity=1)
.for phase in 0..4
    @t1  MVMUL  AddrMod=0, DstRow=0
.end
release_dst()
pack_tile(0x10000, f32)
.expect c[0:8, 0:16] ~ a[0:8, 0:16] @ b[0:16, 0:16]  rtol=1e-3 atol=1e-2
.expect c[8:32, 0:16] == 0
.expect c[:, 16:32] == 0
