import { dirname } from 'node:path';
import { refusal } from '../base/errors.ts';
import {
  decodeLossless,
  type Encoding,
  encodeBytes,
  PAD_FILE,
  readText,
  refuseEncoding,
  tryStat,
} from '../base/fs/index.ts';
import { isLeftByGit } from '../base/git/index-file.ts';
import { isApproved } from '../base/trust/index.ts';
import { isOurs, type PadDocument, type Problem, parsePad, readRegion } from '../pad/document.ts';
import { commentOutFrontMatter, heal } from '../pad/edit.ts';
import { getFieldPrefix, readFields } from '../pad/front-matter.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { type FileStamp, parseStamp } from '../pad/stamp.ts';
import { type JournalContent, NO_JOURNAL, type Revision, replayRevisions, type Spaces } from './journal.ts';
import { type Reconciliation, readConflictSide, reconcile } from './reconcile.ts';
import type { RESTORED } from './second-copy.ts';
import { refuseGitReplacement, type SessionPaths } from './workspace.ts';

/** An editor that saves in place empties the file before it fills it: how often and how long to wait for it. */
const RETRIES = 8;
const PAUSE_MS = 15;
/** A file that has looked unfinished for longer than this is considered final. */
const UNFINISHED_MS = 1000;

/** The text of a pad, after waiting for an editor that is saving it; `undefined` if there is none. */
export async function readSettledPad(
  { pad, journal }: SessionPaths,
  root: string,
): Promise<string | undefined> {
  for (let retry = 0; ; retry += 1) {
    const text = readText(pad, 'pad', { within: root });
    if (retry === RETRIES || !isUnfinished(text)) return text;

    // A file that existed before may be missing now because an editor is between two renames.
    const savedAt = tryStat(text === undefined ? journal : pad)?.mtimeMs ?? 0;
    // The difference is negative after a clock was set back.
    if (Math.abs(Date.now() - savedAt) >= UNFINISHED_MS) return text;

    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function isUnfinished(text: string | undefined): boolean {
  if (text === undefined || text.trim() === '') return true;
  return parsePad(text).problems.some(({ kind }) => kind.endsWith('-unclosed'));
}

export interface PadView {
  text: string | undefined;
  /** `undefined` if the file is missing or blank. */
  document: PadDocument | undefined;
  problems: readonly Problem[];
  stamp?: FileStamp | undefined;
  journal: JournalContent;
  reconciled: Reconciliation;
  restores?: keyof typeof RESTORED | undefined;
  /** Git put somebody else's file in the place of ours: it is not read, and nothing is written. */
  isReplaced?: boolean;
  /** Line of git's first conflict marker: nothing is written until they are resolved. */
  conflictAt?: number;
  /** The encoding, other than UTF-8, of a file that is not ours: it is read, and not written. */
  encoding?: Encoding | undefined;
}

export async function buildView(
  text: string | undefined,
  journal: JournalContent,
  paths: SessionPaths,
): Promise<PadView> {
  const decoded = text === undefined ? undefined : decodeLossless(text);
  const conflict = decoded && findConflict(decoded.text);
  const conflictSide = conflict && readConflictSide(paths);

  if (conflict && conflictSide) {
    // The version last acknowledged here; if that was on another branch, the version of the checked-out branch.
    const document = parsePad(conflict.ours);
    const isJournalled = journal.revisions.length > 0 && conflictSide.isOurs;
    const reconciled = await (isJournalled ? reconcile(undefined, journal) : reconcile(document, NO_JOURNAL));
    return { text, document, problems: [], journal, reconciled, conflictAt: conflict.line };
  }

  // An empty file is an interrupted save or an accident, never an edit that empties three spaces.
  const document = decoded === undefined || decoded.text.trim() === '' ? undefined : parsePad(decoded.text);
  const { problems, stamp } = document ? await readStamp(document) : { problems: [], stamp: undefined };
  const reconciled = await reconcile(document, journal, paths);
  const view = { text, document, problems, stamp, journal, reconciled };

  if (document === undefined || decoded === undefined || decoded.encoding === 'UTF-8') return view;

  const { encoding } = decoded;
  const message = encoding === 'not UTF-8' ? encoding : `${encoding} instead of UTF-8`;
  const problem = { kind: 'encoding', message, line: 1 } as const;

  return { ...view, problems: [problem, ...problems], encoding: isOurs(document) ? undefined : encoding };
}

/**
 * Whether a file was edited by a stranger: it came with a stranger's journal, or git left it here.
 * @param primary the workspace, for its primary pad: provenance of the workspace judges that one if the journal is ours
 */
export function isStrange(
  { text, reconciled, restores }: PadView,
  { pad }: SessionPaths,
  primary: string | undefined,
  env: NodeJS.ProcessEnv,
): boolean {
  if (text === undefined || reconciled.adoptions.length === 0) return false;
  if (restores === 'foreign') return !isApproved(primary ?? dirname(pad), env, text);
  return primary === undefined && isLeftByGit(pad, encodeBytes(text));
}

/** A person's edits that no command has journalled yet, as revisions with the numbers that these will have. */
export function listPendingEdits(
  { reconciled, journal }: PadView,
  { revisions, base }: Pick<JournalContent, 'revisions' | 'base'>,
  present: Spaces,
  savedAt: number,
): Revision[] {
  const journalled = replayRevisions(revisions, base);
  const last = journal.revisions.at(-1);
  const timestamp = new Date(savedAt).toISOString();

  return SPACE_NAMES.filter((space) => present[space] !== journalled[space]).map((space, index) => ({
    ...{ rev: (last?.rev ?? 0) + 1 + index, id: '', parentId: last?.id ?? null, timestamp },
    ...{ space, content: present[space], op: 'edit' },
    by: reconciled.adoptions.find((adoption) => adoption.space === space)?.by ?? 'edit',
  }));
}

/** The repaired document, ready to be changed; the caller keeps the original first. */
export async function healDocument({ document, problems }: PadView): Promise<PadDocument | undefined> {
  if (!document || problems.length === 0) return document;

  const healed = parsePad(heal(document.text));
  // The content of unclosed front matter is known only after the repair.
  const isValid = (await readFields(healed.text)) !== undefined;
  return isValid ? healed : parsePad(commentOutFrontMatter(healed.text));
}

async function readStamp(
  document: PadDocument,
): Promise<{ problems: readonly Problem[]; stamp?: FileStamp | undefined }> {
  const { text, frontMatter, problems } = document;
  const fields = await readFields(text);
  const stamp = parseStamp(fields ?? {}, getFieldPrefix(text, frontMatter), readRegion(document, 'state'));
  if (fields !== undefined) return { problems, stamp };

  const message = 'the front matter is not valid YAML';
  return { problems: [{ kind: 'front-matter-invalid', message, line: 1 }, ...problems], stamp };
}

/**
 * The first line that looks like a conflict marker of git, and the text of our side. A person may have removed some of the
 * markers. The caller asks git whether there is a conflict.
 */
function findConflict(text: string): { line: number; ours: string } | undefined {
  let first: number | undefined;
  let side: 'both' | 'ours' | 'theirs' = 'both';
  const ours: string[] = [];

  for (const [index, line] of text.split('\n').entries()) {
    const marker = /^(<{7}|\|{7}|>{7})(?: .*)?\r?$/.exec(line)?.[1]?.[0];
    if (marker !== undefined) first ??= index + 1;
    if (marker === '<') side = 'ours';
    else if (marker === '>') side = 'both';
    else if (marker === '|' || (side === 'ours' && /^={7}\r?$/.test(line))) side = 'theirs';
    else if (side !== 'theirs') ours.push(line);
  }

  return first === undefined ? undefined : { line: first, ours: ours.join('\n') };
}

/** @throws ScratchpadError `refused` if git put the file here, or it has conflict markers, or another encoding */
export function assertWritable({ isReplaced, conflictAt, encoding }: PadView, pad: string): void {
  if (isReplaced) throw refuseGitReplacement(pad);

  if (conflictAt !== undefined)
    throw refusal(`${PAD_FILE} contains git conflict markers: nothing was changed`, {
      where: `line ${conflictAt}`,
      expected: 'a file without them',
      next: `resolve them in an editor, then: git add ${PAD_FILE}`,
    });

  if (encoding !== undefined) throw refuseEncoding(PAD_FILE, encoding);
}
