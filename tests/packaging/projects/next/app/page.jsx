import { converse } from "../converse.js";
import { Client } from "./client.jsx";

/** A conversation while the page is rendered on the server, and the same in the page. */
export default async function Page({ searchParams }) {
  const { model } = await searchParams;
  const answer = await converse(`${model}/v1`);
  return (
    <>
      <p id="server">{answer}</p>
      <Client model={model} />
    </>
  );
}
