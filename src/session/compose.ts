import { refusal } from '../base/errors.ts';
import { draftFile, LARGEST, PAD_FILE } from '../base/fs/index.ts';
import { PAD_TITLE, type PadDocument, parsePad, readRegion } from '../pad/document.ts';
import { markSections, ORIGIN_FIELD, renderPlanOrigin, setFrontMatter, setRegion } from '../pad/edit.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
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
  /** The state that was assembled just now. */
  state?: KeptState | undefined;
  /** The state that was assembled before. */
  kept?: KeptState | undefined;
  places: PlanPlaces;
}

/** The revisions of one change, and the spaces and plans after them. */
class RevisionDraft {
  readonly revisions: Revision[] = [];
  readonly spaces: Record<SpaceName, string>;
  readonly plans: Map<string, Plan>;
  revision: number;
  #parentId: string | null;
  readonly #now: number;

  constructor({ document, reconciled, last, places }: ComposeInput) {
    this.spaces = { ...reconciled.acknowledged };
    this.plans = new Map(reconciled.plans);
    // The file may be ahead of a lost journal: numbers never decrease.
    this.revision = Math.max(last?.rev ?? 0, (document && readRevisionStamp(document)) ?? 0);
    this.#parentId = last?.id ?? null;
    this.#now = places.caller.now;
  }

