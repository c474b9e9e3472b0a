import { countCharactersIn, wholeCharacters } from './characters.ts';

/** One place in an entry: so many characters come before so many bytes. */
export interface Place {
  bytes: number;
  characters: number;
}

/** Bytes between two places of an offset table: what a read at any offset has to count through at most. */
export const STRIDE = 256 * 1024;

/** Counts a stream's bytes and characters, and notes places on the way. */
export class Tally {
  bytes = 0;
  characters = 0;
  readonly places: Place[] = [];
  #cutOff: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    const all = this.#cutOff.length === 0 ? chunk : Buffer.concat([this.#cutOff, chunk]);
    const whole = wholeCharacters(all);
    this.#cutOff = Buffer.from(all.subarray(whole));
    let at = 0;
    let before = this.bytes - all.length;
    while (at < whole) {
      const step = Math.min(whole, at + STRIDE);
      const piece = all.subarray(at, step === whole ? step : at + wholeCharacters(all.subarray(at, step)));
      this.characters += countCharactersIn(piece);
      at += piece.length;
      before += piece.length;
      if (before - (this.places.at(-1)?.bytes ?? 0) >= STRIDE) {
        this.places.push({ bytes: before, characters: this.characters });
      }
    }
  }

  /** What is left over at the end is no character: each of its bytes counts. */
  end(): this {
    this.characters += countCharactersIn(this.#cutOff);
    this.#cutOff = Buffer.alloc(0);
    return this;
  }
}
