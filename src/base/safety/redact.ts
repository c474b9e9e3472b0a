import { findFirst } from '../text/strings.ts';
import { findMentioned } from './keyword-rules.ts';
import { findKnown, findPersonal, UUID } from './known.ts';
import { type Candidate, type Finding, isName } from './value.ts';

/** A text with its disguise removed, and where each part came from. */
interface PlainView {
  text: string;
  pieces: readonly Piece[];
}

type Range = Pick<Finding, 'start' | 'end'>;

/** Part of a plain text, with its range in the original. */
interface Piece extends Range {
  /** Where it begins in the plain text. */
  offset: number;
  isUnchanged: boolean;
}

const DISGUISE =
  /[^\n\r\t -~]|[*`\\]|~~|%[0-9A-Fa-f]{2}|&(?:#|[A-Za-z]{2,4};)|<\/?[A-Za-z]|["'] ?\+|[\w+/-]\r?\n/;

/**
 * One step of decoding: escapes, invisible characters and markup are removed, encoded characters are decoded.
 * The alternatives are tried at each position, and none is longer than 40 code units.
 */
const STEP = new RegExp(
  `(?=[\\u0000-\\u001f"%&'*<\\\\\`~\\u007f-\\u{10ffff}])(?:${[
    '(?<gone>\\u001b\\[[0-?]{0,12}[@-~]|[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
      '\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb]|[\\u{e0000}-\\u{e0fff}]' +
      '|\\*+|`+|~~|</?(?:b|i|u|s|em|strong|code|span|wbr|tt|kbd|mark|font)(?: [^<>\\n]{0,30})?/?>|["\'] ?\\+ ?["\'])',
    '%(?:25){0,3}(?<percent>[0-7][0-9A-Fa-f])',
    '\\\\(?:u00|x)(?<coded>[0-7][0-9A-Fa-f])',
    '\\\\(?<letter>[nrt])',
    '\\\\(?<plain>[^A-Za-z0-9\\s])',
    '&#(?:[xX](?<hex>[0-9A-Fa-f]{2})|(?<decimal>\\d{2,3}));',
    '&(?<entity>quot|apos|amp|lt|gt|colon|equals|nbsp);',
    '(?<=[\\w+/-])(?<wrap>\\\\?\\r?\\n[ \\t>|]{0,12})(?=[\\w+/-])',
    '(?<wide>[\\uff01-\\uff5e])',
  ].join('|')})`,
  'gu',
);
const NAMED_CHARACTERS: Readonly<Record<string, string>> = {
  ...{ quot: '"', apos: "'", amp: '&', lt: '<', gt: '>', colon: ':', equals: '=', nbsp: ' ' },
  ...{ n: '\n', r: '\r', t: '\t' },
};

function renderReplacement(groups: Record<string, string | undefined>): string {
  const { percent, coded, letter, plain, hex, decimal, entity, wide } = groups;
  if (wide !== undefined) return String.fromCharCode(wide.charCodeAt(0) - 0xfee0);

  const code = percent ?? coded ?? hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (decimal !== undefined) return String.fromCharCode(Math.min(Number(decimal), 127));

  return NAMED_CHARACTERS[letter ?? entity ?? ''] ?? plain ?? '';
}

/** Whether a token continues after the line break `[start, end)`: both sides look like the inside of one. */
function isBroken(text: string, start: number, end: number): boolean {
  const before = /[\w+/.~$:-]{8,64}$/.exec(text.slice(Math.max(0, start - 64), start))?.[0];
  if (before === undefined || !/\d/.test(before)) return false;

  const next = text.slice(end, end + 160);
  const after = /^[\w+/~$.-]{5,160}/.exec(next)?.[0];
  if (after === undefined || !/\d|.[A-Z]/.test(after) || isName(after)) return false;

  // A short name before `=`, `:` or `(` starts something else.
  return after.length >= 30 || !/^(?:[(:]|=[^=\s"'`&;])/.test(next.slice(after.length));
}

