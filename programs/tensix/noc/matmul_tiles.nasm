; C = A @ B on N by N tiles, each of which makes one block of 32 by 32. The blocks of A and B are in
; DRAM: the first tile of a row reads that row's part of A and multicasts it to the row on network 0,
; the first tile of a column the column's part of B on network 1. A semaphore that both raise, once
; every tile has acknowledged the bytes, lets the threads begin; the result goes back to DRAM
.target wormhole
.const N = 4, K = 4, PHASES = 4
.assert N <= 8 and K <= 4, "there are 8 columns of tiles, and a packet has at most 8,192 bytes"

.include "lib/tensix/unpack.nasm"
.include "lib/tensix/math.nasm"
.include "lib/tensix/pack.nasm"

.const A_AT = 0x4000, B_AT = 0x10000, C_AT = 0x20000
.const FIRST = 18, LAST = 18 + N - 1            ; translated coordinates: the same on both networks
.grid N, N

.for r in 0..N
    .dram0  A{r}  bf16[32, 32 * K]  tiled  input = normal(seed=1 + r)
    .dram2  B{r}  bf16[32 * K, 32]  tiled  input = normal(seed=9 + r)
.end
.for r in 0..N
    .for c in 0..N
        .dram5  C{r}_{c}  f32[32, 32]  tiled  output
        .tile c, r
        .l1  a{r}_{c}  bf16[32, 32 * K]  tiled @ A_AT
        .l1  b{r}_{c}  bf16[32 * K, 32]  tiled @ B_AT
        .l1  c{r}_{c}  f32[32, 32]       tiled @ C_AT
        .sem in{r}_{c}, sent{r}_{c}, other{r}_{c}
    .end
.end

.for r in 0..N
    .for c in 0..N
        .tile c, r
        @noc0
        .if c == 0
            NOC_READ           a{r}_0, A{r}
            NOC_BARRIER
            .if N > 1
                NOC_MULTICAST      a{r}_0, a{r}_0, X0=FIRST, Y0=FIRST + r, X1=LAST, Y1=FIRST + r  $sent{r}_0 += N - 1
                NOC_NOP            $sent{r}_0 >= N - 1
            .end
            NOC_INC_MULTICAST  X0=FIRST, Y0=FIRST + r, X1=LAST, Y1=FIRST + r, Include=true  $in{r}_0 += N
        .end
        NOC_SEMPOST  3         $in{r}_{c} >= 2
        @noc1
        .if r == 0
            NOC_READ           b0_{c}, B{c}
            NOC_BARRIER
            .if N > 1
                NOC_MULTICAST      b0_{c}, b0_{c}, X0=FIRST + c, Y0=LAST, X1=FIRST + c, Y1=FIRST, Major=y  $other0_{c} += N - 1
                NOC_NOP            $other0_{c} >= N - 1
            .end
            NOC_INC_MULTICAST  X0=FIRST + c, Y0=LAST, X1=FIRST + c, Y1=FIRST, Major=y, Include=true  $in0_{c} += N
        .end

        .cfg SEM3_max = 1
        .cfg SEM4_max = 1
        formats(wide=1)
        @t0 SEMWAIT  BlockMask=STALL_UNPACK|STALL_THCON, SemaphoreMask=SEMAPHORE_3, ConditionMask=STALL_ON_ZERO
        unpack_pair(B_AT, A_AT, tiles=K)
        addr_mods()
        acquire_dst()
        matmul_tile(PHASES, K)
        release_dst()
        pack_tile(C_AT, f32)
        @t2
        STALLWAIT  BlockMask=STALL_SYNC, ConditionMask=PACK
        SEMPOST    SemaphoreMask=SEMAPHORE_4

        @noc1
        NOC_SEMWAIT  4, 1
        NOC_WRITE    C{r}_{c}, c{r}_{c}
        NOC_BARRIER
        .expect C{r}_{c} ~ A{r} @ B{c}  rtol=2e-3 atol=2e-2
    .end
.end
