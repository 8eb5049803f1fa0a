; test_nki_isa_dma_transpose.py, test_dma_transpose_2d: HBM to SBUF
.target trn1
.hbm   A     f16[16, 128]  input
.hbm   B     f16[128, 16]  output
.hbm   WANT  f16[128, 16]  input
.sbuf  b     f16[128, 16]
.sem   loaded, turned, stored
@sync  DmaTranspose  b, A  $turned += 16
@sync  DmaCopy       B, b  $turned >= 16  $stored += 16
@sync  EventSemaphore      $stored >= 16
.expect  B == WANT
