// What is played once more elsewhere: in Firefox and WebKit, and with the older and the newer of the Python programs. Everything else has been
// shown in Chromium, and with the version that is named first. Each group says what can differ there.
import { webKitTests } from "../webkit.mjs";

/** In Firefox: { what can differ: files }. */
const firefox = {
  "databases and directories: transactions, room on the disk, what is lost, durability": [
    "store/directory",
    "store/encrypted",
    "store/full",
    "store/full-large",
    "store/lost",
    "store/stopped",
    "store/storage",
    "store/store",
    "search/tables",
    "workspace/workspace",
  ],
  "locks, channels and workers; pages that are left, frozen and thrown away": [
    "conversation/followers",
    "conversation/homes",
    "conversation/lifecycle",
    "conversation/organizing",
    "conversation/two-writers",
    "conversation/workers",
    "search/search",
    "tools/terminal",
  ],
  "streams, and errors of the network": ["llm/background", "llm/fetch", "llm/llm", "llm/offline"],
  "files, archives and their streams": ["formats/archive", "ui/pdf/pdf"],
  "how modules and the wasm are loaded, and what a policy forbids": ["entries/environments", "wasm/loading", "mcp/mcp"],
  "keys, the focus, dialogs and the layout": [
    "ui/chat/controls",
    "ui/chat/deciding",
    "ui/chat/messages",
    "ui/conversations/list",
    "ui/model/keys",
    "ui/react/hooks",
  ],
  "the driver of these tests": ["tooling/driver"],
};

/** The demo in Firefox: its main path, and how it looks. */
const demoInFirefox = ["demo", "first-look", "offline"];

/**
 * Deaths of Firefox: its database, its directories, and what it keeps of an answer. Mirrors, sealed stores, sub-agents and terminals write by
 * the same commits, and have shown their own rules in Chromium.
 */
const killsOfFirefox = ["drafts", "folders", "kills", "torn-log"];

/**
 * With the older SDK: what reads and writes its files. What both SDKs say of one answer alone, such as the texts of tools and skills or the
 * order of condensing, is compared with the newest only.
 */
const olderSdk = ["fixtures", "folders", "library", "persistence"];

const filesOf = (groups, folder) =>
  Object.values(groups)
    .flat()
    .map((name) => `tests/${folder}/${name}.test.mjs`)
    .sort();

export const elsewhere = {
  firefox: { browser: filesOf(firefox, "browser"), demo: filesOf({ demoInFirefox }, "demo"), kills: filesOf({ killsOfFirefox }, "kills") },
  webkit: webKitTests,
  olderSdk: filesOf({ olderSdk }, "interop"),
};
