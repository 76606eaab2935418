// The server's JSON API; the token, where it wants one, lives in this tab only.

import { byId } from "./dom.js";

const KEY = "isotone-token";
const BEAM = 10;

/** What the server refused, in its own words. */
export class Refusal extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/** The models of this server. */
export const models = async () => (await (await ask("v1/models")).json()).models;

/** The `n` best targets of each item: exact ones with a proof, or a beam's where a proof takes the server too long. */
export async function predict(model, items, n, signal) {
  try {
    return await results("v1/predict", { model, items, n_best: n }, signal);
  } catch (error) {
    if (error.code !== "too_slow") throw error;
    return results("v1/predict", { model, items, n_best: n, decode: "beam", beam: Math.max(BEAM, n) }, signal);
  }
}

export const score = (model, items, signal) => results("v1/score", { model, items, surprisal: true }, signal);

export const align = (model, items, signal) => results("v1/align", { model, items }, signal);

/** A pronunciation dictionary as text, and how many words do not fit its format. */
export async function dictionary(model, items, { style, n }, signal) {
  const response = await ask("v1/dictionary", { model, items, style, n_best: n }, signal);
  return { text: await response.text(), leftOut: Number(response.headers.get("X-Isotone-Left-Out")) };
}

async function results(path, body, signal) {
  return (await (await ask(path, body, signal)).json()).results;
}

async function ask(path, body, signal) {
  for (;;) {
    const token = sessionStorage.getItem(KEY);
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    if (body) headers["Content-Type"] = "application/json";
    // Without a token the browser may know a password for this server; with one, it should not ask for any.
    const credentials = token ? "omit" : "same-origin";
    const response = await fetch(path, { method: body ? "POST" : "GET", headers, credentials, body: body && JSON.stringify(body), signal })
      .catch((error) => {
        if (error.name === "AbortError") throw error;
        throw new Refusal("The server does not answer.", "unreachable");
      });
    if (response.ok) return response;
    if (response.status === 401) {
      await askForToken();
      continue;
    }
    throw await refusal(response);
  }
}

async function refusal(response) {
  try {
    const { error } = await response.json();
    return new Refusal(error.message, error.code);
  } catch {
    return new Refusal(`The server answered ${response.status}.`, String(response.status));
  }
}

let asking = null;

/** Several requests may be refused at once: all of them wait for the one dialog. */
function askForToken() {
  asking ??= new Promise((resolve) => {
    const dialog = byId("token");
    const field = byId("token-value");
    field.value = "";
    dialog.addEventListener("close", () => {
      sessionStorage.setItem(KEY, field.value.trim());
      asking = null;
      resolve();
    }, { once: true });
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.showModal();
  });
  return asking;
}
