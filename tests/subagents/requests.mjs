// Requests to the models of agents and their sub-agents.

/** The system prompt and the first message of the user. */
export const beginOf = ({ messages }) => JSON.stringify(messages.slice(0, 2));

/** Whether it is a request of a sub-agent: the tests give these tasks that contain the word. */
export const isOfSubagent = (body) => beginOf(body).includes("SUBAGENT");
