; test_nki_isa_memset.py, test_memset: 0.2 everywhere
.target trn1
.hbm   A     f32[128, 128]  output
.hbm   WANT  f32[128, 128]  input
.sbuf  a     f32[128, 128]
.sem   done, stored
@vector  Memset   a, 0.2                      $done++
@sync    DmaCopy  A, a      $done >= 1        $stored += 16
@sync    EventSemaphore     $stored >= 16
.expect  A ~ WANT
