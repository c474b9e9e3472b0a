import { digest } from '../base/text/hash.ts';
import type { RecordStart, TakenBack } from './event.ts';
import {
  type Item,
  type ItemContent,
  isPrompt,
  type Part,
  pathOf,
  type SessionRecord,
  type Turn,
} from './record.ts';

/** Where a record of the file is. */
export interface Place {
  turn: Turn;
  n: number;
}

/** How many times something was taken back are remembered. */
const MOST_REWINDS = 20;

/**
 * The tree of a session's turns, as it grows: which of them are the conversation as it stands, and where each record is.
 * A host may go back to an earlier record, and return.
 */
export class Conversation {
  readonly #record: SessionRecord;
  readonly #places = new Map<string, Place>();
  #path: Part[] = [];
  /** The record that items are added to. */
  #turn: Turn | undefined;
  #n = 0;
  /** Where it begins in the file. */
  #at = 0;

  constructor(record: SessionRecord) {
    this.#record = record;
    this.#path = pathOf(record);
    for (const turn of record.turns) this.#learnPlaces(turn);
  }

  /** The items of the conversation, oldest first. @param turns of so many of the last turns */
  items(turns = this.#path.length): Item[] {
    return this.#path
      .slice(-turns)
      .flatMap(({ turn, upTo }) =>
        upTo === turn.size ? turn.items : turn.items.filter(({ n }) => n <= upTo),
      );
  }

  place(id: string): Place | undefined {
    return this.#places.get(shortId(id));
  }

  /**
   * Finds where a record belongs.
   * @param at where it begins in the file
   * @param prompts whether the person speaks in it
   * @returns the items of an earlier version that it replaces, or `'known'` if it is a copy
   */
  begin(start: RecordStart, at: number, prompts: boolean): Item[] | 'known' {
    this.#at = at;
    const known = start.id === undefined ? undefined : this.place(start.id);
    if (known !== undefined && start.replaces !== true) return 'known';
    if (known !== undefined && this.#holds(known)) {
      const { turn, n } = known;
      const replaced = turn.items.filter((item) => item.n === n);
      turn.items = turn.items.filter((item) => item.n !== n);
      this.#turn = turn;
      this.#n = n;
      return replaced;
    }
    if (start.aside === true) return [];
    this.#continueFrom(start);
    this.append(start.id, prompts);
    return [];
  }

  /** The next record of the conversation, in a new turn if the person speaks in it. */
  append(id: string | undefined, prompts: boolean): void {
    const last = this.#path.at(-1);
    const opens = last === undefined || last.upTo < last.turn.size;
    const turn = opens || (prompts && last.turn.items.length > 0) ? this.#newTurn() : last.turn;
    turn.ids.push(id === undefined ? '' : shortId(id));
    this.#turn = turn;
    this.#n = ++turn.size;
    this.#setLeaf();
    if (id !== undefined) this.#places.set(shortId(id), { turn, n: this.#n });
  }

