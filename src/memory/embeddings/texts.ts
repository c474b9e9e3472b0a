import { redactPassage, redactSecrets } from '../../base/safety/index.ts';
import { hashText } from '../../base/text/hash.ts';
import { linesOf } from '../build.ts';
import { notesOf } from '../passages.ts';
import { checkOf, type PassagePlace } from '../segment.ts';

/** The text of one passage for a service. */
export interface PassageText {
  place: PassagePlace;
  /** Titles above it and its words, without secrets. */
  text: string;
  hashes: [number, number];
}

/** Maximum length of a passage or query; services refuse or cut more than about 8,000 tokens. */
const LONGEST_TEXT = 2000;

/**
 * The passages of a file, safe to send. Secrets are detected in the whole file, so that the middle of a key is
 * removed too, and again in the text to send.
 */
export function passageTexts(path: string, file: string): PassageText[] {
  const lines = linesOf(file);
  // Line numbers stay as they are.
  const safe = linesOf(redactSecrets(file));
  const out: PassageText[] = [];
  for (const passage of notesOf(path, lines)) {
    // A title with text under it is not a result; it is sent with that text.
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

/** A text without secrets, cut to the service's limit. */
export function sendable(text: string): string {
  // Cut to the final length only afterwards, so that a secret at the cut is still complete when it is detected.
  return redactSecrets(text.trim().slice(0, 2 * LONGEST_TEXT)).slice(0, LONGEST_TEXT);
}

/** Identifies a text. */
export function hashesOf(text: string): [number, number] {
  return [hashText(text), hashText(text, 1)];
}
