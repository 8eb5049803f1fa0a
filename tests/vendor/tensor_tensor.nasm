; test_nki_isa_tensor_tensor.py, test_tensor_tensor: the sum of two tiles
.target trn1
.hbm   A     f32[128, 512]  input
.hbm   B     f32[128, 512]  input
.hbm   OUT   f32[128, 512]  output
.hbm   WANT  f32[128, 512]  input
.sbuf  a     f32[128, 512]
.sbuf  b     f32[128, 512]
.sbuf  c     f32[128, 512]
.sem   loaded, done, stored
@sync    DmaCopy       a, A  $loaded += 16
@sync    DmaCopy       b, B  $loaded += 16
@vector  TensorTensor  c, a, b, op=add   $loaded >= 32  $done++
@sync    DmaCopy       OUT, c  $done >= 1  $stored += 16
@sync    EventSemaphore  $stored >= 16
.expect  OUT ~ WANT