  put(item: ItemContent): void {
    const turn = this.#turn ?? this.#newTurn();
    const added: Item = { ...item, n: this.#n };
    const before = turn.items.findLastIndex(({ n }) => n <= added.n);
    turn.items.splice(before + 1, 0, added);
  }

  /** Removes the items that a test names. @returns how many */
  remove(isIt: (item: Item) => boolean): number {
    let count = 0;
    for (const { turn } of this.#path) {
      const { length } = turn.items;
      turn.items = turn.items.filter((item) => !isIt(item));
      count += length - turn.items.length;
    }
    return count;
  }

  takeBack({ turns, from, to }: TakenBack, at: number): void {
    this.#at = at;
    if (turns !== undefined) {
      const prompts = this.#path.filter(({ turn, upTo }) =>
        turn.items.some((item) => item.n <= upTo && isPrompt(item)),
      );
      const first = turns > 0 ? (prompts.at(-turns) ?? prompts[0]) : undefined;
      if (first !== undefined) this.#leaveFrom({ turn: first.turn, n: 1 });
    } else if (from !== undefined) {
      const place = this.place(from);
      // What it took back first is not there: nothing before it counts.
      if (place === undefined) this.leave();
      else if (this.#holds(place)) this.#leaveFrom(place);
    } else if (to === null) this.leave();
    else if (to !== undefined) {
      const place = this.place(to);
      if (place !== undefined) this.leave(place);
    }
  }

  /** The conversation begins anew after the record in hand, with what came from a place on. */
  beginAnew(keepFrom: string | undefined): void {
    const place = keepFrom === undefined ? undefined : this.place(keepFrom);
    const first = place === undefined ? -1 : this.#path.findIndex(({ turn }) => turn === place.turn);
    const kept = first === -1 ? [] : this.#path.slice(first);
    const own = this.#turn?.ids.at(-1) || undefined;
    this.leave();
    for (const { turn, upTo } of kept) {
      const from = turn === place?.turn ? place.n : 1;
      const copy = this.#newTurn();
      copy.ids = turn.ids.slice(from - 1, upTo);
      copy.size = upTo - from + 1;
      copy.items = turn.items
        .filter((item) => item.n >= from && item.n <= upTo)
        .map((item) => ({ ...item, n: item.n - from + 1 }));
      this.#setLeaf();
      this.#learnPlaces(copy);
    }
    // What follows continues this record.
    this.append(own, true);
  }

  /** A record that the host wrote again, as the newest one. */
  appendAgain(start: RecordStart, items: readonly Item[]): void {
    if (start.id !== undefined) this.#places.delete(shortId(start.id));
    this.begin(start, this.#at, items.some(isPrompt));
    for (const item of items) this.put(item);
  }

  /** Takes back everything after a place; everything at all without one. */
  leave(place?: Place): void {
    const before = this.items();
    this.#goTo(place);
    this.#noteRewind(before);
  }

  /**
   * The host writes the whole conversation again.
   * @param write adds its records
   */
  rewrite(write: () => void): void {
    const before = this.items();
    this.#goTo(undefined);
    write();
    // What else the record holds comes after them.
    this.append(undefined, true);
    this.#noteRewind(before);
  }

  #goTo(place: Place | undefined): void {
    const record = this.#record;
    record.leaf = place === undefined ? null : { turn: record.turns.indexOf(place.turn), upTo: place.n };
    this.#path = pathOf(record);
  }

  /** Remembers where in the file something was taken back, and up to where. */
  #noteRewind(before: readonly Item[]): void {
    const now = new Set(this.items().map(({ id }) => id));
    const lost = before.findIndex(({ id }) => !now.has(id));
    if (lost === -1) return;
    const newest = before[lost - 1];
    const time = newest?.timestamp;
    const rewind = { at: this.#at, to: newest?.at ?? -1, time };
    this.#record.rewinds = [...this.#record.rewinds.slice(1 - MOST_REWINDS), rewind];
  }

  #continueFrom({ parent, soft }: RecordStart): void {
    if (parent === undefined) return;
    if (parent === null) {
      const counts = soft === true ? this.items().some(isPrompt) : this.#path.length > 0;
      if (counts) this.leave();
      return;
    }
    const place = this.place(parent);
    const last = this.#path.at(-1);
    // A line of the file was lost: the record continues what is the newest, as the host itself does.
    if (place === undefined || (last?.turn === place.turn && last.upTo === place.n)) return;
    if (soft === true && this.#holds(place) && !this.#hasPromptAfter(place)) return;
    this.leave(place);
  }

  #newTurn(): Turn {
    const last = this.#path.at(-1);
    const after = last === undefined ? null : { turn: last.index, upTo: last.upTo };
    const turn: Turn = { after, size: 0, ids: [], items: [] };
    this.#record.turns.push(turn);
    this.#path.push({ index: this.#record.turns.length - 1, turn, upTo: 0 });
    return turn;
  }

  /** The newest turn is the end of the conversation. */
  #setLeaf(): void {
    const part = this.#path.at(-1);
    if (part === undefined) return;
    part.upTo = part.turn.size;
    this.#record.leaf = { turn: part.index, upTo: part.upTo };
  }

  /** Takes back a record and all after it. */
  #leaveFrom({ turn, n }: Place): void {
    const before = this.#path[this.#path.findIndex((part) => part.turn === turn) - 1];
    if (n > 1) this.leave({ turn, n: n - 1 });
    else this.leave(before && { turn: before.turn, n: before.upTo });
  }

  #holds({ turn, n }: Place): boolean {
    return this.#path.some((part) => part.turn === turn && n <= part.upTo);
  }

  #hasPromptAfter({ turn, n }: Place): boolean {
    const at = this.#path.findIndex((part) => part.turn === turn);
    return (
      turn.items.some((item) => item.n > n && isPrompt(item)) ||
      this.#path.slice(at + 1).some((part) => part.turn.items.some(isPrompt))
    );
  }

  #learnPlaces(turn: Turn): void {
    for (const [index, id] of turn.ids.entries()) if (id !== '') this.#places.set(id, { turn, n: index + 1 });
  }
}

/** Enough of an id to tell the records of one session apart. */
const shortId = (id: string): string => (id.length > 16 ? digest(id) : id);
