; C[:, 0 : 32] = every fourth column of A and three that follow no rule, put in another order
; Shows: tensor indirection, which NeuronCore-v4 has. One instruction reads, or writes, columns at
; any distances; before v4 that took one instruction for each of them.
;
; Entry i of an index stands at row i % 16, column i // 16, and serves every partition: 32 entries
; are two columns of 16. What the partitions behind the sixteenth hold names nothing.
.target trn3
.const P = 64, N = 128, COUNT = 32

.hbm   A     f32[P, N]       input = iota
.hbm   FROM  u16[16, 2]      input = [[0, 64], [4, 68], [8, 72], [12, 76], [16, 80], [20, 84],
                                      [24, 88], [28, 92], [32, 96], [36, 100], [40, 104],
                                      [44, 108], [48, 112], [52, 5], [56, 126], [60, 33]]
.hbm   TO    u16[16, 2]      input = [[31, 15], [30, 14], [29, 13], [28, 12], [27, 11], [26, 10],
                                      [25, 9], [24, 8], [23, 7], [22, 6], [21, 5], [20, 4],
                                      [19, 3], [18, 2], [17, 1], [16, 0]]
.hbm   C     f32[P, COUNT]   output
.sbuf  a     f32[P, N]
.sbuf  from  u16[P, 2]
.sbuf  to    u16[P, 2]
.sbuf  c     f32[P, COUNT]

@sync
    DmaCopy     a, A                                              post tile
    DmaCopy     from[0:16, :], FROM                               post from
    DmaCopy     to[0:16, :], TO                                   post to
    DmaCopy     C, c                                              after moved
    .drain
@vector
    TensorCopy  c.indirect(to, num_elem=COUNT), a.indirect(
                from, num_elem=COUNT)                             after tile, from, to   post moved

; A counts its elements: row r begins with r * N. The last entry of FROM comes first.
.expect  C[0, 0:3] == [33, 126, 5]
.expect  C[:, 31] == A[:, 0]
.expect  C[:, 3:32] == A[:, 112::-4]
