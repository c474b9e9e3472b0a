import { bytesAt, readAt, sizeOf } from '../base/fs/index.ts';
import type { Draft } from './blob.ts';
import { byteOfCharacter, countCharactersIn, decodedText, wholeCharacters } from './characters.ts';
import { errorLines } from './error-lines.ts';
import { Tally } from './offsets.ts';
import { wholeLinesOfTail } from './spill.ts';

const CHUNK = 256 * 1024;
/** Bytes at the beginning of the output that show whether it was rewritten. */
const FIRST = 512;

/** Reads the output of a command while it is being written: shows the beginning, and counts. */
export class RunReader {
  /** Characters shown so far. */
  shown = 0;
  /** Whether the output shown so far ends with a newline. */
  endsLine = true;
  #shownBytes = 0;
  #full = false;
  readonly #draft: Draft;
  readonly #head: number;
  readonly #show: (bytes: Buffer) => void;
  readonly #chunk = Buffer.allocUnsafe(CHUNK);
  #first = Buffer.alloc(0);

  /** @param head characters to show as they arrive */
  constructor(draft: Draft, head: number, show: (bytes: Buffer) => void) {
    this.#draft = draft;
    this.#head = head;
    this.#show = show;
  }

  /** Whether the beginning has been shown completely. */
  get headIsFull(): boolean {
    return this.#full;
  }

  /** Bytes that the command has written so far. */
  get written(): number {
    return sizeOf(this.#draft.fd);
  }

  /**
   * Reads the next chunks, about `most` bytes.
   * @returns the number of bytes read
   */
  step(most: number): number {
    const { fd, tally } = this.#draft;
    let taken = 0;
    while (taken < most) {
      const read = readAt(fd, this.#chunk, tally.bytes);
      if (read === 0) break;
      taken += read;
      if (this.#first.length === 0) this.#first = Buffer.from(this.#chunk.subarray(0, Math.min(read, FIRST)));
      tally.add(this.#chunk.subarray(0, read));
      if (!this.#full) this.#showHead();
    }
    return taken;
  }

  /**
   * Whether the command truncated the file and started again, like a script that opens /dev/stdout by name;
   * the output is then read again from its beginning.
   */
  restarted(): boolean {
    const { fd, tally } = this.#draft;
    if (this.written >= tally.bytes && this.#first.equals(bytesAt(fd, 0, this.#first.length))) return false;
    this.#draft.tally = new Tally();
    this.#first = Buffer.alloc(0);
    this.#shownBytes = 0;
    return true;
  }

  /** The lines that report an error in a part of the output. @param from byte where it begins */
  errorsWithin(from: number, bytes: number): string | undefined {
    const { fd } = this.#draft;
    const first = bytesAt(fd, 0, from).toString('latin1').split('\n').length;
    return errorLines(bytesAt(fd, from, bytes).toString(), first);
  }

  /** Shows everything that was held back. */
  showRest(): void {
    for (;;) {
      const read = readAt(this.#draft.fd, this.#chunk, this.#shownBytes);
      if (read === 0) return;
      this.#shownBytes += read;
      this.#show(this.#chunk.subarray(0, read));
    }
  }

  /** The last characters that were not shown, from the start of a line if that leaves enough. */
  tail(most: number): { text: string; characters: number; bytes: number } {
    const size = this.written;
    const from = Math.max(this.#shownBytes, size - most * 4);
    const all = bytesAt(this.#draft.fd, from, size - from);
    // The first character may have been cut.
    let start = 0;
    while (from > this.#shownBytes && start < 3 && ((all[start] ?? 0) & 0xc0) === 0x80) start += 1;
    const whole = all.subarray(start);
    const last = whole.subarray(byteOfCharacter(whole, countCharactersIn(whole) - most));
    const text = wholeLinesOfTail(decodedText(last));
    const characters = [...text].length;
    const kept = last.subarray(byteOfCharacter(last, countCharactersIn(last) - characters));
    return { text, characters, bytes: kept.length };
  }

  /** Bytes of the beginning that was shown. */
  get shownBytes(): number {
    return this.#shownBytes;
  }

  #showHead(): void {
    const { fd, tally } = this.#draft;
    const room = this.#head - this.shown;
    const bytes = bytesAt(fd, this.#shownBytes, Math.min(room * 4, tally.bytes - this.#shownBytes));
    const whole = bytes.subarray(0, wholeCharacters(bytes));
    let piece = whole.subarray(0, byteOfCharacter(whole, room));
    this.#full = piece.length < whole.length;
    if (this.#full) {
      const line = piece.lastIndexOf(10) + 1;
      if (line > 0) piece = piece.subarray(0, line);
    }
    this.shown += [...decodedText(piece)].length;
    this.#shownBytes += piece.length;
    if (this.shown >= this.#head) this.#full = true;
    if (piece.length > 0) this.endsLine = piece.at(-1) === 10;
    this.#show(piece);
  }
}
