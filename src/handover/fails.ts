import { join } from 'node:path';
import { DATA_DIR, tryStat, writeAtomically } from '../base/fs/index.ts';
import { list, number, readOwn, record, text } from '../base/fs/own.ts';
import { cureIn } from '../transcript/calls/index.ts';
import { type Did, itemsOf, type SessionRecord } from '../transcript/record.ts';

const SHAPE = record(
  { version: number },
  { failing: list(record({ program: text, why: text, sessions: list(text), at: text }, { cure: text })) },
);

/**
 * A program or a tool that does not work in this workspace: the sessions in which it failed, the newest last, when it
 * last did (ISO 8601), and what worked in its place.
 */
export interface Failing {
  program: string;
  why: string;
  sessions: string[];
  at: string;
  cure?: string;
}

const VERSION = 1;
const MOST = 40;
const MOST_SAID = 5;
/** Seen in so many sessions it is the environment, and not a slip. */
const SESSIONS = 2;

const fileOf = (root: string): string => join(root, DATA_DIR, 'fails.json');

function read(root: string): Failing[] {
  const { version, failing = [] } = readOwn(fileOf(root), 'cache', SHAPE) ?? {};
  return version === VERSION ? failing : [];
}

/** Learns from a session which programs fail here, and which work. Written only if something is new. */
export function learnFailing(root: string, session: string, of: SessionRecord): void {
  const done = itemsOf(of).filter((item): item is Did => item.type === 'did');
  if (!done.some(({ facts }) => facts.failed !== undefined)) return;
  const known = new Map(read(root).map((one) => [one.program, one]));
  const before = JSON.stringify([...known.values()]);
  for (const { facts, timestamp = '' } of done) {
    const { failed, worked } = facts;
    if (failed !== undefined) {
      const earlier = known.get(failed.program);
      const sessions = [...(earlier?.sessions ?? []).filter((id) => id !== session), session].slice(-4);
      known.set(failed.program, { ...earlier, ...failed, sessions, at: timestamp });
    } else {
      for (const one of known.values()) {
        const works = (worked ?? []).map((form) => cureIn(form, one.program));
        const cure = works.find((form) => form !== undefined);
        if (works.includes(one.program)) known.delete(one.program);
        else if (cure !== undefined && one.sessions.includes(session) && one.at <= timestamp)
          one.cure ??= cure;
      }
    }
  }
  const failing = [...known.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MOST);
  if (JSON.stringify(failing) === before || tryStat(join(root, DATA_DIR)) === undefined) return;
  const json = JSON.stringify({ version: VERSION, failing });
  writeAtomically(fileOf(root), json, { mode: 0o600, durable: false });
}

export const failingHere = (root: string): Failing[] =>
  read(root)
    .filter(({ sessions }) => sessions.length >= SESSIONS)
    .slice(0, MOST_SAID);
