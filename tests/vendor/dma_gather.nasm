; test_nki_isa_dma_copy.py, test_indirect_load_oob_err: rows of HBM chosen by an index tile, all of them there
.target trn2
.hbm   A     f32[128, 512]  input
.hbm   OUT   f32[64, 512]   output
.hbm   WANT  f32[64, 512]   input
.sbuf  idx   i32[64, 1]
.sbuf  out   f32[64, 512]
.sem   ready, moved, stored

@gpsimd  Iota    idx, pattern=[[0, 1]], channel_multiplier=2
@gpsimd  Memset  out, -1.0                                        $ready++
@gpsimd  DmaCopy out, A.ap([[512, 64], [1, 512]], vector_offset=idx, indirect_dim=0), oob_mode=error  $ready >= 1  $moved += 16
@sync    DmaCopy OUT, out                         $moved >= 16    $stored += 16
@sync    EventSemaphore                           $stored >= 16
.expect  OUT == WANT
