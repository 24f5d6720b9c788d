// What is done with conversations of the list: each act says what it has done, and offers to undo what can be undone.
import { Conversation, type ConversationChanges, type ConversationInfo, emptyTrash, type Store, updateConversations } from "threadkeep";
import { sentence } from "../chat/controls/failures.js";
import { visibleText } from "../thread/index.js";
import { FOLDER, folderOf } from "./groups.js";
import type { ConversationsLabels } from "./labels.js";
import type { Notices } from "./notices.js";

export type Flag = "pinned" | "archived" | "trashed";

/** What the acts need of the view. */
export interface ActsHost {
  labels: ConversationsLabels;
  store: Store | undefined;
  /** The conversation that is open; `null` if it is a new one. */
  conversationId: string | null;
  notices: Notices;
  announce(sentence: string): void;
  /** Reads both lists again. */
  refresh(): Promise<unknown>;
  /** Opens a conversation; `null` begins a new one. */
  select(conversationId: string | null): void;
  /** Moves the focus to the row of a conversation. */
  focus(conversationId: string): void;
  /** Closes a conversation that the page has open. */
  beforeDelete(conversationId: string): Promise<unknown>;
  onUpdate(conversationIds: readonly string[], changes: ConversationChanges): void;
  onDelete(conversationIds: readonly string[]): void;
}

export const titleOf = ({ title }: Pick<ConversationInfo, "title">, { untitled }: ConversationsLabels): string =>
  visibleText(title ?? untitled);

/** The host of the agent server that runs it. */
export const serverOf = (server: string): string => visibleText(URL.canParse(server) ? new URL(server).host : server);

export const isMarked = ({ pinnedAt, archivedAt, trashedAt }: ConversationInfo, flag: Flag): boolean =>
  ({ pinned: pinnedAt, archived: archivedAt, trashed: trashedAt })[flag] !== null;

/** Its functions never reject. */
export class Acts {
  /** Set with each rendering. */
  host!: ActsHost;

  /** Sets or takes away a flag of these, which are those that differ. */
  async mark(infos: readonly ConversationInfo[], flag: Flag, value: boolean): Promise<void> {
    const { conversationId } = this.host;
    const ids = infos.map(({ id }) => id);
    const closes = flag === "trashed" && value && conversationId !== null && ids.includes(conversationId);
    if (!(await this.#update(ids, { [flag]: value }, () => this.mark(infos, flag, value)))) return;
    if (closes) this.host.select(null);
    const done = this.host.labels[MARKED[flag][value ? 0 : 1]](this.#what(infos), infos.length);
    // To undo a single pin is as easy as to set it.
    if (flag === "pinned" && infos.length === 1) return this.host.announce(done);
    this.#tell(done, async () => {
      if (!(await this.#undo(ids, { [flag]: !value }))) return;
      if (closes) this.host.select(conversationId);
      else this.host.focus(ids[0]!);
    });
  }

  /** Into a folder, or with `null` out of theirs. */
  async move(infos: readonly ConversationInfo[], folder: string | null): Promise<void> {
    const ids = infos.map(({ id }) => id);
    if (!(await this.#update(ids, { tags: { [FOLDER]: folder } }, () => this.move(infos, folder)))) return;
    const { labels } = this.host;
    const what = this.#what(infos);
    this.#tell(folder === null ? labels.wasMovedOut(what, ids.length) : labels.wasMoved(what, ids.length, folder), async () => {
      // Each goes back to where it was.
      for (const before of new Set(infos.map(folderOf))) {
        const those = infos.filter((info) => folderOf(info) === before).map(({ id }) => id);
        if (!(await this.#undo(those, { tags: { [FOLDER]: before ?? null } }))) return;
      }
      this.host.focus(ids[0]!);
    });
  }

  async rename(id: string, title: string): Promise<void> {
    const { labels } = this.host;
    if (await this.#update([id], { tags: { title } }, () => this.rename(id, title), labels.notRenamed))
      this.host.announce(labels.renamed(title));
  }

  /** Deletes a conversation for ever. */
  async remove({ id, title }: ConversationInfo): Promise<void> {
    const { labels, notices } = this.host;
    try {
      await this.#delete(id);
      notices.notify(labels.wasDeleted(labels.title(titleOf({ title }, labels))));
    } catch (error) {
      this.report(error, labels.notDeleted);
    } finally {
      await this.host.refresh();
    }
  }

  /** Deletes everything in the trash for ever. */
  async emptyTrash(): Promise<void> {
    const { store, conversationId, labels } = this.host;
    try {
      const trashed = await Conversation.list({ store, trashed: true });
      if (trashed.some(({ id }) => id === conversationId)) await this.#delete(conversationId!);
      this.host.onDelete(await emptyTrash({ store, olderThan: 0 }));
      // Those that are open in another tab are left.
      for (const { id } of await Conversation.list({ store, trashed: true })) await this.#delete(id);
      this.host.announce(labels.trashIsEmpty);
    } catch (error) {
      this.report(error, labels.trashNotEmptied, () => this.emptyTrash());
    } finally {
      await this.host.refresh();
    }
  }

  /** Deletes what has been in the trash for so many days. Nobody waits for it, and the next page that starts tries again. */
  async emptyOldTrash(days: number): Promise<void> {
    const deleted = await emptyTrash({ store: this.host.store, olderThan: days * 86_400_000 }).catch(() => []);
    if (deleted.length > 0) this.host.onDelete(deleted);
  }

  /** Shows a failure until it is dismissed. */
  report(error: unknown, title: string, retry?: () => unknown, text = sentence(messageOf(error))): void {
    const { labels, notices } = this.host;
    const actions = retry ? [{ name: labels.tryAgain, act: retry }] : [];
    notices.put({ subject: title, kind: "failure", title, text, actions });
  }

  #tell(text: string, undo: () => Promise<void>): void {
    this.host.notices.notify(text, { name: this.host.labels.undo, act: () => void undo() });
  }

  async #update(ids: readonly string[], changes: ConversationChanges, retry: () => unknown, title?: string): Promise<boolean> {
    const { store, labels } = this.host;
    try {
      await updateConversations([...ids], changes, { store });
      this.host.onUpdate(ids, changes);
      return true;
    } catch (error) {
      this.report(error, title ?? labels.notChanged, retry);
      return false;
    } finally {
      await this.host.refresh();
    }
  }

  async #undo(ids: readonly string[], changes: ConversationChanges): Promise<boolean> {
    const { labels } = this.host;
    const isDone = await this.#update(ids, changes, () => this.#undo(ids, changes), labels.notUndone);
    if (isDone) this.host.announce(labels.undone);
    return isDone;
  }

  async #delete(id: string): Promise<void> {
    const { store, conversationId } = this.host;
    await this.host.beforeDelete(id);
    if (id === conversationId && this.host.conversationId === id) this.host.select(null);
    await Conversation.delete(id, { store });
    this.host.onDelete([id]);
  }

  #what(infos: readonly ConversationInfo[]): string {
    const { labels } = this.host;
    return infos.length === 1 ? labels.title(titleOf(infos[0]!, labels)) : labels.several(infos.length);
  }
}

const MARKED = {
  pinned: ["wasPinned", "wasUnpinned"],
  archived: ["wasArchived", "wasUnarchived"],
  trashed: ["wasTrashed", "wasRestored"],
} as const;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
