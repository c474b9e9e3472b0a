import { readSync } from 'node:fs';
import { countCharactersIn, textOf, wholeCharacters } from './characters.ts';
import { locate } from './offsets.ts';
import type { Pattern } from './pattern.ts';
import type { EntryMatches, MatchedLine, SearchOptions } from './types.ts';

export const MOST_LINES = 100;
const MAX_MS = 20_000;
const CHUNK = 256 * 1024;
/** A line longer than this is searched in pieces: it must not fill the memory. */
const LONGEST_LINE = 1024 * 1024;
/** What is shown of a long line, in code units, and how much of that stands before the match. */
const SHOWN = 1000;
const SHOWN_BEFORE = 200;
const LF = 10;
const CR = 13;

/** Goes through an entry line by line, in constant memory, and lets others run in between. */
export async function searchFile(
  fd: number,
  path: string,
  entry: { name: string; bytes: number; characters: number },
  pattern: Pattern,
  options: SearchOptions,
): Promise<EntryMatches> {
  const { offset = 0, context = 0, limit = MOST_LINES, maxMs = MAX_MS } = options;
  const deadline = Date.now() + maxMs;
  const found = new Found(Math.min(limit, MOST_LINES), context, pattern);
  let characters = Math.min(offset, entry.characters);
  let at = locate(fd, path, characters, entry.bytes === entry.characters);
  let number = 1;
  for (;;) {
    const piece = nextLines(fd, at);
    if (piece.length === 0) break;
    if (pattern.literal && found.idle && !piece.includes(pattern.literal)) {
      number += countLines(piece);
      characters += countCharactersIn(piece);
    } else {
      const text = textOf(piece);
      for (let from = 0; from < text.length; ) {
        const lf = text.indexOf('\n', from);
        const end = lf === -1 ? text.length : lf;
        const line = text.slice(from, lf > from && text.charCodeAt(lf - 1) === CR ? lf - 1 : end);
        if (!found.take(number, line)) {
          return found.answer(entry.name, characters + codePoints(text, from), number);
        }
        if (lf !== -1) number += 1;
        from = lf === -1 ? end : lf + 1;
      }
      characters += countCharactersIn(piece);
    }
    at += piece.length;
    if (at < entry.bytes && Date.now() > deadline) return found.answer(entry.name, characters, number);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return found.answer(entry.name, null, null);
}

/** Collects matching lines with what stands around them. */
class Found {
  readonly #lines: MatchedLine[] = [];
  readonly #before: MatchedLine[] = [];
  readonly #limit: number;
  readonly #context: number;
  readonly #pattern: Pattern;
  #matches = 0;
  #after = 0;

  constructor(limit: number, context: number, pattern: Pattern) {
    this.#limit = limit;
    this.#context = context;
    this.#pattern = pattern;
  }

  /** That a piece without a match can be passed over. */
  get idle(): boolean {
    return this.#context === 0;
  }

  /** False when the limit is reached and this line is not part of the answer any more. */
  take(line: number, text: string): boolean {
    if (this.#pattern.test(text)) {
      if (this.#matches >= this.#limit) return false;
      this.#matches += 1;
      this.#lines.push(...this.#before.splice(0), { line, text: this.#shown(text), match: true });
      this.#after = this.#context;
      return true;
    }
    if (this.#after > 0) {
      this.#after -= 1;
      this.#lines.push({ line, text: text.slice(0, SHOWN), match: false });
    } else if (this.#context > 0) {
      this.#before.push({ line, text: text.slice(0, SHOWN), match: false });
      if (this.#before.length > this.#context) this.#before.shift();
    }
    return true;
  }

  answer(name: string, nextOffset: number | null, nextLine: number | null): EntryMatches {
    return { name, lines: this.#lines, matches: this.#matches, nextOffset, nextLine };
  }

  #shown(text: string): string {
    if (text.length <= SHOWN) return text;
    const from = Math.max(0, this.#pattern.find(text) - SHOWN_BEFORE);
    const piece = text.slice(from, from + SHOWN).toWellFormed();
    return `${from > 0 ? '…' : ''}${piece}${from + SHOWN < text.length ? '…' : ''}`;
  }
}

/** Whole lines from `at` on, about a chunk of them; a piece of a line that is too long. */
function nextLines(fd: number, at: number): Buffer {
  for (let size = CHUNK; ; size *= 2) {
    const buffer = Buffer.allocUnsafe(size);
    let filled = 0;
    while (filled < size) {
      const read = readSync(fd, buffer, filled, size - filled, at + filled);
      if (read === 0) return buffer.subarray(0, filled);
      filled += read;
    }
    const end = buffer.lastIndexOf(LF) + 1;
    if (end > 0) return buffer.subarray(0, end);
    if (size >= LONGEST_LINE) return buffer.subarray(0, wholeCharacters(buffer) || size);
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}

/** Code points before `end`. */
function codePoints(text: string, end: number): number {
  let count = end;
  for (let i = 0; i < end; i += 1) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count -= 1;
  return count;
}
