; test_nki_isa_nc_find_index8.py, test_max_index8: where the eight largest of each row stand
.target trn1
.hbm   A     f32[32, 128]  input
.hbm   OUT   u32[32, 8]    output
.hbm   WANT  u32[32, 8]    input
.sbuf  a     f32[32, 128]
.sbuf  best  f32[32, 8]
.sbuf  at    u32[32, 8]
.sem   loaded, done, stored
@sync    DmaCopy         a, A                        $loaded += 16
@vector  Max8            best, a   $loaded >= 16
@vector  MatchValueLoad  best
@vector  FindIndex8      at, a                       $done++
@sync    DmaCopy         OUT, at   $done >= 1        $stored += 16
@sync    EventSemaphore            $stored >= 16
.expect  OUT == WANT
