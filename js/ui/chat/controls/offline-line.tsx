/** @jsxImportSource preact */
// Says that there is no network, before something has failed for it.
import { useEffect, useState } from "preact/hooks";
import { useLabels } from "../context.js";

/** The region is always there, because screen readers miss one that comes with its text. */
export function OfflineLine() {
  const labels = useLabels();
  const [isOffline, setOffline] = useState(!navigator.onLine);
  useEffect(() => {
    const changed = (): void => setOffline(!navigator.onLine);
    const events = ["online", "offline"];
    for (const event of events) addEventListener(event, changed);
    return () => events.forEach((event) => removeEventListener(event, changed));
  }, []);
  return (
    <p class="offline-line" role="status">
      {isOffline && labels.noNetwork}
    </p>
  );
}
