import { digest } from '../base/text/strings.ts';
import type { RecordStart, TakenBack } from './event.ts';
import { type Entry, type Item, isPrompt, pathOf, type SessionRecord } from './record.ts';

/** How many times something was taken back are remembered. */
const MOST_REWINDS = 20;
/** How far back the parts of one answer, or the forms of one message, can be from each other, in entries. */
const NEAR = 400;

export class Conversation {
  readonly #record: SessionRecord;
  readonly #places = new Map<string, number>();
  #path: number[];
  #entry: Entry | undefined;
  #at = 0;

  constructor(record: SessionRecord) {
    this.#record = record;
    this.#path = pathOf(record);
    for (const [index, { id }] of record.entries.entries()) if (id !== '') this.#places.set(id, index);
  }

  /** The newest item that passes a test, among the last ones. */
  findLast(isIt: (item: Item) => boolean): Item | undefined {
    for (const index of this.#path.slice(-NEAR).reverse()) {
      const found = this.#itemsOf(index).findLast(isIt);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  itemsAt(id: string | undefined): Item[] | undefined {
    const index = this.#placeOf(id);
    return index === undefined ? undefined : this.#itemsOf(index);
  }

  /**
   * Begins an entry where it belongs.
   * @param at where it begins in the file
   * @returns the items of an earlier version that it replaces, or `'known'` if it is a copy
   */
  begin(start: RecordStart, at: number): Item[] | 'known' {
    this.#at = at;
    const known = this.#placeOf(start.id);
    if (known !== undefined && start.replaces !== true) return 'known';
    if (known !== undefined && this.#path.includes(known)) {
      this.#entry = this.#record.entries[known];
      return this.#itemsOf(known).splice(0);
    }
    if (start.aside === true) return [];
    this.#continueFrom(start);
    this.append(start.id);
    return [];
  }

  append(id: string | undefined, items: Item[] = []): void {
    const { entries } = this.#record;
    const own = id === undefined ? '' : shortId(id);
    this.#entry = { id: own, up: this.#record.leaf, items };
    if (own !== '') this.#places.set(own, entries.length);
    this.#path.push(entries.length);
    this.#record.leaf = entries.length;
    entries.push(this.#entry);
  }

  put(item: Item): void {
    if (this.#entry === undefined) this.append(undefined);
    this.#entry?.items.push(item);
  }

  /** Takes out words that were typed while the agent worked: they are written again when the model gets them. */
  withdraw(text: string): void {
    for (const items of this.#path.slice(-NEAR).map((index) => this.#itemsOf(index))) {
      const isIt = (item: Item): boolean =>
        item.type === 'person' && item.voice === 'queued' && item.text.trim() === text.trim();
      const at = items.findIndex(isIt);
      if (at !== -1) items.splice(at, 1);
    }
  }

  takeBack({ turns, from, to, queued }: TakenBack, at: number): void {
    this.#at = at;
    if (queued !== undefined) this.withdraw(queued);
    else if (turns !== undefined) {
      const prompts = this.#path.filter((index) => this.#itemsOf(index).some(isPrompt));
      const first = turns > 0 ? (prompts.at(-turns) ?? prompts[0]) : undefined;
      if (first !== undefined) this.#leave(this.#before(first));
    } else if (from !== undefined) {
      const place = this.#placeOf(from);
      // What it took back first is not there: nothing before it counts.
      if (place === undefined) this.#leave(null);
      else if (this.#path.includes(place)) this.#leave(this.#before(place));
    } else {
      const place = to === null ? null : this.#placeOf(to);
      if (place !== undefined) this.#leave(place);
    }
  }

  /** The conversation begins anew after the entry in hand, with what came from a place on. */
  beginAnew(keepFrom: string | undefined): void {
    const first = this.#path.indexOf(this.#placeOf(keepFrom) ?? -1);
    const kept = first === -1 ? [] : this.#path.slice(first);
    const own = this.#entry?.id;
    this.#leave(null);
    for (const index of kept) this.append(this.#record.entries[index]?.id, [...this.#itemsOf(index)]);
    // What follows continues this entry.
    this.append(own);
  }

  /**
   * The host writes the whole conversation again.
   * @param write adds its entries
   */
  rewrite(write: () => void): void {
    const before = this.#items();
    this.#goTo(null);
    write();
    // What else the record holds comes after them.
    this.append(undefined);
    this.#noteRewind(before);
  }

  #itemsOf = (index: number): Item[] => this.#record.entries[index]?.items ?? [];

  #before = (index: number): number | null => this.#record.entries[index]?.up ?? null;

  #items = (after = -1): Item[] => this.#path.filter((index) => index > after).flatMap(this.#itemsOf);

  #placeOf(id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#places.get(shortId(id));
  }

  /** Takes back everything after a place; everything at all without one. */
  #leave(place: number | null): void {
    const before = this.#items();
    this.#goTo(place);
    this.#noteRewind(before);
  }

  #goTo(place: number | null): void {
    this.#record.leaf = place;
    this.#path = pathOf(this.#record);
  }

  /** Remembers where in the file something was taken back, and up to where. */
  #noteRewind(before: readonly Item[]): void {
    const now = new Set(this.#items().map(({ id }) => id));
    // The summary of a compaction is written anew after the rest.
    const lost = before.findIndex(({ id, type }) => type !== 'compacted' && !now.has(id));
    if (lost === -1) return;
    const newest = before[lost - 1];
    const rewind = { at: this.#at, to: newest?.at ?? -1, time: newest?.timestamp };
    this.#record.rewinds = [...this.#record.rewinds.slice(1 - MOST_REWINDS), rewind];
  }

  #continueFrom({ parent, soft }: RecordStart): void {
    if (parent === undefined) return;
    const place = parent === null ? null : this.#placeOf(parent);
    // A line of the file was lost: the record continues what is the newest, as the host itself does.
    if (place === undefined || place === this.#record.leaf) return;
    const isOn = place === null || this.#path.includes(place);
    if (soft === true && isOn && !this.#items(place ?? -1).some(isPrompt)) return;
    this.#leave(place);
  }
}

/** Enough of an id to tell the records of one session apart. */
const shortId = (id: string): string => (id.length > 16 ? digest(id) : id);
