; From Dst of Tensix to L1: a tile of 32 by 32, of which each of the four packers writes a face. Thread 2 packs.

; packers(at, form): what the packers read and write; no instruction.
;   at    the byte of L1 where the tile begins, a multiple of 16
;   form  the format there: f32, i32, bf16 or f16; no block float
;   wide  1 for a Dst of 32 bits, which f32 and i32 need
;   rows  the row of Dst at which each face begins
.macro packers(at, form=bf16, wide=1 if form == f32 or form == i32 else 0, rows=[0, 16, 32, 48])
    .const SIZE = 4 if form == f32 or form == i32 else 2
    .assert at % 16 == 0, "packers: at a multiple of 16"
    .cfg ALU_FORMAT_SPEC_REG2_Dstacc = form
    .cfg PCK_DEST_RD_CTRL_Read_32b_data = wide
    .cfg PCK_EDGE_OFFSET_SEC0_mask = 0xFFFF                                  ; all columns
    .cfg PCK0_ADDR_CTRL_XY_REG_0_Xstride = 4 if wide else 2
    .cfg PCK0_ADDR_CTRL_XY_REG_0_Ystride = 64 if wide else 32
    .for n in 0..4
        .cfg DEST_TARGET_REG_CFG_PACK_SEC{n}_Offset = rows[n]
        .cfg PACK_COUNTERS_SEC{n}_pack_reads_per_xy_plane = 16
    .end
    .for s in 0..2
        .for r in [1, 8]                                                     ; packers 0 and 1, 2 and 3
            .cfg THCON_SEC{s}_REG{r}_Disable_zero_compress = 1
            .cfg THCON_SEC{s}_REG{r}_In_data_format = form
            .cfg THCON_SEC{s}_REG{r}_Out_data_format = form
            .cfg THCON_SEC{s}_REG{r}_L1_Dest_addr = (at + (2 * s + r // 8) * 256 * SIZE) // 16 - 1
        .end
    .end
.end

; pack_tile(at): the tile in rows 0 to 63 of Dst to L1, once semaphore 1 says that it is complete.
;   at, form, wide  as for packers
; Cost: 32 cycles for a tile of bf16, 64 of f32.
.macro pack_tile(at, form=bf16, wide=1 if form == f32 or form == i32 else 0)
    packers(at, form, wide)
    @t2
    SETADCXX  PK=1, X1Val=255, X0Val=0
    SEMWAIT   BlockMask=STALL_PACK, SemaphoreMask=SEMAPHORE_1, ConditionMask=STALL_ON_ZERO
    PACR      PackerMask=0xF, Last=1
    SEMGET    SemaphoreMask=SEMAPHORE_1
.end

; pack_from(row, at): another tile, from rows of Dst on to L1, once the packers are idle. After packers() and SETADCXX.
;   row         the row of Dst, of 16 numbers, at which the first face begins
;   at          the byte of L1, a multiple of 16
;   form, wide  as for packers; GPR 60 of thread 2 is overwritten
; Cost: 21 cycles for addresses, and those of the tile.
.macro pack_from(row, at, form=bf16, wide=1 if form == f32 or form == i32 else 0)
    .const SIZE = 4 if form == f32 or form == i32 else 2
    .assert at % 16 == 0, "pack_from: at a multiple of 16"
    @t2
    STALLWAIT  BlockMask=STALL_CFG, ConditionMask=PACK
    .for n in 0..4
        .write DEST_TARGET_REG_CFG_PACK_SEC{n}_Offset = row + 16 * n
        .write THCON_SEC{n // 2}_REG{1 if n % 2 == 0 else 8}_L1_Dest_addr = (at + n * 256 * SIZE) // 16 - 1  register=60
    .end
    DMANOP                                                                   ; the last word is there after it
    PACR       PackerMask=0xF, Last=1
.end
