import type { Candidate, Finding } from './finding.ts';
import { findKnown } from './known.ts';
import { findPersonal } from './personal.ts';
import { findTold } from './telling.ts';
import { inOriginal, undisguised } from './views.ts';

export type { Finding } from './finding.ts';

const MOST_PASSES = 5;

/**
 * The secrets and personal data in a text, in order, not overlapping, as `[start, end)` in code units. The
 * text is examined twice: as it is, and with disguises removed, intended or not (zero-width characters,
 * Markdown, URL and HTML encoding, full-width letters, strings concatenated with `+`, lines broken by a
 * terminal). Linear in the length of the text.
 */
export function findSecrets(text: string): Finding[] {
  const found = scan(text);
  const view = undisguised(text);
  if (view !== null) {
    for (const hidden of scan(view.text)) {
      const range = inOriginal(view, hidden.start, hidden.end);
      // Ids on consecutive lines are not one token that was broken.
      const isList = hidden.rank === 0 && range !== null && text.slice(range.start, range.end).includes('\n');
      if (range !== null && !isList) found.push({ ...hidden, ...range });
    }
  }
  return merge(found);
}

/**
 * The text with every secret and all personal data replaced by a mark that names its kind: `[redacted: GitHub
 * token]`. Everything else is unchanged, including line numbers. Idempotent.
 */
export function redactSecrets(text: string): string {
  let safe = text;
  // Once a finding is replaced, what it hid may be next to a word that indicates a secret.
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const found = outsideMarks(safe, findSecrets(safe));
    if (found.length === 0) break;
    safe = replaced(safe, found);
  }
  return safe;
}

const MARK = /\[redacted: [A-Za-z][\w './-]{1,40}\]/g;

/**
 * Findings cut where they overlap existing marks: the rest of a secret is removed, and the mark stays whole.
 */
function outsideMarks(text: string, findings: Finding[]): Finding[] {
  if (findings.length === 0 || !text.includes('[redacted: ')) return findings;
  const marks = [...text.matchAll(MARK)].map(({ index, 0: mark }) => ({
    start: index,
    end: index + mark.length,
  }));
  return findings.flatMap((finding) => {
    const pieces: Finding[] = [];
    let from = finding.start;
    for (const { start, end } of marks) {
      if (end <= from || start >= finding.end) continue;
      if (start > from) pieces.push({ ...finding, start: from, end: start });
      from = end;
    }
    if (from < finding.end) pieces.push({ ...finding, start: from });
    // Blanks and quotes between marks hold nothing.
    return pieces.filter((piece) => /[\p{L}\p{N}]/u.test(text.slice(piece.start, piece.end)));
  });
}

/** Shortest piece of a secret to look for on its own, in code units. */
const SHORTEST_PIECE = 6;

/**
 * Redacts a passage with knowledge of its surroundings: the lines of a key without its BEGIN line, a value
 * whose name is on the line above, a token that was broken over two lines and is joined now.
 * @param passage the text that will be shown
 * @param surroundings the text it was taken from, with some lines before and after
 */
export function redactPassage(passage: string, surroundings: string): string {
  let safe = passage;
  for (const { kind, start, end } of findSecrets(surroundings)) {
    const secret = surroundings.slice(start, end);
    const pieces = secret.split(/[\s"'`>|\\]+/).filter((piece) => piece.length >= SHORTEST_PIECE);
    for (const piece of [secret, ...(pieces.every(isOrdinary) ? [] : pieces)]) {
      safe = safe.replaceAll(piece, `[redacted: ${kind}]`);
    }
    // A long text is cut into passages: one may begin or end in the middle of a secret, or be all in it.
    if (safe.length >= SHORTEST_PIECE && secret.includes(safe) && !isOrdinary(safe))
      return `[redacted: ${kind}]`;
    const [before, after] = [overlap(secret, safe), overlap(safe, secret)];
    if (after > 0) safe = `${safe.slice(0, -after)}[redacted: ${kind}]`;
    if (before > 0) safe = `[redacted: ${kind}]${safe.slice(before)}`;
  }
  return redactSecrets(safe);
}

/** How much of the end of a text another one begins with; 0 for what proves nothing. */
function overlap(text: string, next: string): number {
  for (let length = Math.min(text.length, next.length); length >= SHORTEST_PIECE; length--) {
    const common = next.slice(0, length);
    if (text.endsWith(common)) return isOrdinary(common) ? 0 : length;
  }
  return 0;
}

/** A word that may stay in the passage, such as one of a passphrase. */
function isOrdinary(piece: string): boolean {
  return /^[A-Za-z]+$/.test(piece) && piece.length < 20;
}

function replaced(text: string, findings: Finding[]): string {
  let safe = '';
  let last = 0;
  for (const { kind, start, end } of findings) {
    const lineEnds = text.slice(start, end).match(/\r?\n/g)?.join('') ?? '';
    safe += `${text.slice(last, start)}[redacted: ${kind}]${lineEnds}`;
    last = end;
  }
  return safe + text.slice(last);
}

function scan(text: string): Candidate[] {
  const lowered = text.toLowerCase();
  // Lower-casing changes the length of a few letters; then only ASCII letters are lowered, so that positions
  // stay the same.
  const lower =
    lowered.length === text.length ? lowered : text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
  return [...findKnown(text, lower), ...findTold(text, lower), ...findPersonal(text)];
}

/** Merges overlapping findings; the most confident, then the longest, names the result. */
function merge(candidates: Candidate[]): Finding[] {
  candidates.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Candidate[] = [];
  for (const candidate of candidates) {
    const last = merged.at(-1);
    if (last === undefined || candidate.start >= last.end) {
      merged.push({ ...candidate });
      continue;
    }
    const surer = candidate.rank > last.rank;
    merged[merged.length - 1] = {
      ...(surer ? candidate : last),
      start: last.start,
      end: Math.max(last.end, candidate.end),
    };
  }
  return merged.map(({ rank: _, ...finding }) => finding);
}
