import { countCharacters } from '../base/text/shorten.ts';
import type { Pattern } from './pattern.ts';
import type { EntryMatches, MatchedLine, SearchOptions } from './types.ts';

const MOST_LINES = 100;
const MAX_MS = 20_000;
/** Total characters of lines to collect; the same limit as for reading an entry. */
const MOST_TEXT = 30_000;
/** How much of a long line to show, in code units, and how much of that before the match. */
const SHOWN = 1000;
const SHOWN_BEFORE = 200;
/** Code units between two looks at the clock. */
const LOOK_AFTER = 2048;
/** How long other work may have to wait for the search. */
const TURN_MS = 50;

/**
 * Searches a text line by line, and lets other work run in between.
 * @param text what follows the offset
 */
export async function searchText(
  name: string,
  text: string,
  pattern: Pattern,
  { offset = 0, context = 0, limit = MOST_LINES, maxMs = MAX_MS }: SearchOptions,
): Promise<EntryMatches> {
  const found = new Found(Math.min(limit, MOST_LINES), context, pattern);
  let turn = Date.now();
  const deadline = turn + maxMs;
  let unlooked = 0;
  let number = 1;
  for (let from = 0; from < text.length; ) {
    const feed = text.indexOf('\n', from);
    const end = feed === -1 ? text.length : feed;
    const cut = cutOff(text, from, end, pattern.longest);
    const line = text.slice(from, cut === feed && text[feed - 1] === '\r' && feed > from ? feed - 1 : cut);
    unlooked += line.length + 1;
    let late = false;
    if (unlooked >= LOOK_AFTER) {
      unlooked = 0;
      const now = Date.now();
      late = now > deadline;
      if (now - turn > TURN_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        turn = Date.now();
      }
    }
    if (late || !found.take(number, line))
      return found.answer(name, offset + countCharacters(text.slice(0, from)), number);
    if (cut === feed) number += 1;
    from = cut === feed ? feed + 1 : cut;
  }
  return found.answer(name, null, null);
}

/** The end of a line, or of the piece to search at once; no character is cut in two. */
function cutOff(text: string, from: number, end: number, longest: number): number {
  if (end - from <= longest) return end;
  const cut = from + longest;
  return (text.charCodeAt(cut) & 0xfc00) === 0xdc00 ? cut - 1 : cut;
}

/** Collects matching lines with their context. */
class Found {
  readonly #lines: MatchedLine[] = [];
  readonly #before: MatchedLine[] = [];
  readonly #limit: number;
  readonly #context: number;
  readonly #pattern: Pattern;
  #matches = 0;
  #after = 0;
  #size = 0;

  constructor(limit: number, context: number, pattern: Pattern) {
    this.#limit = limit;
    this.#context = context;
    this.#pattern = pattern;
  }

  /** False if the limit is reached and this line is no longer part of the answer. */
  take(line: number, text: string): boolean {
    if (this.#pattern.test(text)) {
      if (this.#matches >= this.#limit || this.#size >= MOST_TEXT) return false;
      this.#matches += 1;
      for (const before of this.#before.splice(0)) this.#add(before);
      this.#add({ line, text: this.#shown(text), match: true });
      this.#after = this.#context;
    } else if (this.#after > 0) {
      this.#after -= 1;
      this.#add({ line, text: text.slice(0, SHOWN), match: false });
    } else if (this.#context > 0) {
      this.#before.push({ line, text: text.slice(0, SHOWN), match: false });
      if (this.#before.length > this.#context) this.#before.shift();
    }
    return true;
  }

  answer(name: string, nextOffset: number | null, nextLine: number | null): EntryMatches {
    return { name, lines: this.#lines, matches: this.#matches, nextOffset, nextLine };
  }

  #add(line: MatchedLine): void {
    this.#lines.push(line);
    this.#size += line.text.length;
  }

  #shown(text: string): string {
    if (text.length <= SHOWN) return text;
    const from = Math.max(0, this.#pattern.find(text) - SHOWN_BEFORE);
    const piece = text.slice(from, from + SHOWN).toWellFormed();
    return `${from > 0 ? '…' : ''}${piece}${from + SHOWN < text.length ? '…' : ''}`;
  }
}
