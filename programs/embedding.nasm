; Y[i] = TABLE[IDS[i]]: rows of a table fetched by numbers that only the run knows
; Shows: a DMA whose source starts where a register says, and a loop that keeps transfers in flight.
;
; Descriptors of such a transfer cannot be prepared; on trn1 GpSimd's software writes them (swdge).
; The loop does not wait for a row before it asks for the next: a transfer is on its way as soon as
; its instruction is issued. The drain behind the loop is one wait for all of them.
.target trn1
.const ROWS = 64, WIDTH = 32, COUNT = 16

.hbm   TABLE  f32[ROWS, WIDTH]   input = iota
.hbm   IDS    i32[1, COUNT]      input = [[7, 0, 63, 12, 12, 31, 1, 50, 8, 44, 3, 63, 20, 9, 27, 5]]
.hbm   Y      f32[COUNT, WIDTH]  output
.sbuf  ids    i32[1, COUNT]

@gpsimd
        DmaCopy         ids, IDS                                            post loaded
.loop i in 0..COUNT
        TensorLoad      %r1, ids[:, i]                        after loaded
        DmaCopy         Y[i : +1, :], TABLE[%r1 : +1, :]
.end
        .drain

; TABLE counts its elements, row by row: row r begins with r * WIDTH.
.expect  Y[:, 0] == IDS[0, :] * WIDTH
.expect  Y[:, WIDTH - 1] == IDS[0, :] * WIDTH + WIDTH - 1
