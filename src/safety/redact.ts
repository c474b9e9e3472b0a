import type { Candidate, Finding } from './finding.ts';
import { findKnown } from './known.ts';
import { findPersonal } from './personal.ts';
import { findTold } from './telling.ts';
import { inOriginal, undisguised } from './views.ts';

export type { Finding } from './finding.ts';

const MOST_PASSES = 5;

/**
 * The secrets and personal data in a text, in order, not overlapping, as `[start, end)` in code units.
 *
 * The text is read twice: as it stands, and without the disguises that people and programs put on it by
 * accident or on purpose (zero-width characters, Markdown, URL and HTML encoding, full-width letters, strings
 * put together with `+`, lines broken by a terminal). Linear in the length of the text.
 */
export function findSecrets(text: string): Finding[] {
  const found = scan(text);
  const view = undisguised(text);
  if (view !== null) {
    for (const hidden of scan(view.text)) {
      const range = inOriginal(view, hidden.start, hidden.end);
      // Ids one below the other are no token of an unknown make that was broken.
      const isList = hidden.rank === 0 && range !== null && text.slice(range.start, range.end).includes('\n');
      if (range !== null && !isList) found.push({ ...hidden, ...range });
    }
  }
  return merge(found);
}

/**
 * The text with every secret and every piece of personal data replaced by what it was:
 * `[redacted: GitHub token]`. Everything else is unchanged, line numbers included, and nothing is changed the
 * second time.
 */
export function redactSecrets(text: string): string {
  let safe = text;
  // What a finding hid may stand next to a telling word once the finding is gone.
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const found = outsideMarks(safe, findSecrets(safe));
    if (found.length === 0) break;
    safe = replaced(safe, found);
  }
  return safe;
}

/** What stands in the place of a secret. */
const MARK = /\[redacted: [A-Za-z][\w './-]{1,40}\]/g;

/** Findings without the marks that they run into: what is left of a secret goes, the mark beside it stays whole. */
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

/** A piece of a secret is looked for by itself from this length on, in code units. */
const SHORTEST_PIECE = 6;

/**
 * A passage without secrets, judged by what stood around it: the lines of a key without its BEGIN line, the
 * value whose telling word is a line above, a token that was broken over two lines and has been joined since.
 *
 * @param passage the text that will be shown
 * @param surroundings where it was taken from, with some lines before and after
 */
export function redactPassage(passage: string, surroundings: string): string {
  let safe = passage;
  for (const { kind, start, end } of findSecrets(surroundings)) {
    const secret = surroundings.slice(start, end);
    const pieces = secret.split(/[\s"'`>|\\]+/).filter((piece) => piece.length >= SHORTEST_PIECE);
    for (const piece of [secret, ...(pieces.every(isOrdinary) ? [] : pieces)]) {
      safe = safe.replaceAll(piece, `[redacted: ${kind}]`);
    }
  }
  return redactSecrets(safe);
}

/** A word that may stand in the passage for itself, as those of a passphrase do. */
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
  // A few letters change their length; then only the plain ones are lowered, so that positions stay the same.
  const lower =
    lowered.length === text.length ? lowered : text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
  return [...findKnown(text, lower), ...findTold(text, lower), ...findPersonal(text)];
}

/** Overlapping findings become one, named by the surest of them, then by the longest. */
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
