; test_nki_isa_dma_transpose.py, test_dma_transpose_2d: SBUF to SBUF, by the hardware's crossbar
.target trn2
.hbm   A     f16[16, 128]  input
.hbm   B     f16[128, 16]  output
.hbm   WANT  f16[128, 16]  input
.sbuf  a     f16[16, 128]
.sbuf  b     f16[128, 16]
.sem   loaded, turned, stored
@sync  DmaCopy       a, A                 $loaded += 16
@sync  DmaTranspose  b, a, dge_mode=hwdge  $loaded >= 16  $turned += 16
@sync  DmaCopy       B, b  $turned >= 16  $stored += 16
@sync  EventSemaphore      $stored >= 16
.expect  B == WANT
