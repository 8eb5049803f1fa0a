; From Dst of Blackhole to L1: a tile of 32 by 32, four rows of Dst at a time, by one packer. Thread 2 packs.

; packers(at, form): what the packer reads and writes; no instruction. Modifier 0 goes on by four rows, 1 back to the first.
;   at    the byte of L1 where the tile begins, a multiple of 16
;   form  what Dst has: f32, i32, bf16 or f16
;   wide  1 for a Dst of 32 bits, which f32 and i32 need
;   to    the format in L1: form, or a block float such as bfp8 of f32 and bf16
;   row   the row of Dst at which the tile begins
.macro packers(at, form=bf16, wide=1 if form == f32 or form == i32 else 0, to=form, row=0)
    .const SIZE = 4 if form == f32 or form == i32 else 2
    .assert at % 16 == 0, "packers: at a multiple of 16"
    .cfg ALU_FORMAT_SPEC_REG2_Dstacc = form
    .cfg PCK_DEST_RD_CTRL_Read_32b_data = wide
    .cfg PCK_EDGE_OFFSET_SEC0_mask = 0xFFFF                                  ; all columns
    .cfg PCK0_ADDR_CTRL_XY_REG_0_Ystride = 16 * SIZE
    .cfg DEST_TARGET_REG_CFG_PACK_SEC0_Offset = row
    .cfg PACK_COUNTERS_SEC0_pack_reads_per_xy_plane = 16
    .cfg THCON_SEC0_REG1_Disable_zero_compress = 1
    .cfg THCON_SEC0_REG1_In_data_format = form
    .cfg THCON_SEC0_REG1_Out_data_format = to
    .cfg THCON_SEC0_REG1_Exp_section_size = 4 if to == "bfp8" or to == "bfp4" or to == "bfp2" else 0
    .cfg THCON_SEC0_REG1_L1_Dest_addr = at // 16 - 1
    @t2
    .cfg ADDR_MOD_PACK_SEC0_YsrcIncr = 4
    .cfg ADDR_MOD_PACK_SEC1_YsrcClear = 1
.end

; pack_rows(): the tile that packers() names, in 16 instructions. After SETADCXX PK=1, X1Val=15, X0Val=0.
.macro pack_rows()
    @t2
    .for block in 0..16
        PACR  AddrMode=0 if block < 15 else 1, Last=0 if block < 15 else 1
    .end
.end

; pack_tile(at): the tile in rows 0 to 63 of Dst to L1, once semaphore 1 says that it is complete.
;   at, form, wide, to  as for packers
; Cost: 32 cycles for a tile of bf16, 64 of f32, as is assumed.
.macro pack_tile(at, form=bf16, wide=1 if form == f32 or form == i32 else 0, to=form)
    packers(at, form, wide, to)
    @t2
    SETADCXX  PK=1, X1Val=15, X0Val=0                                        ; of each row
    SEMWAIT   BlockMask=STALL_PACK, SemaphoreMask=SEMAPHORE_1, ConditionMask=STALL_ON_ZERO
    pack_rows()
    SEMGET    SemaphoreMask=SEMAPHORE_1
.end

; pack_untilized(at): the tile in rows 0 to 63 of Dst to L1 as 32 rows of 32 numbers, once semaphore 1 says that it is
; complete: two interfaces read rows 16 apart, of neighbouring faces. Rows of Dst are in another order for that from the
; beginning on: ZEROACC of one row or 16 is refused then.
;   at, form, wide  as for packers
; Cost: 32 cycles for a tile of bf16, 64 of f32, as is assumed.
.macro pack_untilized(at, form=bf16, wide=1 if form == f32 or form == i32 else 0)
    packers(at, form, wide)
    .cfg DEST_ACCESS_CFG_remap_addrs = 1
    .cfg DEST_ACCESS_CFG_swizzle_32b = 1
    .cfg PCK0_ADDR_CTRL_ZW_REG_0_Zstride = 512 * (4 if form == f32 or form == i32 else 2)   ; two faces
    @t2
    .cfg ADDR_MOD_PACK_SEC2_YsrcIncr = 1                                     ; the next row of two faces
    .cfg ADDR_MOD_PACK_SEC3_YsrcClear = 1                                    ; the first of the next two
    .cfg ADDR_MOD_PACK_SEC3_ZsrcIncr = 1
    SETADCXX  PK=1, X1Val=15, X0Val=0                                        ; of each row
    SEMWAIT   BlockMask=STALL_PACK, SemaphoreMask=SEMAPHORE_1, ConditionMask=STALL_ON_ZERO
    .for line in 0..32
        PACR  ReadIntfSel=3, DstAccessMode=1, AddrMode=2 if line % 16 < 15 else 3, Last=0 if line < 31 else 1
    .end
    SEMGET    SemaphoreMask=SEMAPHORE_1
.end

; pack_from(row, at): another tile, from rows of Dst on to L1, once the packer is idle. After packers() and, in
; thread 2, SETADCXX PK=1, X1Val=15, X0Val=0.
;   row         the row of Dst, of 16 numbers, at which the tile begins
;   at          the byte of L1, a multiple of 16; GPR 60 of thread 2 is overwritten
;   form, wide  as for packers, which has said both: here they change nothing
.macro pack_from(row, at, form=bf16, wide=0)
    .assert at % 16 == 0, "pack_from: at a multiple of 16"
    @t2
    STALLWAIT  BlockMask=STALL_CFG, ConditionMask=PACK
    .write DEST_TARGET_REG_CFG_PACK_SEC0_Offset = row, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset = 0  register=60
    .write THCON_SEC0_REG1_L1_Dest_addr = at // 16 - 1  register=60
    DMANOP                                                                   ; the last word is there after it
    pack_rows()
.end
