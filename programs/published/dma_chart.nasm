; A load of [128, B] bytes: all 16 DMA engines, descriptors of B bytes
.target trn2
.const B = 32
.hbm   X  u8[128, B]  input
.sbuf  t  u8[128, B]
.sem   loaded
@sync  DmaCopy         t, X              $loaded += 16
@sync  EventSemaphore  $loaded >= 16
