; Y[i] = TABLE[IDS[i]] with one transfer, and 1 added to COUNTS[IDS[i]] with another
; Shows: rows gathered and scattered by a tile of entries, and ids that name no row.
;
; With `vector_offset=ids` partition p has the row that ids[p] names: GpSimd reads the tile when the
; instruction starts and makes the descriptors, one per row. An id outside the table, here the -1 of
; the padding, is a fault, or with oob_mode=skip a row that stays as it was.
.target trn2
.const ROWS = 64, WIDTH = 32, COUNT = 24, REAL = 20

.hbm   TABLE   f32[ROWS, WIDTH]   input = iota
.hbm   IDS     i32[COUNT, 1]      input = [7, 0, 63, 12, 40, 31, 1, 50, 8, 44, 3, 62, 20, 9, 27, 5,
                                           18, 33, 59, 2, -1, -1, -1, -1]
.hbm   Y       f32[COUNT, WIDTH]  output
.hbm   COUNTS  f32[ROWS, 1]       inout = zeros
.sbuf  ids     i32[COUNT, 1]
.sbuf  y       f32[COUNT, WIDTH]
.sbuf  one     f32[COUNT, 1]
.sem   loaded, cleared, fetched, stored

@vector
    Memset      y, 0.0                                               ; what padding gives
    Memset      one, 1.0                                                            $cleared++
@sync
    DmaCopy     ids, IDS                                                            $loaded += 16
    DmaCopy     Y, y                                            $fetched >= 16      $stored += 16
    EventSemaphore                                              $stored >= 32
@gpsimd
    EventSemaphore                                              $cleared >= 1
    DmaCopy     y, TABLE.ap([[WIDTH, COUNT], [1, WIDTH]],
                            vector_offset=ids), oob_mode=skip   $loaded >= 16       $fetched += 16
    DmaCompute  COUNTS.ap([[1, COUNT], [1, 1]], vector_offset=ids), [
                COUNTS.ap([[1, COUNT], [1, 1]], vector_offset=ids), one
                ], reduce_op=add, oob_mode=skip                                     $stored += 16

; TABLE counts its elements, row by row: row r begins with r * WIDTH.
.expect  Y[0:REAL, 0] == IDS[0:REAL, 0] * WIDTH
.expect  Y[0:REAL, WIDTH - 1] == IDS[0:REAL, 0] * WIDTH + WIDTH - 1
.expect  Y[REAL:, :] == 0
.expect  COUNTS[0:4, 0] == [1, 1, 1, 1]
.expect  sum(COUNTS) == REAL
