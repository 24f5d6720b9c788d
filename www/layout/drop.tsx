/** @jsxImportSource preact */
// Files that are dropped on the page: archives are imported, others are attached to the next message.

import { useEffect, useState } from "preact/hooks";
import { composer } from "./chat.tsx";
import { importFiles } from "./sidebar.tsx";

/** By its name. */
const isArchive = (file: File): boolean => /\.(zip|jsonl?)$/i.test(file.name);

export function DropZone() {
  const [isShown, show] = useState(false);
  useEffect(() => {
    // When the pointer moves over a child, it leaves the parent first; only a count tells when it has left the page.
    let depth = 0;
    const follow = (event: DragEvent): void => {
      if (event.type !== "drop" && !event.dataTransfer?.types.includes("Files")) return;
      if (event.type === "dragenter") depth += 1;
      if (event.type === "dragleave") depth -= 1;
      if (event.type === "drop") depth = 0;
      // A part of the page that takes files itself has its own sign, and has taken them.
      show(depth > 0 && !(event.target instanceof Element && event.target.closest(".files")));
      if (event.defaultPrevented) return;
      event.preventDefault();
      if (event.type === "drop") take(event);
    };
    const types = ["dragenter", "dragover", "dragleave", "drop"] as const;
    for (const type of types) addEventListener(type, follow);
    return () => types.forEach((type) => removeEventListener(type, follow));
  }, []);
  return (
    <div class="drop-zone" hidden={!isShown}>
      <p>Drop an archive to import it, or any other file to attach it</p>
    </div>
  );
}

function take({ dataTransfer }: DragEvent): void {
  // The entries are gone once this event is over.
  const entries = [...(dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
  const folders = entries.filter((entry): entry is FileSystemDirectoryEntry => entry?.isDirectory === true);
  const all = [...(dataTransfer?.files ?? [])];
  const files = all.filter((_, place) => entries.length !== all.length || entries[place]?.isDirectory !== true);
  const others = files.filter((file) => !isArchive(file));
  if (others.length > 0) composer.attach(others);
  void importFiles([...folders, ...files.filter(isArchive)]);
}
