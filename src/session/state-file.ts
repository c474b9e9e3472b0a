import { join } from 'node:path';
import { exists } from '../base/fs/index.ts';
import {
  list,
  makeNullable,
  makeUnion,
  number,
  record,
  text,
  truth,
  type ValueOf,
} from '../base/fs/json-shape.ts';
import { formatShortDuration } from '../base/text/durations.ts';
import { readSealed, writeSealed } from '../base/trust/index.ts';
import { setFrontMatter, setRegion } from '../pad/edit.ts';
import { type CurrentFacts, isOutdated, renderState } from '../pad/sections.ts';
import { type FileStamp, readEditedLifetime } from '../pad/stamp.ts';
import type { SessionPaths } from './workspace.ts';

/** Result of a stage. `stale`: the stage failed, and its last good section is shown while that is fresh. */
export type StageStatus = 'ok' | 'stale' | 'skipped' | 'failed';

const STATUS = makeUnion<StageStatus>('ok', 'stale', 'skipped', 'failed');
const LINE = record({ text }, { step: text, ofSpaces: truth, branch: text });
/** `since`: the time of a section that is older than the state. */
const SECTION = record({ id: text, title: text, lines: list(LINE) }, { since: text });
const RUN = record({
  source: makeNullable(text),
  messages: number,
  skipped: list(record({ reason: text, count: number })),
  stages: list(record({ id: text, status: STATUS, dropped: number }, { reason: text })),
});
/** Times in ISO 8601 with offset. */
const STATE = record({ updated: text, expires: text, ttlMs: number, sections: list(SECTION) }, { run: RUN });

export type KeptSection = ValueOf<typeof SECTION>;

/** How the state was assembled, for `status`; it has no mood, and no words of a person. */
export type StateRun = ValueOf<typeof RUN>;

/** What is wrong with each section that is not whole: it failed, is stale, or could not read an input. */
export const listFaults = (stages: StateRun['stages']): { fault: string; reason: string }[] =>
  stages.flatMap(({ id, status, reason = '' }) => {
    const isFaulty = ['failed', 'stale'].includes(status) || (status === 'ok' && reason !== '');
    return isFaulty ? { fault: `${id} ${status === 'ok' ? 'incomplete' : status}`, reason } : [];
  });

/**
 * The state as it was assembled last. It is newer than the block in SCRATCHPAD.md, which is rendered from it at the
 * end of a turn, so that an open editor is not warned at each prompt.
 */
export type KeptState = ValueOf<typeof STATE>;

export const getStateFile = ({ dir }: SessionPaths): string => join(dir, 'state.json');
const PURPOSE = 'state.json';

/**
 * Keeps the state beside the journal. Losing it costs one assembly, so nothing is flushed.
 * @returns false if there is no session to keep it with
 */
export function keepState(paths: SessionPaths, state: KeptState, env: NodeJS.ProcessEnv): boolean {
  if (!exists(paths.dir)) return false;
  writeSealed(getStateFile(paths), PURPOSE, state, { durable: false }, env);
  return true;
}

/** The state that was kept here; `undefined` if there is none, or it came from elsewhere. */
export const readKeptState = (paths: SessionPaths, env: NodeJS.ProcessEnv): KeptState | undefined =>
  STATE(readSealed(getStateFile(paths), PURPOSE, env));

/** The state with the lifetime that a person has given it in the file's front matter. */
export function withStamp(state: KeptState, stamp: FileStamp | undefined): KeptState {
  const ttlMs = readEditedLifetime(state, stamp);
  if (ttlMs === state.ttlMs) return state;

  // The expiry has the offset from UTC of the time at which the state was assembled.
  const [offset = 'Z'] = /[+-]\d\d:\d\d$/.exec(state.updated) ?? [];
  const offsetMs = offset === 'Z' ? 0 : -Date.parse(`1970-01-01T00:00:00${offset}`);
  const local = new Date(Date.parse(state.updated) + ttlMs + offsetMs).toISOString();
  return { ...state, ttlMs, expires: `${local.slice(0, 19)}${offset}` };
}

/**
 * A state without the lines that the plan, the branch or a change of the spaces has outdated.
 * @param changedAt when the spaces were changed last, epoch milliseconds
 */
export function refreshState(
  state: KeptState,
  now: Omit<CurrentFacts, 'changed'> & { changedAt: number },
): KeptState {
  // The state's own time has whole seconds.
  const changed = now.changedAt >= Date.parse(state.updated) + 1000;
  const sections = state.sections.map((section) => ({
    ...section,
    lines: section.lines.filter((line) => !isOutdated(line, { ...now, changed })),
  }));

  return { ...state, sections };
}

/** A pad's text with a state: rendered from its sections, never read back. */
export function withState(text: string, { updated, expires, ttlMs, sections }: KeptState): string {
  const fields = new Map<string, string | null>([
    ['updated', updated],
    ['ttl', formatShortDuration(ttlMs)],
    ['expires', expires],
  ]);

  const block = setRegion(text, 'state', renderState(sections, { updated, ttlMs }));
  return setFrontMatter(block, fields);
}
