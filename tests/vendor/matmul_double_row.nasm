; test_nki_isa_nc_matmul.py, test_double_row_gen3: 256 rows of fp8 in one pass
.target trn2
.hbm   A     e5m2[128, 2, 1]    input
.hbm   B     e5m2[128, 2, 512]  input
.hbm   C     f32[1, 512]        output
.hbm   WANT  f32[1, 512]        input
.sbuf  a     e5m2[128, 2, 16]       ; padded to 16 columns, as the published kernel does
.sbuf  b     e5m2[128, 2, 512]
.sbuf  c     f32[1, 512]
.psum  p     f32[1, 512]
.sem   loaded, done, copied, stored
@sync    DmaCopy         a[:, :, 0:1], A                                             $loaded += 16
@sync    DmaCopy         b, B                                                        $loaded += 16
@tensor  LoadStationary  a[:, :, 0:1], perf_mode=double_row  $loaded >= 32
@tensor  MultiplyMoving  p, b, perf_mode=double_row                                  $done++
@vector  TensorCopy      c, p                                $done >= 1              $copied++
@sync    DmaCopy         C, c                                $copied >= 1            $stored += 16
@sync    EventSemaphore                                      $stored >= 16
.expect  C ~ WANT
