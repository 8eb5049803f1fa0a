; Y = X, from rows one after the other to tiles of four faces. With Tileize the unpacker takes 16 numbers of
; every row: two halves of a tile, 32 rows each, go to SrcA below each other. The packers write what they
; get as it is; each is told where in Dst its face lies. Counters Y of the unpacker go on by 16 columns,
; counters Z of the packers by a tile
.target wormhole
.include "lib/tensix/math.nasm"
.include "lib/tensix/pack.nasm"
.const TILES = 4, X_AT = 0x4000, Y_AT = 0x10000
.assert TILES <= 15, "that is how far a semaphore counts"
.l1  X  bf16[32, 32 * TILES]  @ X_AT input = normal(seed=1)
.l1  Y  bf16[32, 32 * TILES]  tiled @ Y_AT output

.const ROW = 4 * TILES                           ; from a row of X to the next, in units of 16 bytes
formats()
.cfg THCON_SEC0_REG0_TileDescriptor_InDataFormat = bf16
.cfg THCON_SEC0_REG0_TileDescriptor_IsUncompressed = 1
.cfg THCON_SEC0_REG0_TileDescriptor_XDim = 16
.cfg THCON_SEC0_REG2_Out_data_format = bf16
.cfg THCON_SEC0_REG2_Throttle_mode = 2
.cfg THCON_SEC0_REG2_Tileize_mode = 1
.for n in 0..3
.cfg THCON_SEC0_REG2_Shift_amount_cntx{n} = ROW >> 4 * n & 15
.end
.cfg THCON_SEC0_REG3_Base_address = X_AT // 16 - 1
.cfg THCON_SEC0_REG3_Base_cntx1_address = X_AT // 16 - 1
.for n in 0..2                                   ; a context for each half
.cfg THCON_SEC0_REG2_Disable_zero_compress_cntx{n} = 1
.cfg THCON_SEC0_REG5_Dest_cntx{n}_address = 64 + 512 * n
.cfg THCON_SEC0_REG5_Tile_x_dim_cntx{n} = 16
.end

packers(Y_AT, rows=[0, 32, 16, 48])                ; a face each: two halves lie below each other
.cfg PCK0_ADDR_CTRL_ZW_REG_0_Zstride = 64 * 32     ; a tile of Dst, in bytes
.cfg PCK0_ADDR_CTRL_ZW_REG_1_Zstride = 2048 // 16  ; a tile of Y, in units of 16 bytes

; -- unpack

@t0
.cfg SRCA_SET_SetOvrdWithAddr = 1
    SETADCXX  U0=1, X1Val=511, X0Val=0
.for t in 0..TILES
    UNPACR    WhichUnpacker=0, Ch0YInc=1, MultiContextMode=1, Last=1
    UNPACR    WhichUnpacker=0, Ch0YInc=1, ContextNumber=1, MultiContextMode=1, FlipSrc=1, Last=1
.end

; -- copy: a tile has 64 rows of Dst

@t1
    SEMINIT    NewMax=15, NewValue=0, SemaphoreMask=SEMAPHORE_1
.for t in 0..TILES
copy_tile(64 * t)
    SETRWC     FlipSrcA=1
release_dst()
.end

; -- pack

@t2
.cfg ADDR_MOD_PACK_SEC1_ZsrcIncr = 1
.cfg ADDR_MOD_PACK_SEC1_ZdstIncr = 1
    SETADCXX  PK=1, X1Val=255, X0Val=0
.for t in 0..TILES
    SEMWAIT   BlockMask=STALL_SYNC|STALL_PACK, SemaphoreMask=SEMAPHORE_1, ConditionMask=STALL_ON_ZERO
    PACR      AddrMod=1, PackerMask=0xF, Last=1
    SEMGET    SemaphoreMask=SEMAPHORE_1
.end

.expect Y == X
.expect cycles(t2) <= 47 + 36 * TILES  ; a tile takes 2 cycles for each address and 32 to unpack
