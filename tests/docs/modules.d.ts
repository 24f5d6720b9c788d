// The few functions of Node that the documentation uses, and files that other blocks of the same page contain.
declare module "node:fs/promises" {
  export function readFile(file: string): Promise<Uint8Array>;
  export function writeFile(file: string, content: Uint8Array | string): Promise<void>;
}
declare module "*/agent.js" {
  import type { Agent } from "threadkeep";
  export const agent: Agent;
}
declare module "*/opfs-store.js" {
  import type { Store } from "threadkeep";
  export function opfsStore(folder: string): Promise<Store>;
}
declare module "*/flat.js" {
  import type { Workspace } from "threadkeep";
  export const files: Map<string, any>;
  export const flat: Workspace;
}
declare module "*/webdav.js" {
  import type { MirrorFiles } from "threadkeep";
  export function webDAV(url: string, headers: Record<string, string>): MirrorFiles;
}
declare module "*/s3.js" {
  import type { MirrorFiles } from "threadkeep";
  export function s3(given: object): MirrorFiles;
}
declare module "*/shared.js" {
  export function textOf(content: any): string;
  export function answer(chunks: () => AsyncIterable<any>): Response;
}
declare module "@mlc-ai/web-llm" {
  export const CreateMLCEngine: any;
}
declare module "*/chat.js" {
  export function Chat(props: { conversationId: string }): import("react").ReactElement;
}
declare module "@vitejs/plugin-react" {
  export default function react(): any;
}
// Its own types bring those of Node into every block.
declare module "vite" {
  export function defineConfig(config: object): object;
}
declare module "vitest" {
  export const test: (name: string, body: () => Promise<void>) => void;
  export const expect: any;
}
