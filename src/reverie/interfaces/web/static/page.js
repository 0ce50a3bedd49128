// Makes the page live: asks before what cannot be taken back, shows news as they come,
// and lets numbers be dragged. Everything else works without it.
"use strict";

const news = document.getElementById("news");
const gone = document.createElement("p");
gone.id = "gone";
gone.hidden = true;
gone.setAttribute("role", "status");
const main = document.getElementById("main");
let served = main.innerHTML;
let stamp = main.dataset.stamp || "";

// --- what must not be taken from under somebody's hands ----------------------------

function touched(field) {
  if (field.matches("select")) {
    const usual = [...field.options].findIndex((one) => one.defaultSelected);
    return field.selectedIndex !== Math.max(0, usual);
  }
  if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
  return field.type !== "hidden" && field.value !== field.defaultValue;
}

function busy() {
  const fields = [...document.querySelectorAll("main :is(input, textarea, select)")];
  return fields.some((field) => field === document.activeElement || touched(field));
}

// --- the same place on a page that came anew ---------------------------------------

const BOXES = "li, article, section";
const PLACES = `a[href], button, summary, [tabindex], ${BOXES}`;

function label(box) {
  const said = ["id", "aria-label", "aria-labelledby"].map((name) => box.getAttribute(name)).find(Boolean);
  return said || (box.matches(BOXES) && box.querySelector("a[href]")?.getAttribute("href")) || "";
}

// What a person would call it: what it stands in, its words, and what it would do.
function named(each) {
  const inside = [];
  for (let at = each.parentElement; at && at.id !== "main"; at = at.parentElement) inside.push(label(at));
  const box = each.matches(`[tabindex], ${BOXES}`);
  const sent = each.matches("button") && each.form ? [...each.form.elements] : [];
  const does = sent.filter((field) => field.type === "hidden" && !["token", "proof", "back"].includes(field.name));
  return JSON.stringify([
    inside.filter(Boolean), each.tagName, each.getAttribute("href"),
    box ? label(each) : each.textContent.trim(), does.map((field) => [field.name, field.value]),
  ]);
}

function places(main) {
  const found = new Map();
  for (const each of main.querySelectorAll(PLACES)) {
    const name = named(each);
    found.set(name, [...(found.get(name) || []), each]);
  }
  return found;
}

// Finds what is the same on another page; of some that are called the same, only where
// there are as many as there were.
function twins(old, fresh) {
  const [before, now] = [places(old), places(fresh)];
  return (each) => {
    const name = named(each);
    const [were, are] = [before.get(name) || [], now.get(name) || []];
    return were.length === are.length ? are[were.indexOf(each)] : undefined;
  };
}

function focus(each) {
  if (each.matches(BOXES)) each.tabIndex = -1;
  each.focus({ preventScroll: true });
}

// --- what was not read yet is not decided on ----------------------------------------

// What a form decides on, and what it was made from.
function decision(form) {
  const fields = [...form.elements].filter((field) => field.type === "hidden");
  const said = (of) => JSON.stringify([form.getAttribute("action"), ...of.map((field) => [field.name, field.value])]);
  const about = fields.filter((field) => !/^(token|proof|back|(shown|seal|was)(-.*)?)$/.test(field.name));
  const from = fields.filter((field) => /^(shown|seal|was)(-.*)?$/.test(field.name));
  return from.length ? { about: said(about), all: said([...about, ...from]) } : null;
}

// Whoever is about to click has read what stood there before: what reads otherwise, or
// came and asks for a yes, says so and waits for one more click.
function hold(old, fresh) {
  const forms = [...old.querySelectorAll("form")].filter(decision);
  const read = forms.filter((form) => !form.closest("[data-unread]"));
  const about = new Set(forms.map((form) => decision(form).about));
  const all = new Set(read.map((form) => decision(form).all));
  for (const form of fresh.querySelectorAll("form")) {
    const box = form.closest("article, section, li") || form;
    const made = decision(form);
    if ("running" in box.dataset) continue;
    if (!made || all.has(made.all) || "unread" in box.dataset) continue;
    const asks = box.querySelector("button.yes") || form.getAttribute("action").includes("/inbox/");
    if (!about.has(made.about) && !asks) continue;
    box.dataset.unread = "";
    const note = document.createElement("p");
    const go = document.createElement("button");
    note.className = "told unread";
    go.type = "button";
    go.textContent = "I have read it";
    note.append("This came, or changed, while you looked. ", go);
    box.prepend(note);
    const held = [...box.querySelectorAll("button")].filter((each) => each !== go && !each.disabled);
    for (const each of held) each.disabled = true;
    go.addEventListener("click", () => {
      for (const each of held) each.disabled = false;
      delete box.dataset.unread;
      note.remove();
      focus(box);
    });
  }
}

