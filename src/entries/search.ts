import { readAt } from '../base/fs/index.ts';
import { countCharactersIn, decodedText, wholeCharacters } from './characters.ts';
import { locate } from './offsets.ts';
import type { Pattern } from './pattern.ts';
import { READ_LIMIT } from './slice.ts';
import type { EntryMatches, MatchedLine, SearchOptions } from './types.ts';

const MOST_LINES = 100;
const MAX_MS = 20_000;
const CHUNK = 256 * 1024;
/** A longer line is searched in pieces, so that it does not fill the memory. */
const LONGEST_LINE = 1024 * 1024;
/** Total characters of lines to collect; the same limit as for reading an entry. */
const MOST_TEXT = READ_LIMIT;
/** How much of a long line to show, in code units, and how much of that before the match. */
const SHOWN = 1000;
const SHOWN_BEFORE = 200;
/** Code units between two looks at the clock. */
const LOOK_AFTER = 16 * 1024;
/** How long other work may have to wait for the search. */
const TURN_MS = 50;
const LF = 10;
const CR = 13;

/** Searches an entry line by line, in constant memory, and lets other work run in between. */
export async function searchFile(
  fd: number,
  entry: { name: string; bytes: number; characters: number },
  pattern: Pattern,
  options: SearchOptions,
): Promise<EntryMatches> {
  const { offset = 0, context = 0, limit = MOST_LINES, maxMs = MAX_MS } = options;
  const clock = new Clock(maxMs);
  const found = new Found(Math.min(limit, MOST_LINES), context, pattern);
  let characters = Math.min(offset, entry.characters);
  let at = locate(fd, characters, entry.bytes === entry.characters);
  let number = 1;
  for (;;) {
    const piece = nextLines(fd, at, entry.bytes);
    if (piece.length === 0) break;
    if (pattern.literal && found.idle && !piece.includes(pattern.literal)) {
      number += countLines(piece);
      characters += countCharactersIn(piece);
    } else {
      const text = decodedText(piece);
      for (let from = 0; from < text.length; ) {
        const lf = text.indexOf('\n', from);
        const end = lf === -1 ? text.length : lf;
        const cut = cutOff(text, from, end, pattern.longest);
        const line = text.slice(
          from,
          cut === lf && lf > from && text.charCodeAt(lf - 1) === CR ? lf - 1 : cut,
        );
        if (clock.passed(line.length) || !found.take(number, line)) {
          return found.answer(entry.name, characters + codePoints(text, from), number);
        }
        if (clock.yields) await clock.turn();
        if (cut === lf) number += 1;
        from = cut === lf ? lf + 1 : cut;
      }
      characters += countCharactersIn(piece);
    }
    at += piece.length;
    if (at < entry.bytes && clock.passed(LOOK_AFTER)) return found.answer(entry.name, characters, number);
    await clock.turn();
  }
  return found.answer(entry.name, null, null);
}

/** The end of a line, or of the piece to search at once; no character is cut in two. */
function cutOff(text: string, from: number, end: number, longest: number): number {
  if (end - from <= longest) return end;
  const cut = from + longest;
  return (text.charCodeAt(cut) & 0xfc00) === 0xdc00 ? cut - 1 : cut;
}

/** Measures how long a search has taken and when other work should run; reads the clock rarely. */
class Clock {
  /** Whether other work should run now. */
  yields = false;
  readonly #deadline: number;
  #since = 0;
  #began = Date.now();

  constructor(maxMs: number) {
    this.#deadline = this.#began + maxMs;
  }

  /** Whether the time is up, given that so many more code units were searched. */
  passed(units: number): boolean {
    this.#since += units + 1;
    if (this.#since < LOOK_AFTER) return false;
    this.#since = 0;
    const now = Date.now();
    this.yields = now - this.#began > TURN_MS;
    return now > this.#deadline;
  }

  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.yields = false;
    this.#began = Date.now();
  }
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

  /** Whether a piece without a match may be skipped. */
  get idle(): boolean {
    return this.#context === 0;
  }

  /** False if the limit is reached and this line is no longer part of the answer. */
  take(line: number, text: string): boolean {
    if (this.#pattern.test(text)) {
      if (this.#matches >= this.#limit || this.#size >= MOST_TEXT) return false;
      this.#matches += 1;
      for (const before of this.#before.splice(0)) this.#add(before);
      this.#add({ line, text: this.#shown(text), match: true });
      this.#after = this.#context;
      return true;
    }
    if (this.#after > 0) {
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

/** Whole lines between `at` and `end`, about a chunk of them; part of a line if it is too long. */
function nextLines(fd: number, at: number, end: number): Buffer {
  for (let size = CHUNK; ; size *= 2) {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(size, end - at)));
    const filled = readAt(fd, buffer, at);
    if (filled < size) return buffer.subarray(0, filled);
    const cut = buffer.lastIndexOf(LF) + 1;
    if (cut > 0) return buffer.subarray(0, cut);
    if (size >= LONGEST_LINE) return buffer.subarray(0, wholeCharacters(buffer) || size);
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}

/** Number of code points before `end`. */
function codePoints(text: string, end: number): number {
  let count = end;
  for (let i = 0; i < end; i += 1) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count -= 1;
  return count;
}
