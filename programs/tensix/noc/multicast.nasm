; A multicast as the clocks of the chip see it: every Tensix tile waits for a semaphore that one packet
; raises, and stores its wall clock. The packet goes along row 1 and from each column down, as the tree
; of the documentation does, a hop in 9 cycles; columns 0 and 5 and rows 0 and 6 let it pass
.target wormhole
.grid 8, 10

.for y in 0..10
    .for x in 0..8
        .tile x, y
        .l1   clock_{x}_{y}  u32[1]  output
        .sem  go_{x}_{y}
    .end
.end

.tile 0, 0
@noc0 NOC_INC_MULTICAST X0=1, Y0=1, X1=9, Y1=11, Include=true, Major=y  $go_0_0 += 80
.for y in 0..10
    .for x in 0..8
        .tile x, y
        @noc1 NOC_STAMP clock_{x}_{y}  $go_{x}_{y} >= 1
        .expect clock_{x}_{y} == 5 + 9 * (x + (x > 3) + y + (y > 4)) + 5
    .end
.end