function undisguiseText(text: string): PlainView | null {
  if (!DISGUISE.test(text)) return null;

  const pieces: Piece[] = [];
  let plain = '';
  const add = (shown: string, start: number, end: number, isUnchanged: boolean): void => {
    if (shown === '') return;
    pieces.push({ offset: plain.length, start, end, isUnchanged });
    plain += shown;
  };

  let copied = 0;

  for (const { 0: found, index, groups = {} } of text.matchAll(STEP)) {
    const end = index + found.length;
    if (groups.wrap !== undefined && !isBroken(text, index, end)) continue;
    add(text.slice(copied, index), copied, index, true);
    add(renderReplacement(groups), index, end, false);
    copied = end;
  }

  if (copied === 0) return null;

  add(text.slice(copied), copied, text.length, true);

  return { text: plain, pieces };
}

function mapToOriginal({ pieces }: PlainView, start: number, end: number): Range | null {
  const first = findPiece(pieces, start);
  const last = findPiece(pieces, end - 1);
  if (first === undefined || last === undefined) return null;

  return {
    start: first.isUnchanged ? first.start + start - first.offset : first.start,
    end: last.isUnchanged ? last.start + end - last.offset : last.end,
  };
}

function findPiece(pieces: readonly Piece[], offset: number): Piece | undefined {
  return pieces[findFirst(pieces.length, (k) => (pieces[k]?.offset ?? 0) > offset) - 1];
}

export type { Finding } from './value.ts';

const MOST_PASSES = 5;

/**
 * The secrets and personal data in a text, in order, not overlapping, as `[start, end)` in code units. The
 * text is examined twice: as it is, and with disguises removed, intended or not (zero-width characters,
 * Markdown, URL and HTML encoding, full-width letters, strings concatenated with `+`, lines broken by a
 * terminal). Linear in the length of the text.
 */
export function findSecrets(text: string): Finding[] {
  const found = findCandidates(text);
  const view = undisguiseText(text);
  if (view === null) return mergeFindings(found);

  for (const hidden of findCandidates(view.text)) {
    const range = mapToOriginal(view, hidden.start, hidden.end);
    // Ids on consecutive lines are not one token that was broken.
    const isList = hidden.rank === 0 && range !== null && text.slice(range.start, range.end).includes('\n');
    if (range !== null && !isList) found.push({ ...hidden, ...range });
  }

  return mergeFindings(found);
}

/**
 * The text with every secret and all personal data replaced by a mark that names its kind: `[redacted: GitHub
 * token]`. Everything else is unchanged, including line numbers. Idempotent.
 */
export function redactSecrets(text: string): string {
  let safe = text;
  // Once a finding is replaced, what it hid may be next to a word that indicates a secret.
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const found = cutAtMarks(safe, findSecrets(safe));
    if (found.length === 0) break;
    safe = applyFindings(safe, found);
  }

  return safe;
}

const LONE_UUID = new RegExp(`^([^\\p{L}\\p{N}]*)${UUID}(?![^]*[\\p{L}\\p{N}])`, 'u');

/** Units read beyond a cut: a secret is recognised only as a whole, by what stands beside it. */
const MARGIN = 4000;

/** At most so many units of the beginning of a text, redacted before it is cut. */
export function redactStart(text: string, most: number): string {
  const safe = redactSecrets(text.slice(0, most + MARGIN));
  return (text.length > most + MARGIN ? safe.slice(0, -MARGIN / 2) : safe).slice(0, most);
}

/** The same of its end. */
export function redactEnd(text: string, most: number): string {
  const safe = redactSecrets(text.slice(-most - MARGIN));
  return (text.length > most + MARGIN ? safe.slice(MARGIN / 2) : safe).slice(-most);
}

/** Redacts a person's message: a UUID that is all of it is a key, not the id of something. */
export const redactMessage = (text: string): string =>
  redactSecrets(text).replace(LONE_UUID, '$1[redacted: key]');

