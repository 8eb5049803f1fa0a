; test_nki_isa_nc_transpose.py, test_nc_transpose, first example: on the Tensor engine, by an identity
.target trn1
.hbm   A      f32[128, 64]   input
.hbm   I      f32[128, 128]  input
.hbm   AT     f32[64, 128]   output
.hbm   WANT   f32[64, 128]   input
.sbuf  a      f32[128, 64]
.sbuf  i      f32[128, 128]
.sbuf  t      f32[64, 128]
.psum  p      f32[64, 128]
.sem   loaded, done, copied, stored
@sync    DmaCopy         a, A                                             $loaded += 16
@sync    DmaCopy         i, I                                             $loaded += 16
@tensor  LoadStationary  a, is_transpose=true             $loaded >= 32
@tensor  MultiplyMoving  p, i, is_transpose=true                          $done++
@vector  TensorCopy      t, p                             $done >= 1      $copied++
@sync    DmaCopy         AT, t                            $copied >= 1    $stored += 16
@sync    EventSemaphore                                   $stored >= 16
.expect  AT ~ WANT
