// A link that carries a text: packed into what comes after its #, which no server sees.

const BEGINS = "#text=", LARGEST = 200_000;

async function through(bytes, stream) {
  const packed = new Blob([bytes]).stream().pipeThrough(stream), parts = [];
  let size = 0;
  for (const reader = packed.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > 4 * LARGEST) throw new Error("the text of the link is too long");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function link(text) {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = btoa(String.fromCharCode(...packed)).replace(/\+/g, "-").replace(/\//g, "_");
  return location.origin + location.pathname + BEGINS + letters.replace(/=+$/, "");
}

// The text that the address carries; undefined if it carries none.
export async function carried(hash) {
  if (!hash.startsWith(BEGINS)) return undefined;
  try {
    const letters = hash.slice(BEGINS.length).replace(/-/g, "+").replace(/_/g, "/");
    const packed = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("the link carries no whole text");
  }
}
