; The vector unit of Tensix, on a tile that lies in Dst. Thread 1 computes. Registers have 32 lanes: four rows of
; Dst, and of these the even or the odd columns.
.include "lib/tensix/math.nasm"
.include "lib/tensix/lanes.nasm"
