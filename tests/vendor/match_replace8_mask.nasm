; test_nki_isa_nc_match_replace8.py, test_nc_match_replace_indices8_mask: a mask never reached the hardware, the
; compiler cut the tiles; so do we
.target trn1
.hbm   A         f32[128, 512]  input
.hbm   OUT       f32[64, 256]   output
.hbm   AT        u32[64, 8]     output
.hbm   WANT      f32[64, 256]   input
.hbm   WANT_AT   u32[64, 8]     input
.sbuf  a     f32[128, 512]
.sbuf  c     f32[64, 256]
.sbuf  best  f32[64, 8]
.sbuf  at    u32[64, 8]
.sem   loaded, done, stored
@sync    DmaCopy         a, A                                     $loaded += 16
@vector  Max8            best, a[0:64, 0:256]   $loaded >= 16
@vector  MatchValueLoad  best
@vector  MatchReplace8   c, a[0:64, 0:256], imm=-inf, dst_idx=at  $done++
@sync    DmaCopy         OUT, c    $done >= 1        $stored += 16
@sync    DmaCopy         AT, at                      $stored += 16
@sync    EventSemaphore            $stored >= 32
.expect  OUT == WANT
.expect  AT == WANT_AT
