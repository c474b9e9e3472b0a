import { refusal, type ScratchpadError } from '../base/errors.ts';
import { findGitPlace, followRename } from '../base/git/place.ts';
import { countCharacters, formatThousands } from '../base/text/strings.ts';
import { SEE_HISTORY } from '../pad/advice.ts';
import { measureUsage, type Usage } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { abbreviate } from '../pad/spaces.ts';
import { abbreviateSession, detectActor } from '../session/actor.ts';
import { type Revision, replayRevisions, type Spaces } from '../session/journal.ts';
import { type PlanKey, type PlanMark, pickMark } from '../session/plan-key.ts';
import { describeOwner } from '../session/plans.ts';
import type { Change, History, Snapshot } from '../session/store.ts';
import { planUndo, type UndoStep } from '../session/undo.ts';
import type { Pad } from './context.ts';

export interface HistoryRow extends Omit<Revision, 'id' | 'parentId' | 'content'> {
  /** For `undo` and `redo`: the operation of the revision concerned. */
  ofOp?: string | undefined;
  /** Characters in the space afterwards. */
  characters: number;
  delta: number;
  added: string[];
  removed: string[];
}

export interface Difference {
  from: number;
  to: number;
  changes: { space: SpaceName; before: string; after: string }[];
}

export interface UndoResult {
  of: number[];
  revision: number;
  message: string;
  usage: Usage[];
  warnings: readonly string[];
}

type Reach = boolean | 'person' | 'tool';

/**
 * Undoes the newest changes of the caller: a host's session its own, an agent or a `tool` without a session those of
 * such agents or tools, over MCP those of the same connection. A person undoes the newest of all, but one that an agent
 * made only with `others` (a tool's, only if that is `false`: a program undoes what its tools did). In a session's pane
 * `person` adds the changes that no session made.
 * @throws ScratchpadError `refused` if there are fewer
 */
export const undo = (pad: Pad, count = 1, others?: Reach): Promise<UndoResult> =>
  undoOrRedo(pad, 'undo', count, others);

/** Redoes changes that were undone. @throws ScratchpadError `refused` if fewer were */
export const redo = (pad: Pad, count = 1): Promise<UndoResult> => undoOrRedo(pad, 'redo', count);

async function undoOrRedo(pad: Pad, op: 'undo' | 'redo', count: number, others?: Reach): Promise<UndoResult> {
  const { store } = pad;
  const session = findCallerSession(pad);
  const scope = op === 'redo' ? 'undone' : 'visible';
  const planSteps = (history: History): UndoStep[] => {
    const steps = planUndo(op, history, count, (revision) => isOfCaller(pad, revision, others));
    const undone = history.revisions.filter(({ rev }) => steps.some(({ of }) => of === rev));
    const ofAgent = undone.find(
      ({ actor, by }) => actor?.session || actor?.agent || (by === 'tool' && others === false),
    );
    if (op === 'undo' && isPerson(pad) && !others && ofAgent !== undefined) throw refuseForeignUndo(ofAgent);

    return steps;
  };

  // Refuses before anything is written. Then an edit that a person has just made to the file is the first to be undone.
  planSteps(await store.history(scope));
  await store.change(() => []);
  let messages: string[] = [];
  let warnings: string[] = [];
  let steps: UndoStep[] = [];
  const done = await store.change(async ({ plans }) => {
    const history = await store.history(scope);
    steps = planSteps(history);
    const rows = listRows(history);
    messages = steps.map(({ of }) => describeStep(op, of, rows));
    warnings = describeSkipped(history, steps);

    return steps.flatMap(({ of, space, content }) => {
      const plan = space === 'plan' ? findPlanOwner(pad.root, history, of, op) : undefined;
      const shown = op === 'undo' && session === undefined ? showFormerPlan(history, of, plans) : [];
      return [{ space, content, op, of, plan }, ...shown];
    });
  });

  const spaces = [...new Set(steps.map(({ space }) => space))];

  return {
    of: steps.map(({ of }) => of),
    revision: done.revision,
    message: messages.join('\n'),
    usage: spaces.map((space) => measureUsage(space, done.spaces[space], pad.config.limits)),
    warnings: [...done.notices, ...warnings],
  };
}

