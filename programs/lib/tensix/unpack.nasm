; From L1 to SrcA and SrcB of Tensix: tiles of 32 by 32, one after the other. Thread 0 unpacks. FlipSrc gives a
; bank to the matrix unit once it is full; the next tile goes into the other bank, as soon as that is free.

; unpacker(unit, at, form, to): what one unpacker reads, and what it makes of it; no instruction.
;   unit  0 fills SrcA, 1 fills SrcB
;   at    the byte of L1 where the first tile begins, a multiple of 16
;   form  the format there: f32, bf16, f16, fp8, or a block float such as bfp8
;   to    tf32, bf16 or f16 of f32; of others the same as form (block floats and fp8 become bf16 and f16 anyway)
.macro unpacker(unit, at, form=bf16, to=form)
    .assert at % 16 == 0, "unpacker: at a multiple of 16"
    .cfg THCON_SEC{unit}_REG0_TileDescriptor_InDataFormat = form
    .cfg THCON_SEC{unit}_REG0_TileDescriptor_IsUncompressed = 1
    .cfg THCON_SEC{unit}_REG0_TileDescriptor_XDim = 1024
    .cfg THCON_SEC{unit}_REG0_TileDescriptor_YDim = 1                        ; else a block float has no exponents
    .cfg THCON_SEC{unit}_REG2_Out_data_format = to
    .cfg THCON_SEC{unit}_REG2_Disable_zero_compress_cntx0 = 1
    .cfg THCON_SEC{unit}_REG2_Throttle_mode = 2                              ; 64 bytes a cycle
    .cfg THCON_SEC{unit}_REG3_Base_address = at // 16 - 1                    ; a header of 16 bytes is skipped
    .if unit == 0
        .cfg THCON_SEC0_REG5_Dest_cntx0_address = 64                         ; it drops the first four rows
        .cfg THCON_SEC0_REG5_Tile_x_dim_cntx0 = 1024
        @t0 .cfg SRCA_SET_SetOvrdWithAddr = 1                                ; all 64 rows by address
    .end
.end

; tile_bytes(form): BYTES, of a tile of 32 by 32 in a format, and SHARED, whether 16 numbers share an exponent.
.macro tile_bytes(form)
    .const eight = form == "bfp8" or form == "bfp8a"
    .const four = form == "bfp4" or form == "bfp4a"
    .const two = form == "bfp2" or form == "bfp2a"
    .const @export SHARED = eight or four or two
    .const narrow = 1088 if eight else (576 if four else 320)
    .const @export BYTES = narrow if SHARED else (4096 if form == f32 else (1024 if form == "fp8" else 2048))
.end

; unpack_from(unit, at): another tile for an unpacker, once both are idle. Thread 0; GPR 60 is overwritten.
;   unit  0 fills SrcA, 1 fills SrcB
;   at    the byte of L1 where the tile begins, a multiple of 16
; Cost: 4 cycles, and the wait.
.macro unpack_from(unit, at)
    .assert at % 16 == 0, "unpack_from: at a multiple of 16"
    @t0
    STALLWAIT  BlockMask=STALL_CFG, ConditionMask=UNPACK
    .write THCON_SEC{unit}_REG3_Base_address = at // 16 - 1  register=60
.end

; unpack_tile(at): tiles of L1 to SrcA.
;   at, form, to  as for unpacker
;   tiles         how many follow one another in L1
; Cost: 2 cycles for the address and 32 for a tile of bf16, 64 of f32. A block float has its exponents before each
; tile, so that the address of every one is written.
.macro unpack_tile(at, form=bf16, to=form, tiles=1)
    unpacker(0, at, form, to)
    tile_bytes(form)
    @t0
    SETADCXX  U0=1, X1Val=1023, X0Val=0
    .for tile in 0..tiles
        .if tile > 0 and SHARED
            unpack_from(0, at + tile * BYTES)
        .end
        UNPACR  WhichUnpacker=0, Ch0YInc=1 if tiles > 1 and not SHARED else 0, MultiContextMode=1, FlipSrc=1, Last=1
    .end
.end

; unpack_pair(srca, srcb): tiles of L1 to SrcA, and as many to SrcB.
;   srca, srcb  the bytes of L1 where the first tiles begin: of C = A @ B, B and A
;   form, to    as for unpacker, of both
;   tiles       how many follow one another in L1, of each
; Cost: 64 cycles for two tiles of bf16, as both unpackers share the way to L1.
.macro unpack_pair(srca, srcb, form=bf16, to=form, tiles=1)
    unpacker(0, srca, form, to)
    unpacker(1, srcb, form, to)
    tile_bytes(form)
    @t0
    SETADCXX  U0=1, U1=1, X1Val=1023, X0Val=0
    .for tile in 0..tiles
        .if tile > 0 and SHARED
            unpack_from(0, srca + tile * BYTES)
            unpack_from(1, srcb + tile * BYTES)
        .end
        UNPACR  WhichUnpacker=0, Ch0YInc=1 if tiles > 1 and not SHARED else 0, MultiContextMode=1, FlipSrc=1, Last=1
        UNPACR  WhichUnpacker=1, Ch0YInc=1 if tiles > 1 and not SHARED else 0, MultiContextMode=1, FlipSrc=1, Last=1
    .end
.end
