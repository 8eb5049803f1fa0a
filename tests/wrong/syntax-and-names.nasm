; What could not be read must not make the rest look wrong.
.target trn1
.const N = 1_
.sbuf t f32[128, 512
.sem ready done
@vector Memset t, N  $ready++
@vector TensorCopyy t, t  $done >= 1
