import { type JsonObject, textAt } from '../../text/json.ts';
import { wordList } from '../../text/word-list.ts';

/** Entry types that move the leaf when they are appended; others are only attached to the tree. */
const CANONICAL = new Set(
  wordList(`
  message thinking_level_change model_change compaction reset branch_summary custom custom_message label
  session_info
`),
);
/** Broken links are repaired this often; after that the file is read linearly. */
const MAX_REPAIRS = 8;

/** Position of an entry: on the path from the leaf to the root, off the path, or at its end. */
export type PathPlace = 'here' | 'beside' | 'end';

/**
 * Follows a session tree from its leaf to the root while the entries arrive newest first. Parents are
 * always written before their children, so one pass from the end is enough:
 *
 * - the leaf is the last entry, or what the last `leaf` entry points to;
 * - a parent that is nowhere in the file means a line was lost: the entry is taken to continue the one
 *   that was the leaf before it, as the host itself does;
 * - `reset` starts the conversation anew: nothing before it counts, but from `firstKeptEntryId` on when
 *   it names one;
 * - entries without ids (version 1) follow each other.
 */
export class ActivePath {
  /** The id that must come next; undefined means whatever was the leaf. */
  #wanted: string | undefined;
  /** Offset of the entry that links to `#wanted`. */
  #askedAt = 0;
  #keptFrom: string | undefined;
  #repairs = 0;
  readonly #straight: boolean;

  /** @param straight the entries are the active path already: only resets matter */
  constructor(straight = false) {
    this.#straight = straight;
  }

  /** The id that is being searched, if any: lines that do not contain it need not be parsed. */
  get wanted(): string | undefined {
    return this.#wanted;
  }

  place(entry: JsonObject, at: number): PathPlace {
    const type = textAt(entry, 'type') ?? '';
    const id = textAt(entry, 'id');
    if (this.#straight || this.#repairs > MAX_REPAIRS) return this.#straightOn(entry, type);
    if (type === 'reset' && entry.appendMode !== 'side') return this.#reset(entry, id, at);
    if (type === 'leaf') return this.#leaf(entry, id, at);
    if (this.#wanted === undefined) {
      if (!CANONICAL.has(type) || entry.appendMode === 'side') return 'beside';
    } else if (id !== this.#wanted) {
      return 'beside';
    }
    return this.#onwards(entry, at);
  }

  /** Called at the start: the offset from which to read backwards again, if an entry was not found. */
  repair(): number | undefined {
    if (this.#wanted === undefined) return undefined;
    this.#wanted = undefined;
    this.#repairs++;
    return this.#askedAt;
  }

  #straightOn(entry: JsonObject, type: string): PathPlace {
    this.#wanted = undefined;
    if (type === 'reset') {
      this.#keptFrom = textAt(entry, 'firstKeptEntryId');
      return this.#keptFrom === undefined ? 'end' : 'here';
    }
    return this.#keptFrom !== undefined && textAt(entry, 'id') === this.#keptFrom ? 'end' : 'here';
  }

  #onwards(entry: JsonObject, at: number): PathPlace {
    const last = this.#keptFrom !== undefined && textAt(entry, 'id') === this.#keptFrom;
    if (last || entry.parentId === null) {
      this.#wanted = undefined;
      return 'end';
    }
    this.#ask(textAt(entry, 'parentId'), at);
    return 'here';
  }

  #reset(entry: JsonObject, id: string | undefined, at: number): PathPlace {
    // A path that bypasses the reset leads into what it closed off; it is repaired at the start of the file.
    if (this.#wanted !== undefined && this.#wanted !== id) return 'end';
    this.#keptFrom = textAt(entry, 'firstKeptEntryId');
    const before = textAt(entry, 'parentId');
    this.#wanted = undefined;
    if (this.#keptFrom === undefined || before === undefined) return 'end';
    this.#ask(before, at);
    return 'here';
  }

  #leaf(entry: JsonObject, id: string | undefined, at: number): PathPlace {
    if (this.#wanted !== undefined && this.#wanted !== id) return 'beside';
    const target = textAt(entry, 'targetId');
    if (target === undefined && entry.targetId !== null) return 'beside';
    this.#wanted = undefined;
    if (target === undefined) return 'end';
    this.#ask(target, at);
    return 'here';
  }

  #ask(id: string | undefined, at: number): void {
    this.#wanted = id;
    this.#askedAt = at;
  }
}
