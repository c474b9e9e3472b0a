import { countCharactersIn, wholeCharacters } from './characters.ts';

/** A position in an entry, in bytes and in characters. */
export interface Place {
  bytes: number;
  characters: number;
}

/** Distance in bytes between two rows of an offset table: the most that a read at any offset has to scan. */
export const STRIDE = 256 * 1024;

/** Counts a stream's bytes and characters, and records positions on the way. */
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

  /** Bytes left over at the end are no character: each counts as one. */
  end(): this {
    this.characters += countCharactersIn(this.#cutOff);
    this.#cutOff = Buffer.alloc(0);
    return this;
  }
}
