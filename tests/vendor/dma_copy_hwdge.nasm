; test_nki_isa_dma_copy.py, test_dma_copy_hwdge: SBUF to SBUF, descriptors made by the hardware
.target trn2
.hbm   A     f32[128, 512]  input
.hbm   B     f32[128, 512]  output
.hbm   WANT  f32[128, 512]  input
.sbuf  a     f32[128, 512]
.sbuf  b     f32[128, 512]
.sem   loaded, moved, stored
@sync  DmaCopy  a, A                                  $loaded += 16
@sync  DmaCopy  b, a, dge_mode=hwdge  $loaded >= 16   $moved += 16
@sync  DmaCopy  B, b                  $moved >= 16    $stored += 16
@sync  EventSemaphore                 $stored >= 16
.expect  B == WANT