const MARK = /\[redacted: [A-Za-z][\w './-]{1,40}\]/g;

/** Findings cut where they overlap existing marks: the rest of a secret is removed, and the mark stays whole. */
function cutAtMarks(text: string, findings: Finding[]): Finding[] {
  if (findings.length === 0 || !text.includes('[redacted: ')) return findings;
  const marks = [...text.matchAll(MARK)];
  return findings.flatMap((finding) => {
    const pieces: Finding[] = [];
    let { start } = finding;

    for (const { index, 0: mark } of marks) {
      const markEnd = index + mark.length;
      if (markEnd <= start || index >= finding.end) continue;
      if (index > start) pieces.push({ ...finding, start, end: index });
      start = markEnd;
    }

    if (start < finding.end) pieces.push({ ...finding, start });

    // Blanks and quotes between marks hold nothing.
    return pieces.filter((piece) => /[\p{L}\p{N}]/u.test(text.slice(piece.start, piece.end)));
  });
}

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
    const mark = `[redacted: ${kind}]`;
    const secret = surroundings.slice(start, end);
    const pieces = secret.split(/[\s"'`>|\\]+/).filter((piece) => piece.length >= SHORTEST_PIECE);
    for (const piece of [secret, ...(pieces.every(isOrdinary) ? [] : pieces)])
      safe = safe.replaceAll(piece, mark);

    // A long text is cut into passages: one may begin or end in the middle of a secret, or lie within it.
    if (safe.length >= SHORTEST_PIECE && secret.includes(safe) && !isOrdinary(safe)) return mark;

    const [before, after] = [measureOverlap(secret, safe), measureOverlap(safe, secret)];
    if (after > 0) safe = `${safe.slice(0, -after)}${mark}`;
    if (before > 0) safe = `${mark}${safe.slice(before)}`;
  }

  return redactSecrets(safe);
}

/** The length of the text that `text` ends with and `next` begins with; 0 if it may be an ordinary word. */
function measureOverlap(text: string, next: string): number {
  for (let length = Math.min(text.length, next.length); length >= SHORTEST_PIECE; length--) {
    const common = next.slice(0, length);
    if (text.endsWith(common)) return isOrdinary(common) ? 0 : length;
  }

  return 0;
}

/** A word that may stay in the passage, such as one of a passphrase. */
const isOrdinary = (piece: string): boolean => /^[A-Za-z]+$/.test(piece) && piece.length < 20;

function applyFindings(text: string, findings: Finding[]): string {
  let safe = '';
  let copied = 0;

  for (const { kind, start, end } of findings) {
    const lineEnds = text.slice(start, end).match(/\r?\n/g)?.join('') ?? '';
    safe += `${text.slice(copied, start)}[redacted: ${kind}]${lineEnds}`;
    copied = end;
  }

  return safe + text.slice(copied);
}

function findCandidates(text: string): Candidate[] {
  const lowered = text.toLowerCase();
  // Lower-casing changes the length of a few letters; then only ASCII letters are lowered, so that positions
  // stay the same.
  const lower =
    lowered.length === text.length ? lowered : text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
  return [...findKnown(text, lower), ...findMentioned(text, lower), ...findPersonal(text)];
}

/** Merges overlapping findings; the most confident, then the longest, names the result. */
function mergeFindings(candidates: Candidate[]): Finding[] {
  candidates.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Candidate[] = [];
  for (const candidate of candidates) {
    const last = merged.at(-1);
    if (last === undefined || candidate.start >= last.end) {
      merged.push({ ...candidate });
      continue;
    }

    merged[merged.length - 1] = {
      ...(candidate.rank > last.rank ? candidate : last),
      start: last.start,
      end: Math.max(last.end, candidate.end),
    };
  }

  return merged.map(({ rank: _, ...finding }) => finding);
}
