.target trn2
.const N = 8
.hbm   A  f32[N, 128, 64]  input = iota
.hbm   O  f32[N, 128, 64]  output = iota
.for n in 0..2
.sbuf  in{n}   f32[128, 64]
.sbuf  out{n}  f32[128, 64]
.end
.loop k in 0..N stepTORE VD=0, Mod0=2, Imm10=0
@t0 SFPSTORE VD=1, Mod0=2, Imm10=2
@t0 STALLWAIT BlockMask=0x40, ConditionMask=0x4000
@t0 MOVD2A Move4Rows=1, DstRow=0
@t0 MOVDBGA2D Move8Rows=1, DstRow=8
