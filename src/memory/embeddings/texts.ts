import { redactPassage, redactSecrets } from '../../safety/index.ts';
import { linesOf } from '../build.ts';
import { hashText } from '../index/hash.ts';
import { passagesOf } from '../passages.ts';
import { checkOf, type PassagePlace } from '../segment.ts';

/** What a service is sent of one passage. */
export interface PassageText {
  place: PassagePlace;
  /** Titles above it and its words, secrets taken out. */
  text: string;
  hashes: [number, number];
}

/** Of one passage or query; services refuse or cut what is longer than some 8,000 tokens. */
const LONGEST_TEXT = 2000;

/**
 * The passages of a file as they may leave this machine. Secrets are looked for in the whole file, so that the
 * middle of a key goes too, and once more in what is sent.
 */
export function textsOf(file: string): PassageText[] {
  const lines = linesOf(file);
  // Line numbers stay as they are.
  const safe = linesOf(redactSecrets(file));
  const out: PassageText[] = [];
  for (const passage of passagesOf(lines)) {
    // A title with text under it is no result; it is sent with what follows it.
    if (passage.title) continue;
    const { line, startLine, endLine, piece, headings } = passage;
    const touched = lines.slice(startLine - 1, endLine).some((each, k) => each !== safe[startLine - 1 + k]);
    const words = touched ? redactPassage(passage.text, file) : passage.text;
    const text = sendable(`${headings.join(' > ')}\n${words}`);
    out.push({
      place: { line, startLine, endLine, piece, check: checkOf(lines, passage) },
      text,
      hashes: hashesOf(text),
    });
  }
  return out;
}

/** A text without secrets, cut to what a service takes. */
export function sendable(text: string): string {
  // Cut only afterwards to the final length: a secret at that cut is still whole when it is looked for.
  return redactSecrets(text.trim().slice(0, 2 * LONGEST_TEXT)).slice(0, LONGEST_TEXT);
}

/** Tells one text from another. */
export function hashesOf(text: string): [number, number] {
  return [hashText(text), hashText(text, 1)];
}
