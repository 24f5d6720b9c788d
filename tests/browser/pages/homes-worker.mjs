// A worker as the home of the conversations of cases: see tests/conversation/homes.
import * as library from "/threadkeep/index.js";
import { caseOf, partsFor } from "/tests/conversation/homes/suite.mjs";

library.serveConversations(async ({ data: { name, token } }) => (await partsFor(caseOf(name), { library, token })).given);
