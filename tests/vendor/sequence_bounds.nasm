; test_nki_isa_sequence_bounds.py, test_sequence_bounds: where the run of each element begins and ends
.target trn1
.hbm   IDS   f32[1, 32]     input
.hbm   OUT   f32[1, 2, 32]  output
.hbm   WANT  f32[1, 2, 32]  input
.sbuf  ids   f32[1, 32]
.sbuf  c     f32[1, 2, 32]
.sem   loaded, done, stored
@sync    DmaCopy         ids, IDS                   $loaded += 16
@gpsimd  SequenceBounds  c, ids   $loaded >= 16     $done++
@sync    DmaCopy         OUT, c   $done >= 1        $stored += 16
@sync    EventSemaphore           $stored >= 16
.expect  OUT == WANT
