# [[16, 24]]
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    out = nl.zeros((16, 12), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    p, a, b = nl.mgrid[0:16, 0:4, 0:3]
    turned = nl.copy(tile[p, 6 * a + 2 * b])
    q, c = nl.mgrid[0:16, 0:12]
    kept = nl.zeros((16, 12), dtype=nl.float32)
    kept[p, 4 * b + a] = turned
    kept[q, c] = nisa.affine_select(pred=(q >= c), on_true_tile=kept, on_false_value=-1.0)
    kept[0:8, 0:12:2] = nl.square(tile[0:8, nl.ds(3, 6)])
    nl.store(out[q, c], nl.add(kept[q, 11 - c], tile[q, 12 + c]))
    return out
