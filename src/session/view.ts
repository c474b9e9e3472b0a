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
import { sanitizeLine } from '../base/safety/index.ts';
import { isApproved } from '../base/trust/index.ts';
import { isOurs, type PadDocument, type Problem, parsePad, readRegion } from '../pad/document.ts';
import { commentOutFrontMatter, heal, setPlanOrigin, setRegion } from '../pad/edit.ts';
import { getFieldPrefix, readFields } from '../pad/front-matter.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { type FileStamp, parseLifetime, parseStamp } from '../pad/stamp.ts';
import { describePlanInFile, findAdopted, findPlanOfFile, withSpaces } from './compose.ts';
import { type JournalContent, NO_JOURNAL, type Revision, replayRevisions, type Spaces } from './journal.ts';
import { pickKey } from './plan-key.ts';
import type { PlanPlaces } from './plan-places.ts';
import {
  findVisiblePlan,
  type Plan,
  type PlanPlace,
  type Plans,
  putPlan,
  renderOtherPlans,
} from './plans.ts';
import { isTracked, type Reconciliation, readConflictSide, readFileSpaces, reconcile } from './reconcile.ts';
import { RESTORED } from './second-copy.ts';
import { type KeptState, refreshState, withState } from './state-file.ts';
import type { LastChange, Snapshot } from './store.ts';
import { refuseGitReplacement, type SessionPaths } from './workspace.ts';

const CONFLICTED =
  'git conflict markers; the earlier version is read, and nothing is written until they are resolved';
const REMOVED_BY_CHECKOUT = `this branch has no ${PAD_FILE}; that of another branch is not shown`;

/** An editor that saves in place empties the file before it fills it: how often and how long to check again. */
const LOOKS = 8;
const PAUSE_MS = 15;
/** A file that has looked unfinished for longer than this is considered final. */
const UNFINISHED_MS = 1000;

