// The address holds the view: #26&kind=changed&find=cache&session=2&tool=5&sort=slowest.

// readAddress returns what an address says: { number, find, filter }. What cannot be
// understood is left out.
function readAddress(hash) {
  const [first, ...rest] = hash.replace(/^#/, "").split("&");
  const hasNumber = /^\d{1,9}$/.test(first);
  const values = new URLSearchParams((hasNumber ? rest : [first, ...rest]).join("&"));
  const told = new Filter();
  for (const name of members) if (values.has(name)) told[name] = conditions[name].read(values.get(name)) ?? told[name];
  return { number: hasNumber ? Number(first) : 0, find: (values.get("find") || "").slice(0, maxSought), filter: told };
}

function wholeNumber(text) {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

// writeAddress returns the address of the current view.
function writeAddress() {
  const parts = [];
  if (wanted) parts.push(wanted);
  else if (chosen && placed && !live) parts.push(chosen.n);
  const add = (name, value) => parts.push(name + "=" + encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\ufffd")));
  for (const name of members) {
    if (filter[name] !== conditions[name].all) add(name, name === "only" ? "" : String(filter[name]));
    if (name === "only" && search.text) add("find", search.text);
  }
  return location.href.split("#")[0] + (parts.length ? "#" + parts.join("&") : "");
}

let addressTimer = 0;
let stepsBack = false; // the address of now becomes one to come back to

// changeAddress writes the view to the address bar, a moment after the last key: browsers
// limit the rate of changes. With back, the previous view is a step back.
function changeAddress(back) {
  stepsBack ||= Boolean(back);
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    const to = writeAddress();
    if (stepsBack && to !== location.href) history.pushState("shown", "", to);
    else history.replaceState("shown", "", to);
    stepsBack = false;
  }, 150);
}

// The user navigates, follows a link, or edits the address. A link to an event keeps the
// filters.
addEventListener("popstate", (e) => {
  const to = readAddress(location.hash);
  if (e.state === "shown" || !/^#\d+$/.test(location.hash)) showAddress(to);
  else if (!go(to.number, false)) wanted = wasRead ? 0 : to.number;
  if (e.state !== "shown") changeAddress();
});

// showAddress restores the view of an address.
function showAddress(to) {
  Object.assign(filter, to.filter);
  wanted = to.number;
  placed = wanted > 0;
  if (to.find !== search.text) {
    $("find").value = to.find;
    find(to.find);
  }
  live = false;
  refilter();
  if (wanted) arrive();
}
