// Makes the page live: asks before what cannot be taken back, shows news as they come,
// and lets numbers be dragged. Everything else works without it.
"use strict";

const news = document.getElementById("news");

function busy() {
  const at = document.activeElement;
  if (at && at.closest("main form") && at.matches("input, textarea, select")) return true;
  return [...document.querySelectorAll("main textarea, main input[type=text], main input[type=search]")]
    .some((field) => field.value !== field.defaultValue)
    || [...document.querySelectorAll("main input[type=checkbox], main input[type=radio]")]
      .some((field) => field.checked !== field.defaultChecked)
    || document.querySelector("main details[open]") !== null;
}

async function renew() {
  if (busy()) {
    news.hidden = false;
    return;
  }
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("main");
  if (fresh && !busy()) document.getElementById("main").replaceWith(fresh);
}

if (window.EventSource && document.querySelector("header.top")) {
  new EventSource("/live").addEventListener("news", renew);
}

document.addEventListener("submit", (event) => {
  const asks = event.submitter && event.submitter.dataset.confirm;
  if (asks && !window.confirm(asks)) event.preventDefault();
});

document.addEventListener("input", (event) => {
  const told = event.target.dataset && event.target.dataset.tells;
  if (told) document.getElementById(told).textContent = event.target.value;
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-sends]")) event.target.form.requestSubmit();
});
