; test_nki_isa_nc_match_replace8.py, test_nc_match_replace_indices8_3d: a tile with two free axes
.target trn1
.hbm   A         f32[128, 4, 4]  input
.hbm   OUT       f32[128, 4, 4]  output
.hbm   AT        u32[128, 8]  output
.hbm   WANT      f32[128, 4, 4]  input
.hbm   WANT_AT   u32[128, 8]  input
.sbuf  a     f32[128, 4, 4]
.sbuf  c     f32[128, 4, 4]
.sbuf  best  f32[128, 8]
.sbuf  at    u32[128, 8]
.sem   loaded, done, stored
@sync    DmaCopy         a, A                        $loaded += 16
@vector  Max8            best, a   $loaded >= 16
@vector  MatchValueLoad  best
@vector  MatchReplace8   c, a, imm=0.0, dst_idx=at  $done++
@sync    DmaCopy         OUT, c  $done >= 1      $stored += 16
@sync    DmaCopy         AT, at                      $stored += 16
@sync    EventSemaphore            $stored >= 32
.expect  OUT == WANT
.expect  AT == WANT_AT
