import { dirname } from 'node:path';
import { messageOf } from '../errors.ts';
import { type GitPlace, gitPlace } from '../git/place.ts';
import { counted } from '../text/counts.ts';
import { readEvents } from '../transcript/read-events.ts';
import { commitsSince, committedSince } from './committed.ts';
import { type Fact, KINDS, type Kind } from './fact.ts';
import { type Fold, factsOf, newFold, take } from './fold.ts';
import { type Before, OLDEST_MS, withEarlier } from './last.ts';
import { lastSessions, ownRecord, type TrailOptions } from './records.ts';
import { keepTrails, readTrail, type TrailRecord, writeTrail } from './store.ts';

/**
 * Facts from a session's own records, or from those of the last session on this branch if this one has only started.
 */
export interface Trail {
  /** The source of the facts. */
  from: 'session' | 'last session' | 'nothing';
  /** Id of the session that the facts come from. */
  session: string | undefined;
  branch: string | undefined;
  /** Time of its last event, epoch milliseconds. */
  updated: number | undefined;
  /** Whether the host has reported that session's end. */
  ended: boolean;
  /** Time of the request, epoch milliseconds. */
  now: number;
  facts: Fact[];
  /** The underlying state, for choosing lines. */
  fold: Fold;
  /** Unreadable inputs, in words for a person. */
  problems: string[];
}

/**
 * The trail of a session, updated with new lines of the session file. Never throws for an unreadable file:
 * `problems` names it, and the known facts are returned.
 */
export async function openTrail(options: TrailOptions): Promise<Trail> {
  const problems: string[] = [];
  const own = await ownRecord(options, problems);
  const fresh = own === undefined || own.fold.course.turn === 0;
  const here = gitPlace(options.cwd ?? options.root);
  const course = own?.fold.course;
  const before =
    fresh || options.withBefore
      ? await lastSessions(
          options,
          [own?.session, options.session, options.transcript],
          problems,
          fresh ? undefined : course?.began,
        )
      : NOTHING_BEFORE;
  const left = withEarlier(before, here !== undefined);
  const last = fresh ? before.records[0] : undefined;
  const record = last ?? own;
  const fold = (fresh ? left : undefined) ?? own?.fold ?? newFold(options.root);
  const kinds = new Set<string>(options.config.trail.kinds.length > 0 ? options.config.trail.kinds : KINDS);
  const forgotten = new Set([own, ...before.spoken].flatMap((one) => one?.forgotten ?? []));
  let facts: Fact[] = [];
  try {
    facts = record === undefined ? [] : factsOf(fold);
    const [said] = before.records;
    if (!fresh && left !== undefined && said !== undefined)
      facts = byKind([...facts, ...toldBefore(facts, factsOf(left), said)]);
  } catch (error) {
    // A stored file with inconsistent content.
    problems.push(`the stored trail is unusable: ${messageOf(error)}`);
  }
  if (here !== undefined) {
    const edits = facts
      .filter(({ kind }) => kind === 'edited')
      .map(({ text, time }) => ({ path: text, ...(time !== undefined && { time }) }));
    const gone = committedSince(edits, fold.course.root, here);
    facts = facts.map((fact) =>
      fact.kind === 'edited' && gone.has(fact.text) ? { ...fact, open: false } : fact,
    );
    facts = withCommits(facts, here);
  }
  facts = facts.map((fact) =>
    hasEnded(fact, last !== undefined, options.now) ? { ...fact, open: false } : fact,
  );
  // The model of a new session has seen none of the last one.
  if (last !== undefined) facts = facts.map((fact) => ({ ...fact, far: true }));
  // Edits on another machine are not open in this work tree.
  if (record?.machine !== undefined) facts = facts.filter(({ kind }) => kind !== 'edited');
  return {
    from:
      record === undefined || record.fold.course.turn === 0
        ? 'nothing'
        : record === own
          ? 'session'
          : 'last session',
    session: record?.session,
    branch: options.branch ?? here?.branch,
    updated: record?.updated,
    ended: record?.ended === true,
    now: options.now,
    facts: facts.filter((fact) => kinds.has(fact.kind) && !forgotten.has(fact.id)),
    fold,
    problems,
  };
}

