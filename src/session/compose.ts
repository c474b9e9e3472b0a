import { refusal } from '../base/errors.ts';
import { draftFile, LARGEST, PAD_FILE } from '../base/fs/index.ts';
import { PAD_TITLE, type PadDocument, parsePad, readRegion } from '../pad/document.ts';
import { markSections, ORIGIN_FIELD, renderPlanOrigin, setFrontMatter, setRegion } from '../pad/edit.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import type { Actor } from './actor.ts';
import type { Author, Revision, Spaces } from './journal.ts';
import { isSameKey, type PlanMark, pickMark } from './plan-key.ts';
import type { PlanPlaces } from './plan-places.ts';
import {
  choosePlanToChange,
  createId,
  createPlan,
  describeOrigin,
  findLastChanged,
  findNextNumber,
  findVisiblePlan,
  type Plan,
  type PlanPlace,
  type Plans,
  putPlan,
  renderOtherPlans,
} from './plans.ts';
import {
  isTracked,
  NO_PLAN,
  PLAN_FIELD,
  type Reconciliation,
  readFileSpaces,
  readRevisionStamp,
} from './reconcile.ts';
import { type KeptState, refreshState, withState } from './state-file.ts';
import type { Change } from './store.ts';

interface ComposeInput {
  session: string;
  document: PadDocument | undefined;
  reconciled: Reconciliation;
  last: Revision | undefined;
  changes: readonly Change[];
  by: Author;
  actor: Actor;
  tracked: boolean | undefined;
  /** The state that was assembled just now, and the one that is kept. */
  state?: KeptState | undefined;
  kept?: KeptState | undefined;
  places: PlanPlaces;
}

/** What a change comes to: the lines for the journal, and the new file, with the plan that it shows in `spaces`. */
export function composeFile(input: ComposeInput) {
  const { document, reconciled, last, changes, by, places } = input;
  const { now } = places.caller;
  // The file may be ahead of a lost journal: numbers never decrease.
  let rev = Math.max(last?.rev ?? 0, (document && readRevisionStamp(document)) ?? 0);
  let parentId = last?.id ?? null;
  const spaces = { ...reconciled.acknowledged };
  const plans = new Map(reconciled.plans);
  const revisions: Revision[] = [];
  const push = (change: Change, by: Author, actor?: Actor): void => {
    const { space, content, op, of, plan: mark } = change;
    if (space === 'plan') {
      const { id, number, ...key } = mark ?? { id: '', number: 1 };
      putPlan(plans, { ...key, id, number, content, at: now, by, actor });
    } else spaces[space] = content;

    rev += 1;
    const id = createId();

    revisions.push({
      ...{ rev, id, parentId, space, content, op, by, of },
      actor: actor && Object.keys(actor).length > 0 ? actor : undefined,
      timestamp: new Date(now).toISOString(),
      plan: mark === undefined || (mark.id === '' && isSameKey(mark, {})) ? undefined : mark,
    });
    parentId = id;
  };

  for (const { space, content, by: author, plan: id } of reconciled.adoptions) {
    const plan = space === 'plan' ? pickMark(findAdopted(plans, id, places.file)) : undefined;
    // What somebody wrote before this program came is nothing to undo.
    push({ space, content, op: last === undefined ? 'adopt' : 'edit', plan }, author);
  }

  for (const change of changes) {
    const author = change.actor ?? input.actor;
    if (change.space === 'plan') {
      const mark = numberPlan(change.plan ?? choosePlanToChange(change.op, plans, places.caller), plans);
      const before = plans.get(mark.id);
      // Whoever takes a plan of this place, or takes that back, changes only which one is shown.
      const isLast = change.op !== 'take' || mark.id === findLastChanged(plans)?.id;
      const isStep = change.of !== undefined;
      const same = !isStep && isLast && before?.content === change.content && isSameKey(before, mark);
      const isNew = before === undefined && change.content === '';
      if (!same && !isNew) push({ ...change, plan: mark }, by, author);
    } else if (spaces[change.space] !== change.content) push(change, by, author);
  }

  const shown = findPlanOfFile(plans, places.file);
  spaces.plan = shown?.content ?? '';
  const changedAt = revisions.length > 0 ? Number.POSITIVE_INFINITY : Date.parse(last?.timestamp ?? '');
  const {
    state = input.kept &&
      refreshState(input.kept, { plan: spaces.plan, branch: places.file.branch, changedAt }),
  } = input;
  const text = renderPad(input, spaces, rev, state, { plans, shown });

  return { revisions, spaces, plans, revision: rev, text };
}

/** The plan that an edit in the file is for; a new one if the file showed none. */
export function findAdopted(plans: Plans, id: string | undefined, file: PlanPlace): PlanMark {
  if (id === undefined) return createPlan(plans, file);
  return plans.get(id) ?? { id, number: 1 };
}

