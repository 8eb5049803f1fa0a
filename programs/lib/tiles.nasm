; Tiles between HBM and SBUF, several in flight. A ring is a tensor whose second axis counts buffers:
; ring[:, t % shape(ring, 1)] is the place of tile t, so that tile t + 1 comes in while t is worked on.
; Whoever works on tile t comes `after loaded[t]`, and posts `used[t]` when the buffer may be filled again.

; load_tiles(ring, src, loaded, used): every tile of src into the ring, in order.
;   ring    SBUF [P, B, N]: B buffers, 2 or more for transfers that overlap with work
;   src     HBM [T, P, N], as in X.reshape(T, P, N); no cast on Sync and Scalar from v3 on: one dtype
;   loaded  posts loaded[t] when tile t has landed
;   used    comes after used[t - B] before tile t overwrites what tile t - B was; [] if T <= B
;   ready   comes after these before the first tile: src is there
;   queue   the ring of the DMA engines (0 to 15): give loads and stores different ones
; Cost: T transfers of P * N elements. An engine waits for its buffer only.
.macro load_tiles(ring, src, loaded, used, ready=[], eng=sync, queue=0)
    .const T = shape(src, 0), B = shape(ring, 1)
    .assert shape(ring, 0) == shape(src, 1) and shape(ring, 2) == shape(src, 2), "load_tiles: src is [T, P, N] for a ring [P, B, N]"
    .for t in 0..T
        @eng  DmaCopy  ring[:, t % B], src[t], queue=queue    after ready if t == 0, used[t - B]    post loaded[t]
    .end
.end

; store_tiles(dst, ring, made, stored): every tile of a ring into dst, in order.
;   dst     HBM [T, P, N]
;   ring    SBUF [P, B, N]
;   made    comes after made[t]: tile t is complete in ring[:, t % B]
;   stored  posts stored[t] when it has landed; who makes tile t comes after stored[t - B]
; Cost: T transfers of P * N elements.
.macro store_tiles(dst, ring, made, stored=[], eng=gpsimd, queue=1)
    .const B = shape(ring, 1)
    .assert shape(ring, 0) == shape(dst, 1) and shape(ring, 2) == shape(dst, 2), "store_tiles: dst is [T, P, N] for a ring [P, B, N]"
    .for t in 0..shape(dst, 0)
        @eng  DmaCopy  dst[t], ring[:, t % B], queue=queue    after made[t]    post stored[t]
    .end
.end

; load_row(tile, row): one row of HBM into every partition, as gains and biases along the free axis are wanted.
;   tile    SBUF [P, N]
;   row     HBM [1, N], of the same dtype
;   done    posts done when it has landed
; Cost: one transfer, which reads the row P times.
.macro load_row(tile, row, done=[], eng=sync, queue=0)
    .assert shape(row, 0) == 1 and shape(row, 1) == shape(tile, 1), "load_row: row is [1, N] for a tile [P, N]"
    @eng  DmaCopy  tile, row.broadcast(shape(tile, 0), shape(tile, 1)), queue=queue    post done
.end