const findCallerSession = ({ store, env }: Pad): string | undefined =>
  store.here?.session ?? detectActor(env).session;

function isOfCaller(pad: Pad, { by, actor }: Revision, others?: Reach): boolean {
  const { agent, connection } = detectActor(pad.env);
  const session = findCallerSession(pad);
  const isOfConnection = connection === undefined || actor?.connection === connection;
  if (others === true || (others === 'person' && actor?.session === undefined)) return true;
  if (session !== undefined) return actor?.session === session;
  if (others === 'tool') return actor?.session === undefined && by === 'tool' && isOfConnection;
  return agent === undefined || (actor?.session === undefined && actor?.agent === agent);
}

const isPerson = (pad: Pad): boolean =>
  pad.store.here !== undefined && (findCallerSession(pad) ?? detectActor(pad.env).agent) === undefined;

function describeStep(op: 'undo' | 'redo', of: number, rows: readonly HistoryRow[]): string {
  const step = `${op === 'undo' ? 'undid' : 'redid'} revision ${of}`;
  const row = rows.find(({ rev }) => rev === of);
  if (row === undefined) return step;

  const author = formatAuthor(row).replace(/^(?!by )/, 'by ');
  return `${step}: ${row.space} ${row.op} (${summarizeChange(row)}), ${author}`;
}

/** Names the newest change that an undo passes over, because it is one of a plan that is not shown here. */
function describeSkipped(history: History, steps: readonly UndoStep[]): string[] {
  const newest = history.elsewhere?.at(-1)?.rev ?? 0;
  const other = steps.every(({ of }) => of < newest) && describeOtherPlan(history, newest);
  return other ? [`revision ${newest}, of ${other}, is newer and stays as it is`] : [];
}

/** The plan that an undo or a redo restores: for an undo the one before the revision, for a redo that of the revision. */
function findPlanOwner(
  root: string,
  { bases = [], revisions }: History,
  of: number,
  op: 'undo' | 'redo',
): PlanMark {
  const changes = [...bases, ...revisions].filter(({ space }) => space === 'plan');
  const index = changes.findIndex(({ rev, op }) => rev === of && op !== 'base');
  const owner = (op === 'undo' ? changes[index - 1] : undefined) ?? changes[index];
  const { plan = { id: '', number: 1 }, timestamp = '' } = owner ?? {};
  const git = findGitPlace(root);
  return git && plan.branch !== undefined
    ? { ...plan, branch: followRename(git, plan.branch, Date.parse(timestamp)) }
    : plan;
}

/** Shows a person the plan again over which they took another one of the same branch and work tree. */
function showFormerPlan(
  { elsewhere = [], revisions }: History,
  of: number,
  plans: Snapshot['plans'],
): Change[] {
  const isSamePlace = (a: PlanKey = {}, b: PlanKey = {}): boolean =>
    a.branch === b.branch && a.worktree === b.worktree;
  const [before, taken] = revisions.filter(({ space, rev }) => space === 'plan' && rev <= of).slice(-2);
  if (taken?.op !== 'take' || !isSamePlace(before?.plan, taken.plan)) return [];

  const shown = elsewhere.findLast(({ rev, plan }) => rev < of && isSamePlace(plan, taken.plan));
  const plan = shown && plans?.get(shown.plan?.id ?? '');
  return plan ? [{ space: 'plan', content: plan.content, op: 'undo', of, plan: pickMark(plan) }] : [];
}

function refuseForeignUndo(revision: Revision): ScratchpadError {
  const { rev, space, op } = revision;
  return refusal('the latest change was made by an agent', {
    found: `revision ${rev}: ${space} ${op}, by ${formatAuthor(revision)}`,
    next: { to: 'undo it anyway', command: 'scratchpad undo --others' },
  });
}

/**
 * The changes between two revisions; those of the newest one by default.
 * @throws ScratchpadError `refused` for a revision that is not kept
 */
