.target trn2
.const N = 8
.hbm   A  f32[N, 128, 64]  input = iota
.hbm   O  f32[N, 128, 64]  output = [inf, -inf, nan, -0.0]
.for n in 0..2
.sbuf  in{n}   f32[128, 64]
.sbuf  out{n}  f32[128, 64]
.end
.loop k in 0..N step 2
.for n in 0..2
@sync    DmaCopy     in{n}, A[k + n]          after used[k + n - 1]                   post load[k + n]
@t0 MOVD2A Move4Rows=1, DstRow=0
@t0 MOVD2B Move4Rows=1, DstRow=0
@t0 MOVD2B SrcRow=16, Move4Rows=1, DstRow=0
@t0 SETDVALID FlipSrcB=1, FlipSrcA=1
@t0 ELWSUB BroadcastSrcBCol0=1, DstRow=8
