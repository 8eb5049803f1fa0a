.target wormhole
.l1 xfloat8_e3m4[264] input = iota
.cfg ALU_FORMAT_SPEC_REG0_SrcA = float8_e4m3
.cfg THCON_SEC0_REG0_TileDescriptor = 5 | 1 << 4 | 256 << 16
.cfg THCON_SEC0_REG2_Out_data_format = float8_e8m0f@@nu
.cfg THCON_SEC0_REG5_Dest_cntx0_address = 64
@t0 .cfg SRCA_SET_SetOvrdWithAddr = 1 .cfg THCON_SEC0_REG0_TileDescriptor = 5 | 1 << 4 | 256 << 16
@t0 SETADCXX U0=1, X1Val=255
@t0 UNPACR WhichUnpacker=0, FlipSrc=256
