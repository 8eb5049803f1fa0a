; test_nki_isa_dma_copy.py, test_dma_copy_swdge: descriptors made by GpSimd
.target trn1
.hbm   A     f32[64, 512]  input
.hbm   B     f32[64, 512]  output
.hbm   WANT  f32[64, 512]  input
.sem   moved
@gpsimd  DmaCopy  B, A, dge_mode=swdge   $moved += 16
@gpsimd  EventSemaphore                  $moved >= 16
.expect  B == WANT
