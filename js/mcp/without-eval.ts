// Imported before the client: otherwise zod, with which it checks messages, tries whether it may generate code, and a page
// with a strict content security policy reports that.
import { config } from "zod/v4/core";

config({ jitless: true });
