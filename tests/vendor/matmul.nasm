; test_nki_isa_nc_matmul.py, test_nc_matmul, first and second example: one matmul, and two that accumulate
.target trn1
.hbm   A  f32[128, 128]  input
.hbm   B  f32[128, 512]  input
.hbm   C  f32[128, 512]  output
.hbm   D  f32[256, 128]  input
.hbm   E  f32[256, 512]  input
.hbm   F  f32[128, 512]  output
.hbm   WANT_C  f32[128, 512]  input
.hbm   WANT_F  f32[128, 512]  input
.sbuf  a  f32[128, 128]
.sbuf  b  f32[128, 512]
.sbuf  d  f32[128, 2, 128]
.sbuf  e  f32[128, 2, 512]
.sbuf  c  f32[128, 512]
.sbuf  f  f32[128, 512]
.psum  p  f32[128, 512]
.psum  q  f32[128, 512]
.sem   loaded, done, copied, stored

@sync    DmaCopy  a, A  $loaded += 16
@sync    DmaCopy  b, B  $loaded += 16
.for k in 0..2
@sync    DmaCopy  d[:, k], D[k*128 : +128]  $loaded += 16
@sync    DmaCopy  e[:, k], E[k*128 : +128]  $loaded += 16
.end
@tensor  LoadStationary  a                           $loaded >= 96
@tensor  MultiplyMoving  p, b                                         $done++
.for k in 0..2
@tensor  LoadStationary  d[:, k]
@tensor  MultiplyMoving  q, e[:, k], accumulate=k > 0                 $done++
.end
@vector  TensorCopy      c, p                        $done >= 1       $copied++
@vector  TensorCopy      f, q                        $done >= 3       $copied++
@sync    DmaCopy         C, c                        $copied >= 1     $stored += 16
@sync    DmaCopy         F, f                        $copied >= 2     $stored += 16
@sync    EventSemaphore                              $stored >= 32

.expect  C ~ WANT_C
.expect  F ~ WANT_F
