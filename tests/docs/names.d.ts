// The names that a fragment in the documentation may use without declaring them: the exports of the package, and things
// that the text around the fragment introduces.
import type * as threadkeep from "threadkeep";

declare global {
  const Agent: typeof threadkeep.Agent;
  type Agent = threadkeep.Agent;
  const Conversation: typeof threadkeep.Conversation;
  type Conversation = threadkeep.Conversation;
  const LLM: typeof threadkeep.LLM;
  const LLMProfileStore: typeof threadkeep.LLMProfileStore;
  const LLMRegistry: typeof threadkeep.LLMRegistry;
  const ThreadkeepError: typeof threadkeep.ThreadkeepError;
  const agentServer: typeof threadkeep.agentServer;
  const applyPatch: typeof threadkeep.applyPatch;
  const bringHome: typeof threadkeep.bringHome;
  const directoryStore: typeof threadkeep.directoryStore;
  const encryptedStore: typeof threadkeep.encryptedStore;
  const emptyTrash: typeof threadkeep.emptyTrash;
  const fetchTool: typeof threadkeep.fetchTool;
  const fileEditor: typeof threadkeep.fileEditor;
  const finishMCPLogin: typeof threadkeep.finishMCPLogin;
  const folderWorkspace: typeof threadkeep.folderWorkspace;
  const glob: typeof threadkeep.glob;
  const grep: typeof threadkeep.grep;
  const importDirectory: typeof threadkeep.importDirectory;
  const indexedDBStore: typeof threadkeep.indexedDBStore;
  const inspectImage: typeof threadkeep.inspectImage;
  const listDirectory: typeof threadkeep.listDirectory;
  const load: typeof threadkeep.load;
  const loadSkills: typeof threadkeep.loadSkills;
  const memoryStore: typeof threadkeep.memoryStore;
  const memoryWorkspace: typeof threadkeep.memoryWorkspace;
  const moveToServer: typeof threadkeep.moveToServer;
  const opfsWorkspace: typeof threadkeep.opfsWorkspace;
  const remoteWorkspace: typeof threadkeep.remoteWorkspace;
  const requestPersistence: typeof threadkeep.requestPersistence;
  const search: typeof threadkeep.search;
  const mirror: typeof threadkeep.mirror;
  const restoreMirror: typeof threadkeep.restoreMirror;
  const searchConversations: typeof threadkeep.searchConversations;
  const storageStatus: typeof threadkeep.storageStatus;
  const switchLLM: typeof threadkeep.switchLLM;
  const taskTool: typeof threadkeep.taskTool;
  const taskTracker: typeof threadkeep.taskTracker;
  const terminal: typeof threadkeep.terminal;
  const tool: typeof threadkeep.tool;
  const updateConversations: typeof threadkeep.updateConversations;

  const agent: threadkeep.Agent;
  const conversation: threadkeep.Conversation;
  const llm: threadkeep.LLM;
  const store: threadkeep.Store;
  const folder: threadkeep.Store;
  const backup: threadkeep.Mirror;
  /** The address of a folder on a WebDAV server, and who may write there. */
  const address: string;
  const user: string;
  const password: string;
  /** What an S3-like server wants to know. */
  const given: { endpoint: string; bucket: string; region: string; accessKeyId: string; secretAccessKey: string };
  const home: ReturnType<typeof threadkeep.agentServer>;
  const apiKey: string;
  const conversationId: string;
  const eventId: string;
  const messageId: string;
  const selected: string[];
  const passphrase: string;
  const typed: string;
  const longer: string;
  const zip: Blob;
  const small: threadkeep.LLM;
  const other: threadkeep.LLM;
  const condenser: threadkeep.Condenser;
  const workspace: threadkeep.VersionedWorkspace;
  const worker: Worker;
  const thread: import("threadkeep/thread").Thread;
  // Of Vue, Svelte and Solid.
  const shallowRef: <T>(value: T) => { value: T };
  const onScopeDispose: (end: () => void) => void;
  const readable: <T>(value: T, start: (set: (value: T) => void) => () => void) => { subscribe(run: (value: T) => void): () => void };
  const from: <T>(start: (set: (next: (previous: T | undefined) => T) => void) => () => void) => () => T | undefined;
  // The text around the fragment says what these are.
  const url: string;
  const protectedUrl: string;
  const sessionToken: string;
  const otherKey: string;
  const directory: FileSystemDirectoryHandle;
  const elsewhere: threadkeep.Store;
  const button: HTMLButtonElement;
  const tryNow: HTMLButtonElement;
  const output: HTMLOutputElement;
  const bank: any;
  const changes: any;
  function encode(text: string): number[];
  function askTheUser(): Promise<string>;
  function makeRoom(usage: number | null, conversations: threadkeep.ConversationSize[]): Promise<void>;
  const zipFromTheOtherDevice: Blob;
  function testsPass(): Promise<boolean>;
  // What Chrome adds.
  const LanguageModel: any;
  // Node, in the programs for it.
  const process: { env: Record<string, string>; argv: string[] };
  const Buffer: { from(bytes: ArrayBuffer): Uint8Array };

  interface Window {
    showDirectoryPicker(options?: object): Promise<FileSystemDirectoryHandle>;
  }
  interface FileSystemFileHandle {
    // In workers.
    createSyncAccessHandle(): Promise<any>;
  }
  interface ParentNode {
    // As in JavaScript, where nobody declares which element it is.
    querySelector(selectors: string): any;
  }
}
