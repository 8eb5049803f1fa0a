.target wormhole
@t0 INCADCZW U0=1, W0Inc=1, Z0Inc=2