/** The text of a pad, after waiting for an editor that is saving it; `undefined` if there is none. */
export async function readSettledPad(
  { pad, journal }: SessionPaths,
  root: string,
): Promise<string | undefined> {
  for (let look = 0; ; look += 1) {
    const text = readText(pad, 'pad', { within: root });
    if (look === LOOKS || !isUnfinished(text)) return text;

    // If a file existed before and is missing now, an editor may be between two renames. A clock may be set back.
    const saved = tryStat(text === undefined ? journal : pad)?.mtimeMs ?? 0;
    if (Math.abs(Date.now() - saved) >= UNFINISHED_MS) return text;

    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function isUnfinished(text: string | undefined): boolean {
  if (text === undefined || text.trim() === '') return true;
  return parsePad(text).problems.some(({ kind }) => kind.endsWith('-unclosed'));
}

/** A hostile file may have thousands. */
export const PROBLEMS_TOLD = 3;

export interface PadView {
  text: string | undefined;
  /** `undefined` if the file is missing or blank. */
  document: PadDocument | undefined;
  problems: readonly Problem[];
  stamp?: FileStamp | undefined;
  journal: JournalContent;
  reconciled: Reconciliation;
  /** Why the second copy of the journal was read. */
  restores?: keyof typeof RESTORED | undefined;
  /** Whether git put the file in the place of ours: it is not read, and nothing is written. */
  isReplaced?: boolean;
  /** Line of git's first conflict marker: nothing is written until they are resolved. */
  conflictAt?: number;
  /** The encoding of somebody else's file: it is read, and not written. */
  encoding?: Encoding | undefined;
}

export async function buildView(
  text: string | undefined,
  journal: JournalContent,
  paths: SessionPaths,
): Promise<PadView> {
  const read = text === undefined ? undefined : decodeLossless(text);
  const conflict = read && findConflict(read.text);
  const git = conflict && readConflictSide(paths);

  if (conflict && git) {
    // The version last acknowledged here; if that was on another branch, the version of the checked-out branch.
    const document = parsePad(conflict.ours);
    const here = journal.revisions.length > 0 && git.isOurs;
    const reconciled = await (here ? reconcile(undefined, journal) : reconcile(document, NO_JOURNAL));
    return { text, document, problems: [], journal, reconciled, conflictAt: conflict.line };
  }

  // An empty file is an interrupted save or an accident, never an edit that empties three spaces.
  const document = read === undefined || read.text.trim() === '' ? undefined : parsePad(read.text);
  const { problems, stamp } = document ? await readStamp(document) : { problems: [], stamp: undefined };
  const reconciled = await reconcile(document, journal, paths);
  const view = { text, document, problems, stamp, journal, reconciled };

  if (document === undefined || read === undefined || read.encoding === 'UTF-8') return view;

  const message = read.encoding === 'not UTF-8' ? read.encoding : `${read.encoding} instead of UTF-8`;
  const problem = { kind: 'encoding', message, line: 1 } as const;

  return {
    ...view,
    problems: [problem, ...problems],
    encoding: isOurs(document) ? undefined : read.encoding,
  };
}

/**
 * Whether a file was edited by a stranger: it came with a stranger's journal, or git left it here.
 * @param primary the workspace of a primary pad, which is judged with that where the journal is ours
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

/** All plans, with the edits that a person has made to the one in the file. */
export function applyAdoptions(
  { plans, adoptions }: Reconciliation,
  file: PlanPlace,
  savedAt: number,
): Plans {
  const edit = adoptions.find(({ space }) => space === 'plan');
  if (edit === undefined) return plans;

  const { content, by, plan: id } = edit;
  const edited = new Map(plans);
  putPlan(edited, { ...findAdopted(plans, id, file), content, by, at: savedAt });

  return edited;
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

/**
 * A reader's view: the file as it would be written now, with the state that was assembled here last.
 * @param places where this reader and the file look plans up
 * @param at when the file was saved, epoch milliseconds, and the branch that is checked out
 */
export function makeSnapshot(
  session: string,
  { text, document, problems, stamp, journal, reconciled, conflictAt, restores }: PadView,
  kept: KeptState | undefined,
  places: PlanPlaces,
  { savedAt = 0, branch }: { savedAt: number | undefined; branch: string | undefined },
): Snapshot {
  const plans = applyAdoptions(reconciled, places.file, savedAt);
  const seen = findVisiblePlan(plans, places.caller);
  const planInFile = document && readFileSpaces(document).plan;
  const spaces = { ...reconciled.spaces, plan: seen.plan?.content ?? '' };
  const last = journal.revisions.at(-1);
  const exists = text !== undefined || last !== undefined;
  const edits = Object.fromEntries(reconciled.adoptions.map(({ space, by }) => [space, by]));
  const changed = findLastChanges(journal, seen.plan, plans, edits, savedAt);
  const changedAt = Math.max(0, ...Object.values(changed).map(({ at }) => at));
  const state = kept && refreshState(kept, { plan: spaces.plan, branch, changedAt });
  const foreign =
    state === undefined && document !== undefined && readRegion(document, 'state').trim() !== '';
  let whole = exists ? withSpaces(document, session, spaces) : '';

  if (document?.regions.has('beside'))
    whole = setRegion(whole, 'beside', renderOtherPlans(plans, seen.plan?.id));
  const isLabelled = document !== undefined && setPlanOrigin(document.text, '') !== document.text;
  if (document !== undefined && isOurs(document) && !isTracked(document))
    whole = setPlanOrigin(whole, describePlanInFile(seen.plan, places.caller));
  const shown = findPlanOfFile(plans, places.file);
  const own = exists && state ? withState(whole, state) : whole;
  const updated = foreign && stamp && sanitizeLine(stamp.updated, 40);
  const leftOut = `<!-- A block that was not assembled here${updated ? `, of ${updated},` : ''} is left out -->`;
  const ignored = `the state block in ${PAD_FILE} was not assembled here${updated ? ` (updated ${updated})` : ''}: it is ignored until the next assembly`;

  return {
    ...{ session, exists, spaces, plans, seen, edits },
    document: parsePad(foreign ? setRegion(whole, 'state', leftOut) : own),
    isBehind:
      planInFile !== undefined &&
      problems.length === 0 &&
      conflictAt === undefined &&
      // The command that writes such an edit says so.
      reconciled.adoptions.every(({ space, by }) => space !== 'plan' || by !== 'merge') &&
      (planInFile !== (shown?.content ?? '') ||
        (isLabelled &&
          document.text !== setPlanOrigin(document.text, describePlanInFile(shown, places.file))) ||
        // A person has begun a plan in the file: it is of the branch that is checked out now.
        reconciled.adoptions.some(({ space, plan }) => space === 'plan' && plan === undefined)),
    state: exists ? state : undefined,
    ...(foreign && stamp && { elsewhere: { updated: stamp.updated, ttlMs: parseLifetime(stamp) } }),
    revision: last?.rev ?? 0,
    conflicted: conflictAt === undefined ? undefined : true,
    changed,
    notices: [
      ...(restores ? [RESTORED[restores]] : []),
      ...(conflictAt === undefined ? [] : [`${PAD_FILE} line ${conflictAt}: ${CONFLICTED}`]),
      ...(reconciled.wasRemovedByCheckout ? [REMOVED_BY_CHECKOUT] : []),
      ...problems
        .slice(0, PROBLEMS_TOLD)
        .map(({ kind, line, message }) =>
          kind === 'encoding'
            ? `${PAD_FILE} is ${message}`
            : `${PAD_FILE} line ${line}: ${message}; read up to there`,
        ),
      // A linked work tree has the file of the main one.
      ...(foreign && places.caller.worktree === undefined ? [ignored] : []),
      ...(stamp?.problem === undefined ? [] : [`${PAD_FILE}, front matter: ${stamp.problem}`]),
    ],
  };
}

/** When, where and by whom each space was changed last. Where there is no plan, the last that was cleared says when. */
function findLastChanges(
  { bases, revisions }: JournalContent,
  plan: Plan | undefined,
  plans: Plans,
  edits: Snapshot['edits'] = {},
  savedAt: number,
): NonNullable<Snapshot['changed']> {
  const changed: Partial<Record<SpaceName, LastChange>> = {};
  for (const { space, timestamp, actor, content } of [...bases, ...revisions])
    if (space !== 'plan' && (content !== '' || changed[space]))
      changed[space] = { at: Date.parse(timestamp) || 0, actor };
  for (const space of ['notes', 'refs'] as const) if (edits[space]) changed[space] = { at: savedAt };
  const at = plan?.at ?? Math.max(0, ...[...plans.values()].map((each) => each.at));
  if (at > 0) changed.plan = { at, actor: plan?.actor, ...(plan && pickKey(plan)) };

  return changed;
}

/** The repaired document, ready to be changed; the caller keeps the original first. */
export async function healDocument({ document, problems }: PadView): Promise<PadDocument | undefined> {
  if (!document || problems.length === 0) return document;
  const healed = parsePad(heal(document.text));
  // Only now is the end of unclosed front matter known, and so its content.
  return (await readFields(healed.text)) === undefined
    ? parsePad(commentOutFrontMatter(healed.text))
    : healed;
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
 * Lines that look like git's conflict markers, also what is left of them when a person removed some; whether they are
 * git's, git knows. `undefined` if there are none.
 */
function findConflict(text: string): { line: number; ours: string } | undefined {
  let first: number | undefined;
  let side: 'both' | 'ours' | 'theirs' = 'both';
  const ours: string[] = [];

  for (const [at, line] of text.split('\n').entries()) {
    const marker = /^(<{7}|\|{7}|>{7})(?: .*)?\r?$/.exec(line)?.[1]?.[0];
    if (marker !== undefined) first ??= at + 1;
    if (marker === '<') side = 'ours';
    else if (marker === '>') side = 'both';
    else if (marker === '|' || (side === 'ours' && /^={7}\r?$/.test(line))) side = 'theirs';
    else if (side !== 'theirs') ours.push(line);
  }

  return first === undefined ? undefined : { line: first, ours: ours.join('\n') };
}

/** @throws ScratchpadError `refused` if git has put the file here, or it is in another encoding, or has conflicts */
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
