/** @jsxImportSource preact */
// The decisions about the conversation that is open, which are the library's part; before its first message, when it will ask.

import { ControlView } from "threadkeep/preact";
import { policies } from "../agent/policy.ts";
import { keepSecret, secretsOf } from "../agent/secrets.ts";
import type { Session } from "../conversation/session.ts";
import { stage } from "../conversation/stage.ts";
import { Check, Dialog, showDialog } from "../layout/dialogs.tsx";
import { useValue } from "../layout/value.ts";
import { changeSettings, useSettings } from "../settings/settings.ts";

export const openControl = (): void => void showDialog(<Control />);

function Control() {
  const { session } = useValue(stage);
  return (
    <Dialog heading="Control" close="Close the control">
      {session ? <Decisions key={session.id} session={session} /> : <NextPolicy />}
    </Dialog>
  );
}

function Decisions({ session }: { session: Session }) {
  return (
    <ControlView
      conversation={session.conversation}
      givenSecrets={Object.keys(secretsOf(session.id))}
      onSecret={(name, value) => keepSecret(session.id, name, value)}
      onChange={() => session.changed()}
    />
  );
}

function NextPolicy() {
  const { policy } = useSettings();
  return (
    <fieldset>
      <legend>When the agent asks first in new conversations</legend>
      {policies.map(({ id, label }) => (
        <Check
          key={id}
          id={`policy-${id}`}
          name="policy"
          label={label}
          checked={id === policy}
          onChange={() => changeSettings({ policy: id })}
        />
      ))}
    </fieldset>
  );
}
