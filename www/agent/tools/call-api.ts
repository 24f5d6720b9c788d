// call_api: asks this page's own server for data that needs a token, which the tool gets as a secret.

import { tool } from "threadkeep";

/** The name of the secret with the token. */
export const API_TOKEN = "API_TOKEN";

export const callApi = tool<{ path: string }>({
  name: "call_api",
  description: `Reads from the API of this page's server, with the token that the user keeps as the secret ${API_TOKEN}.`,
  parameters: {
    type: "object",
    // Only this server, because the token must not be sent to others.
    properties: { path: { type: "string", pattern: "^/v1/[a-z]+$", description: "such as /v1/whoami" } },
    required: ["path"],
    additionalProperties: false,
  },
  annotations: { title: "Call the API", readOnlyHint: true },
  async execute({ path }, { secret, signal }) {
    const token = await secret(API_TOKEN);
    if (token === null) throw new Error(`there is no secret ${API_TOKEN} here; the user can add it under “Control”, with any value`);
    const response = await fetch(path, { signal, headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    if (!response.ok) throw new Error(`the API answered with status ${response.status}: ${text}`);
    return text;
  },
});
