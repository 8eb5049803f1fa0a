; test_nki_isa_iota.py, test_iota: five patterns
.target trn1
.hbm   A  f32[1, 512]    output
.hbm   B  f32[128, 1]    output
.hbm   C  f32[1, 512]    output
.hbm   D  f32[128, 1]    output
.hbm   E  f32[128, 512]  output
.hbm   WANT_A  f32[1, 512]    input
.hbm   WANT_B  f32[128, 1]    input
.hbm   WANT_C  f32[1, 512]    input
.hbm   WANT_D  f32[128, 1]    input
.hbm   WANT_E  f32[128, 512]  input
.sbuf  a  i32[1, 512]
.sbuf  b  i32[128, 1]
.sbuf  c  i32[1, 512]
.sbuf  d  i32[128, 1]
.sbuf  e  i32[128, 512]
.sem   made, stored

@gpsimd  Iota  a, pattern=[[1, 512]]
@gpsimd  Iota  b, pattern=[[0, 1]], channel_multiplier=1
@gpsimd  Iota  c, pattern=[[-1, 512]]
@gpsimd  Iota  d, pattern=[[0, 1]], offset=5, channel_multiplier=2
@gpsimd  Iota  e, pattern=[[1, 512]], channel_multiplier=1     $made++
@vector  EventSemaphore                                        $made >= 1
@vector  DmaCopy  A, a  $stored += 16
@vector  DmaCopy  B, b  $stored += 16
@vector  DmaCopy  C, c  $stored += 16
@vector  DmaCopy  D, d  $stored += 16
@vector  DmaCopy  E, e  $stored += 16
@sync    EventSemaphore  $stored >= 80

.expect  A == WANT_A
.expect  B == WANT_B
.expect  C == WANT_C
.expect  D == WANT_D
.expect  E == WANT_E
