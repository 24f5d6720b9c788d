// The library in Node against the SDK: what Python wrote is carried on here, what is written here is carried on by Python.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe } from "node:test";
import { critics } from "./library/aside.mjs";
import { blockedByTheSdk } from "./library/blocked.mjs";
import { thereAndBack } from "./library/both-ways.mjs";
import { branchesBothWays } from "./library/branches.mjs";
import { conversationsOfDevices } from "./library/devices.mjs";
import { decidedElsewhere } from "./library/decided.mjs";
import { conversationsOfOtherPrograms } from "./library/other-programs.mjs";
import { halvesOfCharacters } from "./library/halves.mjs";
import { fileToolsBothWays } from "./library/file-tools.mjs";
import { importedConversations } from "./library/imported.mjs";
import { aLongConversation } from "./library/long.mjs";
import { messagesOfConversations } from "./library/messages.mjs";
import { metricsOfTheSdk } from "./library/metrics.mjs";
import { profilesBothWays } from "./library/profiles.mjs";
import { randomConversations } from "./library/random.mjs";
import { requestsOfTheSdk } from "./library/requests.mjs";
import { secretsBothWays } from "./library/secrets.mjs";
import { subAgentsBothWays } from "./library/sub-agents.mjs";
import { writtenConversations } from "./library/written.mjs";
import { sdkForTests } from "./session.mjs";
import { onlyFor, onlyForNewest } from "./versions.mjs";

const place = mkdtempSync(path.join(os.tmpdir(), "threadkeep-library-"));
const sdk = sdkForTests();

after(() => rmSync(place, { recursive: true, force: true }));

// With the older SDK: the files that either side writes, and what they become on the other. What the SDK asks a model, and what chance makes of
// the same files, is compared with the newest.
const again = onlyForNewest("its files are read and written in the tests above");
const sent = onlyForNewest("the requests of the older one are fixtures of the native tests");
// Side by side, because one waits for Python most of the time.
describe("conversations written by the SDK", { concurrency: 4 }, () => importedConversations(sdk, place));
describe("conversations written here", { concurrency: 4 }, () => writtenConversations(sdk, place));
describe("hooks and analyzers of the SDK", { concurrency: 4 }, () => blockedByTheSdk());
describe("conversations of other programs", { concurrency: 4 }, () => conversationsOfOtherPrograms(sdk, place));
describe("messages", { concurrency: 4 }, () => messagesOfConversations(sdk, place));
describe("requests", { concurrency: 4, ...sent }, () => requestsOfTheSdk(sdk));
describe("metrics", { concurrency: 4 }, () => metricsOfTheSdk(sdk, place));
describe("profiles", { concurrency: 4 }, () => profilesBothWays(sdk, place));
describe("there and back", { concurrency: 4 }, () => thereAndBack(sdk, place));
describe("decided elsewhere", { concurrency: 4 }, () => decidedElsewhere(sdk, place));
describe("critics, questions and titles", { concurrency: 4 }, () => critics(sdk, place));
describe("tools on files", { concurrency: 4 }, () => fileToolsBothWays(sdk, place));
describe("sub-agents and final answers", { concurrency: 4 }, () => subAgentsBothWays(sdk, place));
describe("halves of characters", { concurrency: 4, ...again }, () => halvesOfCharacters(sdk, place));
describe("branches", { concurrency: 4 }, () => branchesBothWays(sdk, place));
describe("random conversations", { concurrency: 4, ...again }, () => randomConversations(sdk, place));
describe("several devices", { concurrency: 4, ...again }, () => conversationsOfDevices(sdk, place));
describe("secrets", () => secretsBothWays(sdk, place));
describe("a long conversation", onlyFor("1.43.1", "ten thousand events take a minute"), () => aLongConversation(sdk, place));
