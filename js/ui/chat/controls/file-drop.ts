// Files that are dropped: anywhere on the element `<threadkeep-chat>`, or in another page on the composer.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function useFileDrop(form: RefObject<HTMLElement | null>, onDrop: (files: readonly File[]) => void): void {
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    const own = form.current!;
    const root = own.getRootNode();
    const area = root instanceof ShadowRoot ? root : own;
    const over = (event: Event): void => {
      if (!hasFiles(event)) return;
      // Otherwise the browser would open the file in place of the page.
      event.preventDefault();
      own.classList.toggle("dropping", event.type === "dragenter" || event.type === "dragover");
      if (event.type === "drop") latest.current([...(event as DragEvent).dataTransfer!.files]);
    };
    const types = ["dragenter", "dragover", "dragleave", "drop"];
    for (const type of types) area.addEventListener(type, over);
    return () => types.forEach((type) => area.removeEventListener(type, over));
  }, []);
}

const hasFiles = (event: Event): boolean => (event as DragEvent).dataTransfer?.types.includes("Files") ?? false;
