// The transport of a server behind a `MessagePort`: each message of the protocol is one object.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";

export function portTransport(port: MessagePort): Transport {
  const receive = ({ data }: MessageEvent) => {
    const message = JSONRPCMessageSchema.safeParse(data);
    if (message.success) transport.onmessage?.(message.data);
    else transport.onerror?.(new Error("a message of the port is not JSON-RPC"));
  };
  const transport: Transport = {
    async start() {
      port.addEventListener("message", receive);
      port.start();
    },
    async send(message) {
      port.postMessage(message);
    },
    async close() {
      // The port stays open: the host may connect another conversation with it.
      port.removeEventListener("message", receive);
      transport.onclose?.();
    },
  };
  return transport;
}