export function diffRevisions(history: History, from?: number, to?: number): Difference {
  const end = to ?? history.revisions.at(-1)?.rev ?? 0;
  const start = from ?? Math.max(0, end - 1);
  const [before, after] = [rebuildSpaces(history, start), rebuildSpaces(history, end)];
  const changed = SPACE_NAMES.filter((space) => before[space] !== after[space]);

  return {
    from: start,
    to: end,
    changes: changed.map((space) => ({ space, before: before[space], after: after[space] })),
  };
}

/** The spaces as they were at a revision. @throws ScratchpadError `refused` for one that is not kept */
export function rebuildSpaces(history: History, rev: number): Spaces {
  const { revisions, base } = history;
  const first = (revisions[0]?.rev ?? 1) - 1;
  const last = revisions.at(-1)?.rev ?? 0;

  if (!Number.isInteger(rev) || rev < first || rev > last) {
    throw refusal('no such revision', {
      expected: last === 0 ? 'a pad that has been changed' : `a number from ${first} to ${last}`,
      found: [String(rev), describeOtherPlan(history, rev)].filter((each) => each).join(', of '),
      next: SEE_HISTORY,
    });
  }

  return replayRevisions(
    revisions.filter((revision) => revision.rev <= rev),
    base,
  );
}

/** The other plan that a revision changed: `plan 2 of session 7c1f0a52 on early`. */
export function describeOtherPlan({ elsewhere = [] }: History, rev: number): string | undefined {
  const other = elsewhere.find((each) => each.rev === rev)?.plan;
  return other && [`plan ${other.number}`, describeOwner(other)].filter(Boolean).join(' of ');
}

export function listRows({ revisions, base }: History): HistoryRow[] {
  const spaces = { ...base };
  return revisions.map(({ content, id: _, parentId: __, ...rest }) => {
    const before = spaces[rest.space];
    spaces[rest.space] = content;
    const characters = countCharacters(content);
    const [linesBefore, lines] = [listLines(before), listLines(content)];
    const unnumberedBefore = new Set(linesBefore.map(stripNumber));
    const unnumbered = new Set(lines.map(stripNumber));

    return {
      ...rest,
      ofOp: rest.of === undefined ? undefined : revisions.find(({ rev }) => rev === rest.of)?.op,
      characters,
      delta: characters - countCharacters(before),
      added: lines.filter((line) => !unnumberedBefore.has(stripNumber(line))),
      removed: linesBefore.filter((line) => !unnumbered.has(stripNumber(line))),
    };
  });
}

/** A step that others have renumbered is the same step. */
const stripNumber = (line: string): string => line.replace(/^\s*\d+[.)]\s+/, '');

export function summarizeChange({ op, ofOp = op, space, plan, added, removed, delta }: HistoryRow): string {
  if (ofOp === 'take')
    return [`plan ${plan?.number ?? 1}`, describeOwner(plan ?? {})].filter(Boolean).join(' to ');

  const [sign, lines] = added.length > 0 ? ['+', added] : ['-', removed];
  const [first] = lines;
  if (first === undefined)
    return delta === 0 ? 'the same lines in another order' : `${formatThousands(delta)} characters`;

  const more = lines.length - 1;
  // A ref has a bullet in the file, which would look like a second sign in a list of changes.
  const words = abbreviate(space === 'refs' ? first.replace(/^\s*[-*+]\s+/, '') : first);
  return `${sign} ${words}${more > 0 ? ` (and ${more} more)` : ''}`;
}

const listLines = (content: string): string[] => content.split('\n').filter((line) => line.trim() !== '');

/** The author of a revision in a word or two: `claude-code 7c1f0a52`, `by hand`, `sam`. */
export function formatAuthor({ by, actor }: Pick<Revision, 'by' | 'actor'>): string {
  if (by === 'edit') return 'by hand';
  if (by === 'git') return 'by git';
  if (by === 'merge') return 'by hand, merged';

  const { agent, session, user } = actor ?? {};
  if (by === 'pane') return user === undefined ? 'the pane' : `${user} in the pane`;
  if (agent) return session === undefined ? agent : `${agent} ${abbreviateSession(session)}`;

  return (
    {
      cli: user ?? 'command',
      library: 'library',
      tool: 'tool',
      restore: 'session restore',
      remote: user ?? 'another machine',
    }[by] ?? by
  );
}
