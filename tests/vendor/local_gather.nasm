; test_nki_isa_local_gather.py, test_local_gather: 64 indices a core, 4 elements each
.target trn1
.hbm   SRC    f32[128, 512, 4]    input
.hbm   INDEX  u16[128, 4]         input
.hbm   OUT    f32[128, 4, 16, 4]  output
.hbm   WANT   f32[128, 4, 16, 4]  input
.sbuf  src    f32[128, 512, 4]
.sbuf  index  u16[128, 4]
.sbuf  out    f32[128, 4, 16, 4]
.sem   loaded, done, stored

@sync    DmaCopy      src, SRC                                 $loaded += 16
@sync    DmaCopy      index, INDEX                             $loaded += 16
@gpsimd  LocalGather  out, src, index, num_elem_per_idx=4, num_valid_indices=64  $loaded >= 32  $done++
@sync    DmaCopy      OUT, out              $done >= 1         $stored += 16
@sync    EventSemaphore                     $stored >= 16
.expect  OUT == WANT
