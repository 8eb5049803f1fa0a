// Who answers: Python in the browser itself, in a worker. To stop a run is to begin with another.

let worker, number = 0, ready;
const waiting = new Map();

function start(say) {
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data: { id, said, content, error } }) => {
    if (said !== undefined) { say(said); return; }
    const found = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) found?.done(content);
    else found?.failed(new Error(error));
  };
  worker.onerror = () => end(new Error("Python could not be started in this browser"));
  ready = send("about", {});
  return ready;
}

function end(error) {
  worker.terminate();
  for (const { failed } of waiting.values()) failed(error);
  waiting.clear();
}

function send(what, asked) {
  return new Promise((done, failed) => {
    waiting.set(++number, { done, failed });
    worker.postMessage({ id: number, what, asked });
  });
}

export async function ask(what, asked, signal) {
  const stop = () => {
    end(new DOMException("stopped", "AbortError"));
    start(() => {});
  };
  signal?.addEventListener("abort", stop);
  try { return await send(what, asked); } finally { signal?.removeEventListener("abort", stop); }
}

export const preparing = (say) => start(say);