function put(fresh) {
  const old = document.getElementById("main");
  const at = document.activeElement;
  const twin = twins(old, fresh);
  served = fresh.innerHTML;
  stamp = fresh.dataset.stamp;
  const scrolled = [...old.querySelectorAll("[tabindex]")]
    .filter((each) => each.scrollTop || each.scrollLeft)
    .map((each) => [twin(each), each.scrollLeft, each.scrollTop]);
  const [x, y] = [scrollX, scrollY];
  hold(old, fresh);
  for (const summary of old.querySelectorAll("details > summary")) {
    const same = twin(summary);
    if (same) same.parentElement.open = summary.parentElement.open;
  }
  // Where something is gone, or would do something else by now, somebody goes on from
  // what it stood in, or from what stood before it.
  let to = at === old ? fresh : null;
  if (old.contains(at) && at !== old) {
    const before = [...old.querySelectorAll(BOXES)].reverse()
      .filter((box) => box.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING);
    to = [at, ...before].map(twin).find(Boolean) || fresh;
  }
  const told = [...old.children];
  const end = told.findIndex((each) => !each.matches(".told[role=status]"));
  fresh.prepend(...told.slice(0, Math.max(0, end)));
  // Who clicks this moment means what stood there before.
  fresh.classList.add("renewed");
  setTimeout(() => fresh.classList.remove("renewed"), 400);
  old.replaceWith(fresh);
  for (const [each, left, top] of scrolled) each?.scrollTo({ left, top, behavior: "instant" });
  if (to) focus(to);
  scrollTo({ left: x, top: y, behavior: "instant" });
}

// --- what was refused ----------------------------------------------------------------

