.target trn2
.const N = 8
.hbm   A  f32[N, 128, 64]  input = iota
.hbm   O  f32[N, 128, 64]  output = iota
.for n in 0..2
.sbuf  in{n}   f32[128, 64]
.sbuf  out{n}  f32[128, 64]
.end
.loop k in 0..N step 2
.for n in 0..2
@sync    DmaCopy     in{n}, A[k + n]          after used[k + n - 2]                   post load[k + n]
@scalar  LoadMaskRegister  out{n}, in{n}, op=relu   after load[k + n], store[k + n - 2]     post [[k + n] @read  post madeusedk + n]
@gpsimd  DmaCopy     O[k  + n], out{n}         after made[k + n]                       post store[k + n]
.end
.end
@gpsimd  .drain
@t0 STOREIND Size=1, OffsetHalfReg=4, DataReg=2, AddrReg=1
.expect  O ~ A