  add({ space, content, op, of, plan: mark }: Change, by: Author, actor?: Actor): void {
    if (space === 'plan') {
      const { id, number, ...key } = mark ?? { id: '', number: 1 };
      putPlan(this.plans, { ...key, id, number, content, at: this.#now, by, actor });
    } else this.spaces[space] = content;

    const id = createId();
    this.revision += 1;
    this.revisions.push({
      ...{ rev: this.revision, id, parentId: this.#parentId, space, content, op, by, of },
      actor: actor && Object.keys(actor).length > 0 ? actor : undefined,
      timestamp: new Date(this.#now).toISOString(),
      plan: mark === undefined || (mark.id === '' && isSameKey(mark, {})) ? undefined : mark,
    });
    this.#parentId = id;
  }
}

/** The revisions that a change adds to the journal, and the new file; `spaces` has the plan that the file shows. */
export function composeFile(input: ComposeInput) {
  const { reconciled, last, places } = input;
  const draft = new RevisionDraft(input);
  const { plans, revisions, spaces } = draft;

  for (const { space, content, by, plan: id } of reconciled.adoptions) {
    const plan = space === 'plan' ? pickMark(findAdopted(plans, id, places.file)) : undefined;
    // Text from before the first use of this program cannot be undone.
    draft.add({ space, content, op: last === undefined ? 'adopt' : 'edit', plan }, by);
  }

  for (const change of input.changes) addChange(draft, change, input);

  const shown = findPlanOfFile(plans, places.file);
  spaces.plan = shown?.content ?? '';
  const changedAt = revisions.length > 0 ? Number.POSITIVE_INFINITY : Date.parse(last?.timestamp ?? '');
  const present = { plan: spaces.plan, branch: places.file.branch, changedAt };
  const state = input.state ?? (input.kept && refreshState(input.kept, present));

  return { revisions, spaces, plans, revision: draft.revision, text: renderPad(input, draft, state, shown) };
}

function addChange(draft: RevisionDraft, change: Change, { by, actor, places }: ComposeInput): void {
  const { space, content, op } = change;
  const author = change.actor ?? actor;

  if (space !== 'plan') {
    if (draft.spaces[space] !== content) draft.add(change, by, author);
    return;
  }

  const { plans } = draft;
  const plan = numberPlan(change.plan ?? choosePlanToChange(op, plans, places.caller), plans);
  const before = plans.get(plan.id);
  const isEmptyNewPlan = before === undefined && content === '';
  // Taking a plan makes it the newest, even if nothing else changes; so does taking that back.
  const isTaken = change.of !== undefined || (op === 'take' && plan.id !== findLastChanged(plans)?.id);
  const isUnchanged = before?.content === content && isSameKey(before, plan) && !isTaken;
  if (!isUnchanged && !isEmptyNewPlan) draft.add({ ...change, plan }, by, author);
}

/** The plan that an edit in the file is for; a new one if the file showed none. */
export function findAdopted(plans: Plans, id: string | undefined, file: PlanPlace): PlanMark {
  if (id === undefined) return createPlan(plans, file);
  return plans.get(id) ?? { id, number: 1 };
}

/** The plan that the file shows: the one that a person sees, else the last changed one, if that is empty. */
export function findPlanOfFile(plans: Plans, file: PlanPlace): Plan | undefined {
  const last = findLastChanged(plans);
  return findVisiblePlan(plans, file).plan ?? (last?.content.trim() === '' ? last : undefined);
}

/** The branch and work tree of the plan that the file shows; empty for no plan. */
export const describePlanInFile = (shown: Plan | undefined, file: PlanPlace): string =>
  shown === undefined ? '' : describeOrigin(shown, file);

/** The value of `PLAN_FIELD`: which plan the file shows, if not the one that was changed last. */
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
  { spaces, plans, revision }: RevisionDraft,
  state: KeptState | undefined,
  shown: Plan | undefined,
): string {
  let text = markSections(withSpaces(document, session, spaces));
  const isForGit = tracked || reconciled.wasRemovedByCheckout || (document && isTracked(document));
  if (isForGit) return stripVolatileFields(text, session);

  text = setRegion(text, 'beside', renderOtherPlans(plans, shown?.id));
  if (state) text = withState(text, state);
  const fields = new Map<string, string | null>(listIdentityFields(parsePad(text), session));
  if (revision > 0) fields.set('revision', String(revision));
  fields.set(PLAN_FIELD, namePlanInFile(plans, shown));
  fields.set(ORIGIN_FIELD, renderPlanOrigin(describePlanInFile(shown, places.file)));

  return setFrontMatter(text, fields);
}

/** The fields that a file without front matter lacks. */
const listIdentityFields = ({ frontMatter }: PadDocument, session: string): [string, string][] =>
  frontMatter.kind === 'fenced' ? [] : makeIdentityFields(session);

const makeIdentityFields = (session: string): [string, string][] => [
  ['scratchpad', String(FORMAT_VERSION)],
  ['session', quoteYaml(session)],
];

/** Fields that change even if the spaces do not: they alone would make two branches conflict. */
const VOLATILE = ['revision', PLAN_FIELD, ORIGIN_FIELD, 'updated', 'ttl', 'expires', 'tokens', 'stages'];

/** A pad for git: without the fields that every write would change on both branches. */
export function stripVolatileFields(text: string, session: string): string {
  const document = parsePad(text);
  const fields = new Map<string, string | null>(VOLATILE.map((key) => [key, null]));
  for (const [key, value] of listIdentityFields(document, session)) fields.set(key, value);
  if (!isTracked(document)) fields.set('tracked', 'true');
  const withoutPlans = setRegion(text, 'beside', '');
  const withoutState =
    readRegion(document, 'state') === '' ? withoutPlans : setRegion(withoutPlans, 'state', '');

  return setFrontMatter(withoutState, fields);
}

/** Version of the file format, in the front matter of every pad (`docs/files.md`). */
const FORMAT_VERSION = 1;

export function createPadText(session: string): string {
  const text = SPACE_NAMES.reduce((before, name) => setRegion(before, name, ''), `${PAD_TITLE}\n`);
  return setFrontMatter(text, new Map([...makeIdentityFields(session), ['revision', '0']]));
}

/** A session id as a YAML scalar: plain if that is safe, quoted otherwise. */
const quoteYaml = (text: string): string =>
  /^[A-Za-z][\w.-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);

/** Prepares the new file. @throws ScratchpadError `refused` if it would be too large to read back */
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
