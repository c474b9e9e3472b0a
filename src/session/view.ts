import { PAD_FILE } from '../base/fs/index.ts';
import { contentOf, type PadDocument, type Problem, parsePad } from '../pad/document.ts';
import { commentOutFrontMatter, heal, setRegion } from '../pad/edit.ts';
import { withSpaces } from './compose.ts';
import type { Revision } from './journal.ts';
import type { JournalContent } from './journal-file.ts';
import { ONE_PLAN, type PlanScope } from './plan-scope.ts';
import type { Plans } from './plans.ts';
import { type KnownOfFile, type Reconciled, reconcile } from './reconcile.ts';
import type { Snapshot } from './store.ts';

const OWN_FIELDS = new Set(['scratchpad', 'session', 'revision', 'updated', 'ttl', 'expires', 'tokens']);

/** A hostile file may have thousands. */
const PROBLEMS_TOLD = 3;
const FOREIGN_STATE = `the state block in ${PAD_FILE} was not assembled here: it is ignored until the next assembly`;

const TAKEN_AWAY = `what is checked out has no ${PAD_FILE}: what another branch has in its own is not shown here`;

/** A file and its journal at one time. */
export interface PadView {
  text: string | undefined;
  /** `undefined` if the file is missing or blank. */
  document: PadDocument | undefined;
  problems: readonly Problem[];
  last: Revision | undefined;
  reconciled: Reconciled;
  /** When the file was saved. */
  savedAt?: number | undefined;
  /** Line of git's first conflict marker: nothing is written until they are resolved. */
  conflictAt?: number;
}

export async function viewOf(
  text: string | undefined,
  last: Revision | undefined,
  journal: () => JournalContent,
  known: KnownOfFile = {},
): Promise<PadView> {
  const conflict = text === undefined ? undefined : conflictIn(text);
  const unmerged = conflict && (await known.unmerged?.());
  if (conflict && unmerged) {
    // The version last acknowledged here; if that was on another branch, the version of the checked-out branch.
    const document = parsePad(conflict.ours);
    const here = last !== undefined && unmerged.isOurs;
    const reconciled = await (here
      ? reconcile(undefined, last, journal)
      : reconcile(document, undefined, journal));
    return { text, document, problems: [], last, reconciled, conflictAt: conflict.line };
  }
  // An empty file is an interrupted save or an accident, never an edit that empties three spaces.
  const document = text === undefined || text.trim() === '' ? undefined : parsePad(text);
  const problems = document ? problemsOf(document) : [];
  const reconciled = await reconcile(document, last, journal, known);
  if (last?.shown === undefined) known.recognise?.(reconciled.plans, reconciled.spaces, journal);
  return { text, document, problems, last, reconciled, savedAt: known.savedAt?.() };
}

/** All plans, with the edits that a person has made to the one in the file. */
export function plansNow({ plans, adoptions }: Reconciled, savedAt = 0): Plans {
  const edit = adoptions.find(({ space }) => space === 'plan');
  if (edit === undefined) return plans;
  const { content, by, plan: id = '' } = edit;
  const known = plans.get(id) ?? { id, number: 1 };
  return new Map([...plans, [id, { ...known, content, by, at: savedAt }]]);
}

/**
 * A reader's view: the file as it would be written now, without a foreign state block.
 * @param isOurs whether an assembly here wrote a state block
 * @param scope how this reader sees the plans
 */
export function snapshotOf(
  session: string,
  { text, document, problems, last, reconciled, savedAt, conflictAt }: PadView,
  isOurs: (state: string) => boolean = () => true,
  scope: PlanScope = ONE_PLAN,
): Snapshot {
  const seen = scope.see(plansNow(reconciled, savedAt), reconciled.shown);
  const spaces = { ...reconciled.spaces, plan: seen.plan?.content ?? '' };
  const exists = text !== undefined || last !== undefined;
  const state = document ? contentOf(document, 'state') : '';
  const foreign = state.trim() !== '' && !isOurs(state);
  const whole = exists ? withSpaces(document, session, spaces) : '';
  const shown = foreign ? setRegion(whole, 'state', '') : whole;
  return {
    session,
    exists,
    document: document && shown === document.text ? document : parsePad(shown),
    spaces,
    seen,
    revision: last?.rev ?? 0,
    ...(conflictAt === undefined ? {} : { conflicted: true }),
    edits: Object.fromEntries(reconciled.adoptions.map(({ space, by }) => [space, by])),
    notices: [
      ...(conflictAt === undefined ? [] : [conflictNotice(conflictAt)]),
      ...(reconciled.takenAway ? [TAKEN_AWAY] : []),
      ...problems
        .slice(0, PROBLEMS_TOLD)
        .map(({ line, message }) => `${PAD_FILE} line ${line}: ${message}; read up to there`),
      ...(foreign ? [FOREIGN_STATE] : []),
    ],
  };
}

function conflictNotice(line: number): string {
  return `${PAD_FILE} line ${line}: git conflict markers; the earlier version is read, and nothing is written until they are resolved`;
}

/** The repaired document, ready to be changed; the caller keeps the original first. */
export function healedDocument({ document, problems }: PadView): PadDocument | undefined {
  if (!document || problems.length === 0) return document;
  const healed = parsePad(heal(document.text));
  // Only now is the end of unclosed front matter known, and so its content.
  return healed.fields === undefined ? parsePad(commentOutFrontMatter(healed.text, OWN_FIELDS)) : healed;
}

function problemsOf(document: PadDocument): readonly Problem[] {
  if (document.fields !== undefined) return document.problems;
  const message = 'the front matter is not valid YAML';
  return [{ kind: 'front-matter-invalid', message, line: 1 }, ...document.problems];
}

/**
 * Lines that look like git's conflict markers, also what is left of them when a person removed some; whether they are
 * git's, git knows. `undefined` if there are none.
 */
function conflictIn(text: string): { line: number; ours: string } | undefined {
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
