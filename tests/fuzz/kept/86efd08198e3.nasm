.target wormhole
@t0 APOOL3S1 index_en=4096, dst=1 * [1, 2]
