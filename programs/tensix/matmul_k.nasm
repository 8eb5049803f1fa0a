; C = A @ B with K = 32 * ROUNDS: a loop of tile products that add up in Dst. SrcA and SrcB have two banks
; each. While the matrix unit works on one, the unpackers fill the other; a flip hands it over. A round
; takes 64 cycles to unpack and 16 a phase to multiply: with four phases, little more for both together
.target wormhole
.const ROUNDS = 8, PHASES = 4

.const A_AT = 0x4000, B_AT = 0x10000, C_AT = 0x20000
.assert ROUNDS <= 24, "the tiles of A lie between 0x4000 and 0x10000"
.l1  A  bf16[32, 32 * ROUNDS]  tiled @ A_AT input = normal(seed=1)
.l1  B  bf16[32 * ROUNDS, 32]  tiled @ B_AT input = normal(seed=2)
.l1  C  f32[32, 32]            tiled @ C_AT output

; -- what is configured before the run. Addresses count 16 bytes, and begin behind a header

.cfg ALU_FORMAT_SPEC_REG0_SrcA = bf16
.cfg ALU_FORMAT_SPEC_REG1_SrcB = bf16
.cfg ALU_FORMAT_SPEC_REG2_Dstacc = f32
.cfg ALU_ACC_CTRL_Fp32_enabled = 1                           ; Dst has 32 bits; with 16 each product rounds the sum
.cfg PCK_DEST_RD_CTRL_Read_32b_data = 1

.for u in 0..2                        ; unpackers: rows of 1024 numbers, a tile each, that are not compressed
.cfg THCON_SEC{u}_REG0_TileDescriptor = 1024 << 16 | 1 << 4 | 5
.cfg THCON_SEC{u}_REG2_Out_data_format = bf16
.cfg THCON_SEC{u}_REG2_Disable_zero_compress_cntx0 = 1
.cfg THCON_SEC{u}_REG2_Throttle_mode = 2                     ; 64 bytes a cycle
.end
.cfg THCON_SEC0_REG3_Base_address = B_AT // 16 - 1            ; SrcA gets B, SrcB gets A
.cfg THCON_SEC1_REG3_Base_address = A_AT // 16 - 1
.cfg THCON_SEC0_REG5_Dest_cntx0_address = 64                 ; unpacker 0 begins four rows late
.cfg THCON_SEC0_REG5_Tile_x_dim_cntx0 = 1024

.cfg PCK_EDGE_OFFSET_SEC0_mask = 0xFFFF                      ; packers: a face each
.cfg PCK0_ADDR_CTRL_XY_REG_0_Xstride = 4
.cfg PCK0_ADDR_CTRL_XY_REG_0_Ystride = 64
.for n in 0..4
.cfg DEST_TARGET_REG_CFG_PACK_SEC{n}_Offset = 16 * n
.cfg PACK_COUNTERS_SEC{n}_pack_reads_per_xy_plane = 16
.end
.for s in 0..2
.for r in [1, 8]                      ; packers 0 and 1, 2 and 3
.cfg THCON_SEC{s}_REG{r}_Disable_zero_compress = 1
.cfg THCON_SEC{s}_REG{r}_In_data_format = f32
.cfg THCON_SEC{s}_REG{r}_Out_data_format = f32
.cfg THCON_SEC{s}_REG{r}_L1_Dest_addr = (C_AT + (2 * s + r // 8) * 1024) // 16 - 1
.end
.end

@t1                                   ; how rows move on behind each product, by modifier
.cfg ADDR_MOD_AB_SEC0_SrcBIncr = 8
.cfg ADDR_MOD_DST_SEC0_DestIncr = 8
.cfg ADDR_MOD_AB_SEC1_SrcAIncr = 16
.cfg ADDR_MOD_AB_SEC1_SrcBCR = 1
.cfg ADDR_MOD_DST_SEC1_DestIncr = 8
.cfg ADDR_MOD_AB_SEC2_SrcACR = 1
.cfg ADDR_MOD_AB_SEC2_SrcBIncr = 32
.cfg ADDR_MOD_AB_SEC2_SrcBCR = 1
.cfg ADDR_MOD_DST_SEC2_DestIncr = 8
.cfg ADDR_MOD_AB_SEC3_SrcBIncr = 8
.cfg ADDR_MOD_DST_SEC3_DestIncr = 8
.cfg ADDR_MOD_BIAS_SEC3_BiasIncr = 1                          ; from here on 0 and 1 mean 4 and 5
.cfg ADDR_MOD_AB_SEC4_SrcAIncr = 32
.cfg ADDR_MOD_AB_SEC4_SrcACR = 1
.cfg ADDR_MOD_AB_SEC4_SrcBIncr = 48
.cfg ADDR_MOD_AB_SEC4_SrcBCR = 1
.cfg ADDR_MOD_DST_SEC4_DestCR = 1
.cfg ADDR_MOD_BIAS_SEC4_BiasIncr = 1
.cfg ADDR_MOD_AB_SEC5_SrcAClear = 1
.cfg ADDR_MOD_AB_SEC5_SrcBClear = 1
.cfg ADDR_MOD_DST_SEC5_DestClear = 1
.cfg ADDR_MOD_DST_SEC5_FidelityIncr = 1
.cfg ADDR_MOD_BIAS_SEC5_BiasIncr = 1

; -- unpack: a tile of each operand, then the next, as soon as banks are free

@t0
.cfg SRCA_SET_SetOvrdWithAddr = 1
    SETADCXX  U0=1, U1=1, X1Val=1023, X0Val=0
.for k in 0..ROUNDS
    UNPACR    WhichUnpacker=0, Ch0YInc=1, MultiContextMode=1, FlipSrc=1, Last=1
    UNPACR    WhichUnpacker=1, Ch0YInc=1, MultiContextMode=1, FlipSrc=1, Last=1
.end

; -- multiply: Dst keeps the sum; SETRWC gives both banks back, and goes on with the others

@t1
    SEMINIT   NewMax=1, NewValue=0, SemaphoreMask=0x2
    ZEROACC   Mode=3
    REPLAY    Index=0, Count=16, Load=1
.for m in [0, 1, 0, 2, 0, 1, 3, 0, 0, 1, 0, 2, 0, 1, 3, 1]
    MVMUL    AddrMod=m
.end
.for k in 0..ROUNDS
.for p in 0..PHASES
    REPLAY    Index=0, Count=16
.end
    SETRWC    FlipSrcB=1, FlipSrcA=1, Fidelity=1, Dst=1, SrcB=1, SrcA=1
.end
    STALLWAIT  BlockMask=0x2, ConditionMask=0x80             ; posts wait for the matrix unit
    SEMPOST    SemaphoreMask=0x2

; -- pack

@t2
    SETADCXX  PK=1, X1Val=255, X0Val=0
    SEMWAIT   BlockMask=0x4, SemaphoreMask=0x2, ConditionMask=1  ; packs wait while it is 0
    PACR      PackerMask=0xF, Last=1
    SEMGET    SemaphoreMask=0x2

.expect C ~ A @ B  rtol=2e-3 atol=2e-2
.expect cycles(t2) <= 137 + 131 * ROUNDS // 2    ; one after the other, unpack and multiply would take 130 a round