/** A failed check and its failures, with the number of commits since that are not the agent's. */
function withCommits(facts: readonly Fact[], here: GitPlace): Fact[] {
  const check = facts.find(({ kind }) => kind === 'check');
  if (check?.time === undefined || !check.text.includes('failed')) return [...facts];
  const { time } = check;
  const own = facts.filter((fact) => fact.kind === 'commit' && (fact.time ?? '') > time).length;
  const count = commitsSince(time, here) - own;
  if (count <= 0) return [...facts];
  return facts.map((fact) =>
    fact === check || fact.kind === 'failing'
      ? { ...fact, commitsSince: count, why: `${fact.why}; ${counted(count, 'commit')} by others since` }
      : fact,
  );
}

const NOTHING_BEFORE: Before = { records: [], spoken: [] };

/** Where a session has facts of one of these, those before it are no longer true. */
const REPLACED: Readonly<Partial<Record<Kind, Kind>>> = { failing: 'check' };
/** Too many to list again: what was used then is not what is used now. */
const NOT_AGAIN: ReadonlySet<Kind> = new Set(['file', 'command', 'commit', 'reference']);

/** The facts with which a session began, as far as it has none of its own in their place. */
function toldBefore(own: readonly Fact[], before: readonly Fact[], { session }: TrailRecord): Fact[] {
  const ids = new Set(own.map(({ id }) => id));
  const kinds = new Set(own.filter(({ session: from }) => from === undefined).map(({ kind }) => kind));
  return before
    .filter(
      ({ id, kind, open, standing, until }) =>
        open &&
        !ids.has(id) &&
        !NOT_AGAIN.has(kind) &&
        (kind === 'instruction'
          ? standing === true || until !== undefined
          : kind === 'edited' || !kinds.has(REPLACED[kind] ?? kind)),
    )
    .map((fact) => ({ session, ...fact }));
}

const byKind = (facts: readonly Fact[]): Fact[] =>
  facts.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));

/** An instruction ends at its day; a ban for one session does not apply to the next, nor any after two weeks. */
function hasEnded({ kind, standing, until, time = '' }: Fact, isOver: boolean, now: number): boolean {
  if (kind !== 'instruction') return false;
  if (until !== undefined && Date.parse(until) < now) return true;
  return isOver && ((standing !== true && until === undefined) || Date.parse(time) < now - OLDEST_MS);
}

/**
 * The trail of one session file, relative to the directory it ran in. Nothing is stored, so that no later session takes
 * it for its own past.
 * @throws ScratchpadError if the file cannot be read
 */
export async function trailOf(transcript: string, now: number): Promise<Trail> {
  const { events } = await readEvents(transcript, { session: transcript });
  const place = events.find((event) => event.type === 'facts');
  const fold = newFold(place?.cwd ?? dirname(transcript));
  take(fold, events);
  const { branch, time, turn } = fold.course;
  return {
    from: turn === 0 ? 'nothing' : 'session',
    session: transcript,
    branch,
    updated: time === undefined ? undefined : Date.parse(time),
    ended: false,
    now,
    facts: factsOf(fold),
    fold,
    problems: [],
  };
}

/**
 * Hides facts from now on, in a session's trail and in those of the sessions they come from. A trail that was not stored
 * before is stored from here on.
 */
export async function forget(options: TrailOptions, session: string, facts: readonly Fact[]): Promise<void> {
  const { root } = options;
  keepTrails(root);
  if (readTrail(root, session) === undefined) await openTrail(options);
  const ids = facts.map(({ id }) => id);
  for (const one of new Set([session, ...facts.flatMap((fact) => fact.session ?? [])])) {
    const record = readTrail(root, one);
    if (record !== undefined)
      writeTrail(root, { ...record, forgotten: [...new Set([...record.forgotten, ...ids])].slice(-400) });
  }
}

/** The kinds of facts for settings. */
export function isKind(name: string): name is Kind {
  return KINDS.some((kind) => kind === name);
}

/** The current work of a session, by its own records. */
export interface Work {
  text: string;
  from: 'task' | 'plan';
  why: string;
}

/** The task in progress, else the approved plan. A branch's name alone does not show the current work. */
export function workingOn({ facts }: Pick<Trail, 'facts'>): Work | undefined {
  const open = facts.filter((fact) => fact.open);
  const task = open.find(({ kind, text }) => kind === 'task' && text.startsWith('in progress: '));
  if (task !== undefined)
    return { text: task.text.replace('in progress: ', ''), from: 'task', why: task.why };
  const plan = open.find(({ kind }) => kind === 'plan');
  return plan && { text: plan.text, from: 'plan', why: plan.why };
}
