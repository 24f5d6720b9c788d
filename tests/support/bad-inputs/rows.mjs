// The table of bad inputs: what is passed, and which outcomes are documented for it.
import { constructorRows } from "./constructors.mjs";
import { controlRows } from "./control.mjs";
import { conversationRows } from "./conversations.mjs";
import { hostileRows } from "./hostile.mjs";
import { runningRows } from "./running.mjs";

/** Every row: { name, expected, attempt(world) }. */
export const rows = [...constructorRows(), ...conversationRows(), ...controlRows(), ...runningRows(), ...hostileRows()];
