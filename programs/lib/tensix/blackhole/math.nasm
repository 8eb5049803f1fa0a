; Between unpack and pack: the matrix unit of Blackhole. Thread 1 computes. An instruction names any of eight address
; modifiers; the formats of SrcA and SrcB are those that their banks were unpacked to.
.include "lib/tensix/counters.nasm"

; addr_mods(): modifiers 0 to 5 for products of tiles, 16 a phase.
.macro addr_mods()
    addr_mod(0, srcb=8, dst=8)
    addr_mod(1, srca=16, srcb_cr=1, dst=8)
    addr_mod(2, srca_cr=1, srcb=32, srcb_cr=1, dst=8)
    addr_mod(4, srca=32, srca_cr=1, srcb=48, srcb_cr=1, dst_cr=1)
    addr_mod(5, clear=1, fidelity=1)
.end

; acquire_dst(): semaphore 1, on which thread 2 waits, and a Dst of zeros.
;   clear  0 leaves Dst as it is: for what overwrites it
;   parts  how many parts of Dst are packed while others are computed, up to 15
.macro acquire_dst(clear=1, parts=1)
    @t1
    SEMINIT  NewMax=parts, NewValue=0, SemaphoreMask=SEMAPHORE_1
    .if clear
        ZEROACC  clear_mode=CLR_ALL
    .end
.end

; acquire_half(half): half 0 or 1 of Dst, of 512 rows of 16 bits or 256 of 32, once thread 2 has packed it; zeros.
; After acquire_dst(parts=2).
;   wide  1 for a Dst of 32 bits
.macro acquire_half(half, wide=0)
    @t1
    SEMWAIT  BlockMask=STALL_MATH, SemaphoreMask=SEMAPHORE_1, ConditionMask=STALL_ON_MAX
    ZEROACC  clear_mode=CLR_HALF, use_32_bit_mode=wide, where=half
.end

; matmul_tile(): Dst += SrcB @ SrcA, tiles of 32 by 32, and the banks back to the unpackers. After addr_mods().
;   phases  1 to 4: each multiplies bits that the ones before have left out
;   tiles   how many products are added up
; Cost: 16 cycles a phase, and 1 for each tile.
.macro matmul_tile(phases=2, tiles=1)
    @t1
    REPLAY  Index=0, Count=16, Exec=1 if tiles == 1 else 0, Load=1
    .for m in [0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5]
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
    .for phase in 0..(phases if op == 2 else 1)
        .for block in 0..8
            .if op == 0
                ELWADD  AddrMod=6 if block < 7 else 7
            .elif op == 1
                ELWSUB  AddrMod=6 if block < 7 else 7
            .else
                ELWMUL  AddrMod=6 if block < 7 else 7
            .end
        .end
    .end
    SETRWC  FlipSrcB=1, FlipSrcA=1, Fidelity=1, Dst=1, SrcB=1, SrcA=1
.end

; copy_tile(): the tile in SrcA to rows of Dst from one on. SrcA stays with the matrix unit.
;   row   the first row of Dst
;   wide  1 for a Dst of 32 bits, of which a move would write one half: zeros in SrcB are added instead, which unpacker 1
;         gives, by modifiers 0 and 1
;   to    the format of SrcB then, of as many bits of exponent as that of SrcA
; Cost: 8 cycles, and 1 if wide.
.macro copy_tile(row=0, wide=0, to=bf16)
    .if wide
        addr_mod(0, srca=8, dst=8)
        addr_mod(1, clear=1)
        .cfg THCON_SEC1_REG2_Out_data_format = to
        @t0
        UNPACR_NOP  Unpacker_Select=1, Unpack_Pop=CLR_SRC, Set_Dvalid=1
    .end
    @t1
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