/** The plan that the file shows: what a person sees, else one that was emptied last. */
export function findPlanOfFile(plans: Plans, file: PlanPlace): Plan | undefined {
  const last = findLastChanged(plans);
  return findVisiblePlan(plans, file).plan ?? (last?.content.trim() === '' ? last : undefined);
}

/** Where the plan that the file shows was made; empty for none. */
export const describePlanInFile = (shown: Plan | undefined, file: PlanPlace): string =>
  shown === undefined ? '' : describeOrigin(shown, file);

/** What the file says of the plan that it shows, if that is not the one that was changed last. */
function namePlanInFile(plans: Plans, shown: Plan | undefined): string | null {
  if (shown === findLastChanged(plans)) return null;
  return shown === undefined ? NO_PLAN : String(shown.number);
}

function numberPlan(mark: PlanMark, plans: ReadonlyMap<string, Plan>): PlanMark {
  const taken = [...plans.values()].some(({ id, number }) => id !== mark.id && number === mark.number);
  return taken ? { ...mark, number: findNextNumber(plans) } : mark;
}

/** The file's text with the given spaces; the same text if it already has them. */
export function withSpaces(document: PadDocument | undefined, session: string, spaces: Spaces): string {
  let text = document?.text ?? createPadText(session);
  const file = document === undefined ? { plan: '', notes: '', refs: '' } : readFileSpaces(document);
  for (const space of SPACE_NAMES) {
    if ((file[space] ?? '') !== spaces[space]) text = setRegion(text, space, spaces[space]);
  }

  return text;
}

function renderPad(
  { document, session, tracked, reconciled, places }: ComposeInput,
  spaces: Spaces,
  revision: number,
  state: KeptState | undefined,
  { plans, shown }: { plans: Plans; shown: Plan | undefined },
): string {
  let text = markSections(withSpaces(document, session, spaces));
  if (tracked || reconciled.wasRemovedByCheckout || (document && isTracked(document)))
    return stripVolatileFields(text, session);

  text = setRegion(text, 'beside', renderOtherPlans(plans, shown?.id));
  if (state) text = withState(text, state);
  const fields = new Map<string, string | null>(listIdentityFields(parsePad(text), session));
  if (revision > 0) fields.set('revision', String(revision));
  fields.set(PLAN_FIELD, namePlanInFile(plans, shown));
  fields.set(ORIGIN_FIELD, renderPlanOrigin(describePlanInFile(shown, places.file)));

  return setFrontMatter(text, fields);
}

function listIdentityFields({ frontMatter }: PadDocument, session: string): [string, string][] {
  if (frontMatter.kind === 'fenced') return [];
  return [
    ['scratchpad', String(FORMAT_VERSION)],
    ['session', JSON.stringify(session)],
  ];
}

/** Fields that change even if the spaces do not: they alone would make two branches conflict. */
const VOLATILE = ['revision', PLAN_FIELD, ORIGIN_FIELD, 'updated', 'ttl', 'expires', 'tokens', 'stages'];

/** A pad for git: without the fields that every write would change on both branches. */
export function stripVolatileFields(text: string, session: string): string {
  const document = parsePad(text);
  const fields = new Map<string, string | null>(VOLATILE.map((key) => [key, null]));
  for (const [key, value] of listIdentityFields(document, session)) fields.set(key, value);
  if (!isTracked(document)) fields.set('tracked', 'true');
  const alone = setRegion(text, 'beside', '');
  const bare = readRegion(document, 'state') === '' ? alone : setRegion(alone, 'state', '');

  return setFrontMatter(bare, fields);
}

/** Version of the file format, in the front matter of every pad (`docs/files.md`). */
const FORMAT_VERSION = 1;

export function createPadText(session: string): string {
  const title = `${PAD_TITLE}\n`;
  const text = SPACE_NAMES.reduce((before, name) => setRegion(before, name, ''), title);
  const fields = { scratchpad: String(FORMAT_VERSION), session: quoteYaml(session), revision: '0' };
  return setFrontMatter(text, new Map(Object.entries(fields)));
}

/** A session id as a YAML scalar: plain if that is safe, quoted otherwise. */
function quoteYaml(text: string): string {
  return /^[A-Za-z][\w.-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);
}

/**
 * Prepares the new file. One that would be too large to read back is not written, even if a repair makes it so.
 * @throws ScratchpadError `refused`
 */
export function draftPad(path: string, root: string, text: string): ReturnType<typeof draftFile> {
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGEST.pad) return draftFile(path, text, { within: root });
  throw refusal(`${PAD_FILE} would become too large: nothing was changed`, {
    where: path,
    expected: `at most ${LARGEST.pad / 1024} KB`,
    found: `${Math.ceil(bytes / 1024)} KB`,
    next: 'move parts of it into another file or an entry',
  });
}
