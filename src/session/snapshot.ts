import { PAD_FILE } from '../base/fs/index.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { isOurs, type PadDocument, parsePad, readRegion } from '../pad/document.ts';
import { setPlanOrigin, setRegion } from '../pad/edit.ts';
import type { SpaceName } from '../pad/markers.ts';
import { type FileStamp, parseLifetime } from '../pad/stamp.ts';
import { describePlanInFile, findAdopted, findPlanOfFile, withSpaces } from './compose.ts';
import type { JournalContent } from './journal.ts';
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
import { isTracked, type Reconciliation, readFileSpaces } from './reconcile.ts';
import { RESTORED } from './second-copy.ts';
import { type KeptState, refreshState, withState } from './state-file.ts';
import type { LastChange, Snapshot } from './store.ts';
import type { PadView } from './view.ts';

/** Most problems of a file to report: a hostile one may have thousands. */
export const MOST_PROBLEMS = 3;

/**
 * A reader's view: the file as it would be written now, with the state that was assembled here last.
 * @param kept that state
 * @param places where this reader and the file look plans up
 * @param savedAt when the file was saved, epoch milliseconds
 * @param branch the one that is checked out
 */
export function makeSnapshot(
  session: string,
  view: PadView,
  kept: KeptState | undefined,
  places: PlanPlaces,
  { savedAt = 0, branch }: { savedAt: number | undefined; branch: string | undefined },
): Snapshot {
  const { text, document, stamp, journal, reconciled, conflictAt } = view;
  const plans = applyAdoptions(reconciled, places.file, savedAt);
  const seen = findVisiblePlan(plans, places.caller);
  const spaces = { ...reconciled.spaces, plan: seen.plan?.content ?? '' };
  const revision = journal.revisions.at(-1)?.rev;
  const exists = text !== undefined || revision !== undefined;
  const edits = Object.fromEntries(reconciled.adoptions.map(({ space, by }) => [space, by]));
  const changed = findLastChanges(journal, seen.plan, plans, edits, savedAt);
  const changedAt = Math.max(0, ...Object.values(changed).map(({ at }) => at));
  const state = exists && kept ? refreshState(kept, { plan: spaces.plan, branch, changedAt }) : undefined;
  const hasForeignState =
    state === undefined && document !== undefined && readRegion(document, 'state').trim() !== '';
  const plain = exists
    ? renderPlans(withSpaces(document, session, spaces), document, plans, seen.plan, places)
    : '';
  const withOwnState = state ? withState(plain, state) : plain;

  return {
    ...{ session, exists, spaces, plans, seen, edits, state, changed },
    document: parsePad(hasForeignState ? hideForeignState(plain, stamp) : withOwnState),
    isBehind: isFileBehind(view, plans, places.file),
    ...(hasForeignState && stamp && { elsewhere: { updated: stamp.updated, ttlMs: parseLifetime(stamp) } }),
    revision: revision ?? 0,
    conflicted: conflictAt === undefined ? undefined : true,
    // A linked work tree has the file of the main one.
    notices: listNotices(view, hasForeignState && places.caller.worktree === undefined),
  };
}

/** A file's text with the plan that the caller sees: its origin, and the other open plans. */
function renderPlans(
  text: string,
  document: PadDocument | undefined,
  plans: Plans,
  plan: Plan | undefined,
  places: PlanPlaces,
): string {
  if (document === undefined) return text;

  const others = document.regions.has('beside')
    ? setRegion(text, 'beside', renderOtherPlans(plans, plan?.id))
    : text;
  if (!isOurs(document) || isTracked(document)) return others;

  return setPlanOrigin(others, describePlanInFile(plan, places.caller));
}

/** The time of a state block from elsewhere: foreign text. */
const getForeignTime = (stamp: FileStamp | undefined): string =>
  stamp ? sanitizeLine(stamp.updated, 40) : '';

function hideForeignState(text: string, stamp: FileStamp | undefined): string {
  const time = getForeignTime(stamp);
  return setRegion(
    text,
    'state',
    `<!-- A block that was not assembled here${time && `, of ${time},`} is left out -->`,
  );
}

/** Whether the file shows another plan, or another origin of it, than a person would see, or has a new one. */
function isFileBehind(
  { document, problems, conflictAt, reconciled }: PadView,
  plans: Plans,
  file: PlanPlace,
): boolean {
  const planInFile = document && readFileSpaces(document).plan;
  if (document === undefined || planInFile === undefined || problems.length > 0 || conflictAt !== undefined)
    return false;

  const edits = reconciled.adoptions.filter(({ space }) => space === 'plan');
  // The command that writes a merged edit reports it.
  if (edits.some(({ by }) => by === 'merge')) return false;
  // A plan that a person has begun in the file belongs to the branch that is checked out now.
  if (edits.some(({ plan }) => plan === undefined)) return true;

  const shown = findPlanOfFile(plans, file);
  if (planInFile !== (shown?.content ?? '')) return true;

  const isLabelled = setPlanOrigin(document.text, '') !== document.text;
  return isLabelled && document.text !== setPlanOrigin(document.text, describePlanInFile(shown, file));
}

function listNotices(
  { problems, stamp, reconciled, conflictAt, restores }: PadView,
  hasForeignState: boolean,
): string[] {
  const notices: string[] = restores ? [RESTORED[restores]] : [];
  if (conflictAt !== undefined)
    notices.push(
      `${PAD_FILE} line ${conflictAt}: git conflict markers; the earlier version is read, and nothing is written until they are resolved`,
    );
  if (reconciled.wasRemovedByCheckout)
    notices.push(`this branch has no ${PAD_FILE}; that of another branch is not shown`);

  for (const { kind, line, message } of problems.slice(0, MOST_PROBLEMS))
    notices.push(
      kind === 'encoding'
        ? `${PAD_FILE} is ${message}`
        : `${PAD_FILE} line ${line}: ${message}; read up to there`,
    );

  if (hasForeignState) {
    const time = getForeignTime(stamp);
    notices.push(
      `the state block in ${PAD_FILE} was not assembled here${time && ` (updated ${time})`}: it is ignored until the next assembly`,
    );
  }
  if (stamp?.problem !== undefined) notices.push(`${PAD_FILE}, front matter: ${stamp.problem}`);

  return notices;
}

/** When, where and by whom each space was changed last; without a plan, when the last one was cleared. */
function findLastChanges(
  { bases, revisions }: JournalContent,
  plan: Plan | undefined,
  plans: Plans,
  edits: NonNullable<Snapshot['edits']>,
  savedAt: number,
): NonNullable<Snapshot['changed']> {
  const changed: Partial<Record<SpaceName, LastChange>> = {};
  for (const { space, timestamp, actor, content } of [...bases, ...revisions])
    if (space !== 'plan' && (content !== '' || changed[space]))
      changed[space] = { at: Date.parse(timestamp) || 0, actor };
  for (const space of ['notes', 'refs'] as const) if (edits[space]) changed[space] = { at: savedAt };

  const planChangedAt = plan?.at ?? Math.max(0, ...[...plans.values()].map(({ at }) => at));
  if (planChangedAt > 0) changed.plan = { at: planChangedAt, actor: plan?.actor, ...(plan && pickKey(plan)) };

  return changed;
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