// Nobody types anything twice: what was sent, and not done, is in its form again.
function refill(refused) {
  const fields = (form) => [...form.elements].filter((field) => field.name);
  const names = (field) => field.type === "hidden" && !/^(token|proof|back|again|(shown|seal|was)(-.*)?)$/.test(field.name);
  const form = [...document.querySelectorAll("main form[method=post]")].find((form) =>
    form.getAttribute("action") === document.documentElement.dataset.place + refused.action
    && fields(form).filter(names).every((field) => refused[field.name] === field.value));
  if (!form) return;
  for (const field of fields(form)) {
    if (field.matches("[type=checkbox], [type=radio]")) field.checked = refused[field.name] === field.value;
    else if (field.type !== "hidden" && field.name in refused) field.value = refused[field.name];
  }
  for (let box = form.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  form.scrollIntoView({ block: "center" });
}

if (main.dataset.refused) refill(JSON.parse(main.dataset.refused));

// --- a review that is half done ------------------------------------------------------

// Ticks, texts and the reason stay in this tab until they are sent. They are kept for
// the proposal as it is shown: one that changed starts with its own ticks and texts.
function review() {
  const form = document.querySelector("main form[action$='/inbox/reflection']");
  return form && { form, key: `review ${form.elements.shown.value}` };
}

function keepReview({ form, key }) {
  const fields = [...form.elements].filter((field) => field.matches("input, textarea") && touched(field));
  const values = fields.map((field) => [field.name, field.type === "checkbox" ? field.checked : field.value]);
  sessionStorage.setItem(key, JSON.stringify(values));
}

function restoreReview({ form, key }) {
  for (const [name, value] of JSON.parse(sessionStorage.getItem(key) || "[]")) {
    const field = form.elements[name];
    if (!field) continue;
    if (field.type === "checkbox") field.checked = value;
    else field.value = value;
    const details = field.closest("details");
    if (details) details.open = true;
  }
}

// What the service fills in after a refusal counts more.
if (review() && !main.dataset.refused) restoreReview(review());

for (const told of document.querySelectorAll(".told[role=status]")) {
  const away = document.createElement("button");
  away.type = "button";
  away.className = "away";
  away.setAttribute("aria-label", "Put this message away");
  away.textContent = "×";
  away.addEventListener("click", () => told.remove());
  told.prepend(away);
}

// --- news --------------------------------------------------------------------------

// What this address shows now. Only the service that let this browser in knows what its
// forms carry: of whoever else has its place by now, nothing is shown.
async function read() {
  const { stays } = main.dataset;
  const here = stays ? document.documentElement.dataset.place + stays : location.href;
  const answer = await fetch(here, { headers: { accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = page.getElementById("main");
  return found?.dataset.token === main.dataset.token ? found : false;
}

async function renew() {
  if (lost || "stays" in document.getElementById("main").dataset) return;
  news.hidden = !busy();
  if (!news.hidden) return;
  const fresh = await read();
  if (!fresh) return tell(false);
  if (fresh.innerHTML === served) stamp = fresh.dataset.stamp;
  else if (busy()) news.hidden = false;
  else put(fresh);
}

// One after the other, so that what was read earlier never comes over what was read
// later; of many that wait, the last is enough.
let asked = Promise.resolve();
let latest;

function look() {
  const mine = latest = Symbol();
  asked = asked.then(() => mine === latest && renew()).catch(() => {});
}

const ended = "The service has ended, or does not answer. What you see may be old; this page goes on when it is started again.";
const anew = "The service was started anew. Open the link that “reverie up --status” prints.";
let live;
let lost = false;

function listen() {
  // What came since the page was read is news, also before this line stood.
  live = new EventSource(`${document.documentElement.dataset.place}/live?since=${stamp}`);
  live.addEventListener("news", (event) => event.data === stamp || look());
  live.addEventListener("error", async ({ target }) => {
    target.close();
    const found = await read().catch(() => null);
    if (target !== live || document.hidden) return;
    if (found) setTimeout(() => target === live && listen(), 2000);
    else tell(found);
  });
}

// While nobody looked, somebody else may have come to its place.
async function back() {
  lost = true;
  const found = await read().catch(() => null);
  if (document.hidden) lost = false;
  else if (!found) tell(found);
  else {
    lost = false;
    listen();
  }
}

// Another program may have the port by now: nothing from there is shown, until it has
// proved to be our service.
async function tell(found) {
  lost = true;
  live.close();
  const place = found === false ? await again.enter().catch(() => null) : null;
  if (place && await move(place)) return;
  gone.textContent = found === null ? ended : anew;
  gone.hidden = false;
  setTimeout(async () => tell(await read().catch(() => null)), 2000);
}

// Go on in the new folder of a service that was restarted; what was typed stays.
async function move(place) {
  const { stays } = main.dataset;
  const rest = again.rest();
  const answer = await fetch(place + (stays || rest), { headers: { accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const token = page.getElementById("main")?.dataset.token;
  if (!token) return false;
  const old = document.documentElement.dataset.place;
  for (const name of ["href", "action", "formaction"]) {
    for (const each of document.querySelectorAll(`[${name}^="${old}/"]`)) {
      each.setAttribute(name, place + each.getAttribute(name).slice(old.length));
    }
  }
  for (const field of document.querySelectorAll("input[name=token]")) field.value = token;
  main.dataset.token = document.getElementById("main").dataset.token = token;
  document.documentElement.dataset.place = place;
  history.replaceState(history.state, "", place + rest);
  served = "";
  lost = false;
  gone.hidden = true;
  listen();
  look();
  return true;
}

if (window.EventSource && document.querySelector("header.top")) {
  document.body.append(gone);
  listen();
  // A browser has few lines to one place; who does not look needs none.
  document.addEventListener("visibilitychange", () => {
    live.close();
    if (!document.hidden && !lost) back();
  });
  // What came while somebody typed shows when they are done.
  document.addEventListener("focusout", () => setTimeout(() => news.hidden || look()));
}

news.addEventListener("click", (event) => {
  if (busy() && !window.confirm("What you typed here and did not send is lost.")) event.preventDefault();
});

document.addEventListener("submit", (event) => {
  if (lost) {
    event.preventDefault();
    if (!gone.hidden) window.alert(`${gone.textContent} What you typed stays here.`);
    return;
  }
  // A passphrase is sent to nobody else.
  const form = event.target;
  if (form.elements.passphrase && !("sure" in form.dataset)) {
    event.preventDefault();
    read().catch(() => null).then((found) => {
      if (!found) return tell(found);
      form.dataset.sure = "";
      form.requestSubmit();
    });
    return;
  }
  const ticks = [...event.target.querySelectorAll("input[name^=take-]")];
  if (event.submitter?.value === "approve" && ticks.length && !ticks.some((one) => one.checked)) {
    event.preventDefault();
    window.alert("Nothing is ticked. Tick what shall be done, or reject all of it.");
    return;
  }
  const asks = event.submitter && event.submitter.dataset.confirm;
  if (asks && !window.confirm(asks)) {
    event.preventDefault();
    return;
  }
  if (event.target === review()?.form) sessionStorage.removeItem(review().key);
  // That the right passphrase was typed in this tab, see proof.js.
  const proof = sessionStorage.getItem(`proof ${document.documentElement.dataset.place}`);
  if (!proof || event.target.method !== "post") return;
  const field = event.target.elements.proof || document.createElement("input");
  Object.assign(field, { type: "hidden", name: "proof", value: proof });
  event.target.append(field);
});

document.addEventListener("input", (event) => {
  const told = event.target.dataset && event.target.dataset.tells;
  if (told) document.getElementById(told).textContent = event.target.value;
  if (event.target.form && event.target.form === review()?.form) keepReview(review());
});

document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-sends]")) return;
  const { form } = event.target;
  if (lost) return form.requestSubmit();
  // Replaces the entry in the browser's history, so that Back leaves the view.
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form));
  location.replace(address);
});
