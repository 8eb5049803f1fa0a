; test_nki_isa_nc_match_replace8.py, test_nc_match_replace8: the eight largest of each row become -inf
.target trn1
.hbm   A     f32[4, 16]  input
.hbm   OUT   f32[4, 16]  output
.hbm   WANT  f32[4, 16]  input
.sbuf  a     f32[4, 16]
.sbuf  c     f32[4, 16]
.sbuf  best  f32[4, 8]
.sem   loaded, done, stored
@sync    DmaCopy         a, A                        $loaded += 16
@vector  Max8            best, a   $loaded >= 16
@vector  MatchValueLoad  best
@vector  MatchReplace8   c, a, imm=-inf              $done++
@sync    DmaCopy         OUT, c    $done >= 1        $stored += 16
@sync    EventSemaphore            $stored >= 16
.expect  OUT == WANT
.expect  sum(OUT == 0 - inf) == 32
