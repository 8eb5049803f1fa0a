; FP8 at 16/18 of the peak: SrcB stays, and a tile of SrcA, 1,024 bytes, takes its unpacker 2 cycles for the address and 16
; at 64 bytes a cycle, while the 16 MVMULs of a phase take 16.
.target wormhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/math.nasm"
.include "lib/tensix/pack.nasm"
.const  TILES = 32
.l1  A  fp8[32, 32]          tiled @ 0x4000 input = normal(seed=1)
.l1  B  fp8[32 * TILES, 32]  tiled @ 0x8000 input = normal(seed=2)
.l1  C  f32[32, 32]          tiled @ 0x40000 output

formats(fp8, wide=1)
unpacker(0, 0x8000, form=fp8)
unpacker(1, 0x4000, form=fp8)
@t0
    SETADCXX  U0=1, U1=1, X1Val=1023, X0Val=0
    UNPACR    WhichUnpacker=1, MultiContextMode=1, FlipSrc=1, Last=1
.for tile in 0..TILES
    UNPACR    WhichUnpacker=0, Ch0YInc=1, MultiContextMode=1, FlipSrc=1, Last=1
.end

addr_mods()
acquire_dst()
@t1
    REPLAY    Index=0, Count=16, Exec=0, Load=1
.for m in [0, 1, 0, 2, 0, 1, 3, 0, 0, 1, 0, 2, 0, 1, 3, 1]
    MVMUL     AddrMod=m
.end
.for tile in 0..TILES
    REPLAY    Index=0, Count=16
    SETRWC    FlipSrcA=1, Fidelity=1, Dst=1, SrcB=1, SrcA=1
.end
release_dst()
pack_tile(0x40000, f32)

.expect C ~ A @ sum(B.reshape(TILES, 32, 32), axis=0)  rtol=1e-3 atol=5e-2
.expect cycles(t1) >= 18 * TILES
.expect cycles(t1) <= 18 * TILES + 60
