; An acknowledged write takes as long to the next tile as to the last one: request and acknowledgement
; together go once round the torus. In the same row that is 10 hops of 9 cycles, in the same column 12,
; else both: the published 90, 108 and 198 cycles. To them come the four ways between a tile and its
; router, of 5 cycles each, and a cycle of the line that waits
.target wormhole
.const X = 4, Y = 5                  ; -D X=9 -D Y=11: another distance, the same times
.const WAYS = 4 * 5

.tile 1, 1
.l1  clock  u32[4]  output
.sem row, column, both
.tile X, 1
.l1  a  u32[4] = zeros
.tile 1, Y
.l1  b  u32[4] = zeros
.tile X, Y
.l1  c  u32[4] = zeros

.tile 1, 1
@noc0
NOC_STAMP         clock[0:1]
NOC_INLINE_WRITE  a[0:1], 11   $row++
NOC_STAMP         clock[1:2]   $row >= 1
NOC_INLINE_WRITE  b[0:1], 22   $column++
NOC_STAMP         clock[2:3]   $column >= 1
NOC_INLINE_WRITE  c[0:1], 33   $both++
NOC_STAMP         clock[3:4]   $both >= 1

.expect a[0] == 11
.expect b[0] == 22
.expect c[0] == 33
.expect clock[1] - clock[0] == 1 + 90 + WAYS
.expect clock[2] - clock[1] == 1 + 108 + WAYS
.expect clock[3] - clock[2] == 1 + 198 + WAYS
