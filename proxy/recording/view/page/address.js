// The fragment of the address contains the view: the number of the selected exchange, the
// searched text and the filter, for example #26&kind=changed&find=cache&sort=slowest.

// readAddress reads the view in a fragment: { number, find, filter }. It ignores values that
// are not valid.
function readAddress(hash) {
  const [first, ...rest] = hash.replace(/^#/, "").split("&");
  const hasNumber = /^\d{1,9}$/.test(first);
  const values = new URLSearchParams((hasNumber ? rest : [first, ...rest]).join("&"));
  const addressFilter = new Filter();
  for (const name of conditionNames) if (values.has(name)) addressFilter[name] = conditions[name].parse(values.get(name)) ?? addressFilter[name];
  return { number: hasNumber ? Number(first) : 0, find: (values.get("find") || "").slice(0, maxSearchLength), filter: addressFilter };
}

function parseNumber(text) {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

// currentAddress returns the address of the current view.
function currentAddress() {
  const parts = [];
  if (pendingNumber) parts.push(pendingNumber);
  else if (selected && isUserSelection && !isLive) parts.push(selected.n);
  const addValue = (name, value) => parts.push(name + "=" + encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\ufffd")));
  for (const name of conditionNames) {
    if (filter[name] !== conditions[name].unset) addValue(name, name === "only" ? "" : String(filter[name]));
    if (name === "only" && search.text) addValue("find", search.text); // next to "only", which refers to this text
  }
  return location.href.split("#")[0] + (parts.length ? "#" + parts.join("&") : "");
}

let addressTimer = 0;
let addsHistoryEntry = false; // the next update of the address adds an entry to the history

// updateAddress writes the view to the address bar, soon after the last change: browsers limit
// the rate. With addsEntry, the browser's history keeps the previous view.
function updateAddress(addsEntry) {
  addsHistoryEntry ||= Boolean(addsEntry);
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    const address = currentAddress();
    if (addsHistoryEntry && address !== location.href) history.pushState("shown", "", address);
    else history.replaceState("shown", "", address);
    addsHistoryEntry = false;
  }, 150);
}

// The user navigates, follows a link, or edits the address. A link to an exchange keeps the
// filter. The state "shown" marks the addresses that the page has written.
addEventListener("popstate", (e) => {
  const address = readAddress(location.hash);
  if (e.state === "shown" || !/^#\d+$/.test(location.hash)) showAddress(address);
  else if (!goToLine(address.number, false)) setPendingNumber(address.number);
  if (e.state !== "shown") updateAddress();
});
