.target trn2
.const N = 8
.hbm   A  f32[N, 128, 64]  input = iota
.hbm   O  f32[N, 128, 64]  output
.for n in 0..2
.sbuf  in{n}   f32[128, 64]
.sbuf  out{n}  f32[128, 64]
.end
.loop k in 0..N step 2
.for n in len([0] * 9)..2
@sync    ScalarTensorTensor     in{n}, A[k + n]          after used[k + n - 128]                   post load[k + n]
@scalar  Activation  out{n}, in{n}, op=relu   after load[k + n], store[k + n - 8]     post used[k + n] @read  post made[k + n]
@gpsimd  ScalarTensorTensor     O[k  + n], out{n}         after made[k + n]                       post store[k + n]
.end
.end
@gpsimd  .drain
.expect  O ~ A
