// The sidebar on a narrow screen: a drawer over the conversation. While it is open, the rest is inert; the list has its own notices.

import { byId } from "./dom.ts";

const sidebar = byId("sidebar");
const stage = byId("stage");
const scrim = byId("scrim");
const opener = byId("open-sidebar");
const narrow = matchMedia("(max-width: 820px)");

export function startSidebar(): void {
  opener.addEventListener("click", () => setOpen(true));
  byId("close-sidebar").addEventListener("click", () => setOpen(false));
  scrim.addEventListener("click", () => setOpen(false));
  sidebar.addEventListener("keydown", (event) => event.key === "Escape" && setOpen(false));
  // A link in it closes it, even to the page that is already shown; so does a button that opens a dialog. It closes before
  // the dialog opens, because a dialog returns the focus to where it was.
  sidebar.addEventListener("click", (event) => (event.target as Element).closest("a, .sidebar-foot button") && setOpen(false), true);
  narrow.addEventListener("change", apply);
  apply();
}

let open = false;

function setOpen(next: boolean): void {
  if (!narrow.matches || open === next) return;
  open = next;
  apply();
  (open ? byId("close-sidebar") : opener).focus();
}

function apply(): void {
  const drawn = open && narrow.matches;
  if (!narrow.matches) open = false;
  sidebar.classList.toggle("open", drawn);
  sidebar.inert = narrow.matches && !drawn;
  stage.inert = drawn;
  scrim.hidden = !drawn;
  opener.setAttribute("aria-expanded", String(drawn));
}
