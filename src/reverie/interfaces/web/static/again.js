// Lets this browser in again after the service was restarted. Both sides prove that
// they know the key that this browser got from its link; the key is never sent, and no
// script can read it back. Nothing else is sent before the service has proved itself.
"use strict";

const again = (() => {
  const text = new TextEncoder();
  const bytes = (hex) => Uint8Array.from(hex.match(/../g) || [], (pair) => parseInt(pair, 16));
  const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

  const stored = (mode, act) => new Promise((done, failed) => {
    const opened = indexedDB.open("reverie", 1);
    opened.onupgradeneeded = () => opened.result.createObjectStore("keys");
    opened.onerror = () => failed(opened.error);
    opened.onsuccess = () => {
      const asked = act(opened.result.transaction("keys", mode).objectStore("keys"));
      asked.onsuccess = () => { opened.result.close(); done(asked.result); };
      asked.onerror = () => { opened.result.close(); failed(asked.error); };
    };
  });

  // Keep the key of this browser.
  async function keep(id, secret) {
    const how = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytes(secret), how, false, ["sign", "verify"]);
    await stored("readwrite", (keys) => keys.put({ id, key }, "page"));
  }

  // Come in again; return the new folder of the page, or null.
  async function enter() {
    const known = await stored("readonly", (keys) => keys.get("page"));
    if (!known) return null;
    const mine = hex(crypto.getRandomValues(new Uint8Array(16)));
    const asked = await fetch(`/again?id=${known.id}&nonce=${mine}`, { credentials: "omit" });
    if (!asked.ok) return null;
    const { nonce, proof } = await asked.json();
    const said = (side) => text.encode(`${side} ${location.port} ${mine} ${nonce}`);
    if (!await crypto.subtle.verify("HMAC", known.key, bytes(proof), said("service"))) return null;
    const own = hex(await crypto.subtle.sign("HMAC", known.key, said("browser")));
    const shown = new URLSearchParams({ id: known.id, nonce, proof: own });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const entered = await fetch(`/again?${shown}`, { method: "POST", headers });
    return entered.ok ? (await entered.json()).place : null;
  }

  // An address of this page without the folder, which a restart changes.
  const rest = () => location.pathname.replace(/^\/[\w-]{12}(?=\/|$)/, "") + location.search + location.hash;

  return { keep, enter, rest };
})();

{
  const { keyId, keySecret, comesAgain, to } = document.documentElement.dataset;
  if (keyId) again.keep(keyId, keySecret).catch(() => null).then(() => location.replace(to));
  if (comesAgain !== undefined) {
    again.enter().catch(() => null).then((place) => place && location.replace(place + again.rest()));
  }
}
