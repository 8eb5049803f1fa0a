// Who answers: the server that the page came from, which runs programs in processes of its own.

const KEY = "neuron-nasm.token";

function token() {
  const given = new URLSearchParams(location.search).get("token");
  if (given !== null) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname + location.hash);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

const TOKEN = token();

export async function ask(what, asked, signal) {
  let found;
  try {
    found = await fetch(`api/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(asked),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer: is neuron-nasm play still running?");
  }
  const content = await found.json().catch(() => ({ error: `the server says ${found.status}` }));
  if (!found.ok) throw new Error(content.error);
  return content;
}

export const preparing = async () => {};
