// Which of the things that happen to stored conversations each kind of protection is good for: the table of docs/keeping.md, in short.
import { el } from "../shell/dom.ts";

const ways = ["Browser's promise", "Trash", "Exported archive", "Backup in a folder"];
const risks: Array<[risk: string, ...helps: string[]]> = [
  ["A tab or the browser crashes", "not needed", "not needed", "not needed", "not needed"],
  ["The browser clears up because the disk is full", "yes", "no", "yes", "yes"],
  ["You delete a conversation by mistake", "no", "for 30 days", "yes", "yes"],
  ["You clear the data of this site", "no", "no", "yes", "yes"],
  ["The device is lost or breaks", "no", "no", "yes, if it is elsewhere", "yes, if it is elsewhere"],
  ["You go on on two devices", "no", "no", "yes: import it, and both are merged", "yes, in a shared folder"],
];

/** Folded until somebody wants to know. */
export function protectionView(): HTMLElement {
  const head = el("tr", {}, el("td"), ...ways.map((way) => el("th", { scope: "col" }, way)));
  const rows = risks.map(([risk, ...helps]) => el("tr", {}, el("th", { scope: "row" }, risk), ...helps.map((text) => el("td", {}, text))));
  const table = el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows));
  return el("details", { class: "protection" }, el("summary", {}, "What protects what"), el("div", { class: "scrolled" }, table));
}
