; test_nki_isa_dma_copy.py, test_indirect_store_rmw: rows of HBM chosen by an index tile, added to in place
.target trn2
.hbm   A     f32[64, 512]   input
.hbm   OUT   f32[128, 512]  output
.hbm   WANT  f32[128, 512]  input
.sbuf  idx   i32[64, 1]
.sbuf  a     f32[64, 512]
.sbuf  full  f32[128, 512]
.sem   loaded, filled, ready, moved

@sync    DmaCopy     a, A                                       $loaded += 16
@gpsimd  Iota        idx, pattern=[[0, 1]], channel_multiplier=2
@gpsimd  Memset      full, 1.0                                  $filled++
@gpsimd  DmaCopy     OUT, full                $filled >= 1      $ready += 16
@gpsimd  EventSemaphore                       $loaded >= 16
@gpsimd  DmaCompute  OUT.ap([[512, 64], [1, 512]], vector_offset=idx, indirect_dim=0), [OUT.ap([[512, 64], [1, 512]], vector_offset=idx, indirect_dim=0), a], reduce_op=add  $ready >= 16  $moved += 16
@sync    EventSemaphore                       $moved >= 16
.expect  OUT == WANT
