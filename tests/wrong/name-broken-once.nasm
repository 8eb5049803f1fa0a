; One declaration that fails is one problem, however often its name is used.
.target trn1
.const N = 512 / 0, HALF = N // 2
.sbuf t bf17[128, 4]
.sbuf u f32[128, HALF]
.for k in 0..3
.sbuf w{k} f32[256, 4]
.sem s{k}, t
@vector TensorCopy w{k}, t  $s{k}++
@vector TensorCopy u, w{k}  $s{k} >= 1
.end
@vector Memset t[0:64], N
