.target wormhole
@t0 SETADCXX U0=1, X1Val}255, X0Val=0
