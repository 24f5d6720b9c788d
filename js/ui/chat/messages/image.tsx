/** @jsxImportSource preact */
// An image of a message or a result.
import { useChat } from "../context.js";
import { EMBEDDED_IMAGE, imagePlaceholder } from "../markdown/image-placeholder.js";
import { Foreign } from "./plain.js";

/** Only an image that is part of the conversation is shown at once. */
export function ImageView({ url }: { url: string }) {
  const { labels } = useChat();
  if (EMBEDDED_IMAGE.test(url)) return <img src={url} alt={labels.image} class="attached" part="image" />;
  if (!/^https?:/i.test(url)) return <p class="quiet">{labels.imageUnknown}</p>;
  return <Foreign node={() => imagePlaceholder(url, "", { labels })} of={[url, labels]} />;
}
