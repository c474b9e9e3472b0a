import { join } from 'node:path';
import { DATA_DIR, tryReadJson, tryStat, writeAtomically } from '../base/fs/index.ts';
import { isObject } from '../base/text/json.ts';
import { cures } from '../transcript/calls/index.ts';
import { type Did, itemsOf, type SessionRecord } from '../transcript/record.ts';

/** A program or a tool that does not work in this workspace. */
export interface Failing {
  program: string;
  why: string;
  /** The sessions in which it failed, the newest last. */
  sessions: string[];
  /** When it last did, ISO 8601. */
  at: string;
  /** What worked in its place. */
  cure?: string;
}

const VERSION = 1;
const MOST = 40;
const MOST_SAID = 5;
/** Seen in so many sessions it is the environment, and not a slip. */
const SESSIONS = 2;

const fileOf = (root: string): string => join(root, DATA_DIR, 'fails.json');

function read(root: string): Failing[] {
  const value = tryReadJson(fileOf(root), 'cache');
  if (!isObject(value) || value.version !== VERSION || !Array.isArray(value.failing)) return [];
  return value.failing.filter(
    (one): one is Failing =>
      isObject(one) &&
      typeof one.program === 'string' &&
      typeof one.why === 'string' &&
      typeof one.at === 'string' &&
      Array.isArray(one.sessions),
  );
}

/** Learns from a session which programs fail here, and which work. Written only if something is new. */
export function learnFailing(root: string, session: string, record: SessionRecord): void {
  const done = itemsOf(record).filter((item): item is Did => item.type === 'did');
  if (!done.some(({ facts }) => facts.failed !== undefined)) return;
  const known = new Map(read(root).map((one) => [one.program, one]));
  const before = JSON.stringify([...known.values()]);
  for (const { facts, timestamp = '' } of done) {
    const { failed, worked } = facts;
    if (failed !== undefined) {
      const earlier = known.get(failed.program);
      const sessions = [...(earlier?.sessions ?? []).filter((id) => id !== session), session].slice(-4);
      known.set(failed.program, {
        ...earlier,
        program: failed.program,
        why: failed.why,
        sessions,
        at: timestamp,
      });
    } else {
      for (const form of worked ?? []) known.delete(form);
      for (const one of known.values()) {
        const cure = (worked ?? []).find((form) => cures(form, one.program));
        if (cure !== undefined && one.sessions.includes(session) && one.at <= timestamp) one.cure ??= cure;
      }
    }
  }
  const failing = [...known.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MOST);
  if (JSON.stringify(failing) === before || tryStat(join(root, DATA_DIR)) === undefined) return;
  writeAtomically(fileOf(root), JSON.stringify({ version: VERSION, failing }), {
    mode: 0o600,
    durable: false,
  });
}

/** What fails here, newest first: seen in two sessions, or in one with what works in its place. */
export const failingHere = (root: string): Failing[] =>
  read(root)
    .filter(({ sessions }) => sessions.length >= SESSIONS)
    .slice(0, MOST_SAID);
