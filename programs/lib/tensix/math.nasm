; Between unpack and pack: the matrix unit of Tensix. Thread 1 computes. Rows of SrcA, SrcB and Dst are reached by
; counters, which an address modifier moves after each instruction.
.include "lib/tensix/counters.nasm"

; addr_mods(): modifiers 0 to 5 for products of tiles, 16 a phase; 4 and 5 are reached as 0 and 1 after a bias.
.macro addr_mods()
    addr_mod(0, srcb=8, dst=8)
    addr_mod(1, srca=16, srcb_cr=1, dst=8)
    addr_mod(2, srca_cr=1, srcb=32, srcb_cr=1, dst=8)
    addr_mod(3, srcb=8, dst=8, bias=1)
    addr_mod(4, srca=32, srca_cr=1, srcb=48, srcb_cr=1, dst_cr=1, bias=1)
    addr_mod(5, clear=1, fidelity=1, bias=1)
.end

; acquire_dst(): semaphore 1, on which thread 2 waits, and a Dst of zeros.
;   clear  0 leaves Dst as it is: for what overwrites it
;   parts  how many parts of Dst are packed while others are computed, up to 15
.macro acquire_dst(clear=1, parts=1)
    @t1
    SEMINIT  NewMax=parts, NewValue=0, SemaphoreMask=SEMAPHORE_1
    .if clear
        ZEROACC  Mode=ALL_OF_DST
    .end
.end

; acquire_half(half): half 0 or 1 of Dst, of 512 rows of 16 bits or 256 of 32, once thread 2 has packed it; zeros.
; After acquire_dst(parts=2).
;   wide  1 for a Dst of 32 bits
.macro acquire_half(half, wide=0)
    @t1
    SEMWAIT  BlockMask=STALL_MATH, SemaphoreMask=SEMAPHORE_1, ConditionMask=STALL_ON_MAX
    ZEROACC  Mode=HALF_OF_DST, UseDst32b=wide, Imm10=half
.end

; matmul_tile(): Dst += SrcB @ SrcA, tiles of 32 by 32, and the banks back to the unpackers. After addr_mods().
;   phases  1 to 4: each multiplies bits that the ones before have left out
;   tiles   how many products are added up
; Cost: 16 cycles a phase, and 1 for each tile.
.macro matmul_tile(phases=2, tiles=1)
    @t1
    REPLAY  Index=0, Count=16, Exec=1 if tiles == 1 else 0, Load=1
    .for m in [0, 1, 0, 2, 0, 1, 3, 0, 0, 1, 0, 2, 0, 1, 3, 1]
        MVMUL  AddrMod=m
    .end
    .for tile in 0..tiles
        .for phase in (1 if tiles == 1 else 0)..phases
            REPLAY  Index=0, Count=16
        .end
        SETRWC  FlipSrcB=1, FlipSrcA=1, Fidelity=1, Dst=1, SrcB=1, SrcA=1
    .end
.end

; eltwise(op): Dst = SrcA op SrcB, element by element, tiles of 32 by 32, and the banks back to the unpackers.
;   op      0 adds, 1 subtracts, 2 multiplies and adds to Dst
;   phases  of products, as for matmul_tile
; Cost: 8 cycles, of products for each phase.
.macro eltwise(op=0, phases=2)
    addr_mod(6, srca=8, srcb=8, dst=8)
    addr_mod(7, clear=1, fidelity=1)
    @t1
    .cfg ADDR_MOD_SET_Base = 1                                               ; 2 and 3 mean 6 and 7
    .for phase in 0..(phases if op == 2 else 1)
        .for block in 0..8
            .if op == 0
                ELWADD  AddrMod=2 if block < 7 else 3
            .elif op == 1
                ELWSUB  AddrMod=2 if block < 7 else 3
            .else
                ELWMUL  AddrMod=2 if block < 7 else 3
            .end
        .end
    .end
    SETRWC  FlipSrcB=1, FlipSrcA=1, Fidelity=1, Dst=1, SrcB=1, SrcA=1
.end

; copy_tile(): the tile in SrcA to rows of Dst from one on. SrcA stays with the matrix unit.
;   row   the first row of Dst
;   wide  1 for a Dst of 32 bits, of which a move would write one half: zeros in SrcB are added instead, which has to
;         be the unpackers' before and after, by modifiers 0 and 1
; Cost: 8 cycles, and 4 if wide.
.macro copy_tile(row=0, wide=0)
    .if wide
        addr_mod(0, srca=8, dst=8)
        addr_mod(1, clear=1)
    .end
    @t1
    .if wide
        SETDVALID  FlipSrcB=1
        ZEROSRC    SingleBankMatrixUnit=1, ClearSrcB=1
    .end
    .for from in 0..64 step 8
        .if wide
            ELWADD  AddrMod=0 if from < 56 else 1, DstRow=row
        .else
            MOVA2D  SrcRow=from, Move8Rows=1, DstRow=row + from
        .end
    .end
    .if wide
        SETRWC  FlipSrcB=1
    .end
.end
