; test_nki_isa_tensor_tensor_scan.py, test_tensor_tensor_scan: c[i] = a[i] * c[i-1] + b[i], in two halves
.target trn1
.hbm   A     f32[128, 1024]  input
.hbm   B     f32[128, 1024]  input
.hbm   OUT   f32[128, 1024]  output
.hbm   WANT  f32[128, 1024]  input
.sbuf  a     f32[128, 1024]
.sbuf  b     f32[128, 1024]
.sbuf  c     f32[128, 1024]
.sem   loaded, done, stored
@sync    DmaCopy  a, A  $loaded += 16
@sync    DmaCopy  b, B  $loaded += 16
@vector  TensorTensorScan  c[:, 0:512], a[:, 0:512], b[:, 0:512], initial=0.0, op0=multiply, op1=add  $loaded >= 32
@vector  TensorTensorScan  c[:, 512:1024], a[:, 512:1024], b[:, 512:1024], initial=c[:, 511:512], op0=multiply, op1=add  $done++
@sync    DmaCopy  OUT, c  $done >= 1  $stored += 16
@sync    EventSemaphore   $stored >= 16
.expect  OUT ~ WANT
