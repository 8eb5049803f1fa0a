// Python with nasm: config.json says where Pyodide is, and which wheels belong to this page.

const say = (said) => postMessage({ said });

async function prepared() {
  const config = await (await fetch("config.json")).json();
  const from = new URL(config.pyodide, location.href).href;
  say("loading Python …");
  const { loadPyodide } = await import(`${from}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: from });
  say("loading nasm …");
  const wheels = config.wheels.map((name) => new URL(name, location.href).href);
  await python.loadPackage([...config.packages, ...wheels]);
  const answer = python.runPython("from nasm.apps.play.in_browser import answer\nanswer");
  say("");
  return answer;
}

const ready = prepared();

onmessage = async ({ data: { id, what, asked } }) => {
  try {
    const found = JSON.parse((await ready)(what, JSON.stringify(asked)));
    postMessage({ id, ...found });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
