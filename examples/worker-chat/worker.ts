// The worker that the agent runs in, for all pages of the app.
import { serveConversations } from "threadkeep";
import { agent } from "./agent.js";

serveConversations({ agent });
