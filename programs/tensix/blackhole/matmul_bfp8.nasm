; C = A @ B on Blackhole, 4 by 4 tiles each, A and B in BFP8: four products are summed in 32 bits in each of four tiles of
; one half of Dst, while the other one is packed
.target blackhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/blackhole/math.nasm"
.include "lib/tensix/blackhole/pack.nasm"
.const A_AT = 0x4000, B_AT = 0xA000, C_AT = 0x10000, N = 4, TILE = 1088
.l1  A  bfp8[128, 128]  tiled @ A_AT input = normal(seed=1)
.l1  B  bfp8[128, 128]  tiled @ B_AT input = normal(seed=2)
.l1  C  bf16[128, 128]  tiled @ C_AT output
formats(wide=1)
unpacker(0, B_AT, form=bfp8)
unpacker(1, A_AT, form=bfp8)
@t0
    SETADCXX  U0=1, U1=1, X1Val=1023, X0Val=0
.for i in 0..N
.for j in 0..N
.for k in 0..N
    unpack_from(0, B_AT + TILE * (N * k + j))
    unpack_from(1, A_AT + TILE * (N * i + k))
    UNPACR  WhichUnpacker=0, MultiContextMode=1, FlipSrc=1, Last=1
    UNPACR  WhichUnpacker=1, MultiContextMode=1, FlipSrc=1, Last=1
.end
.end
.end
addr_mods()
acquire_dst(clear=0, parts=2)
.for i in 0..N
    acquire_half(i % 2, wide=1)
.for j in 0..N
    at_tile(N * (i % 2) + j)
    matmul_tile(phases=4, tiles=N)
.end
    release_dst()
.end
packers(C_AT, wide=1)
@t2
    SETADCXX  PK=1, X1Val=15, X0Val=0
.for i in 0..N
    SEMWAIT    BlockMask=STALL_PACK, SemaphoreMask=SEMAPHORE_1, ConditionMask=STALL_ON_ZERO
.for j in 0..N
    pack_from(64 * (N * (i % 2) + j), C_AT + 2048 * (N * i + j), wide=1)
.end
    STALLWAIT  BlockMask=STALL_SYNC, ConditionMask=PACK
    SEMGET     SemaphoreMask=SEMAPHORE_1
.end
.expect C ~ A @ B  rtol=4e-3 atol=4e-2
