import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ScratchpadError } from '../../errors.ts';
import { isObject, type JsonObject, numberAt, textAt } from '../json.ts';
import { isoTime } from '../time.ts';
import { type Candidate, fileCandidate, type Home, namesIn, type Search } from './host.ts';
import { isUnattended } from './openclaw-keys.ts';

/** Copies that OpenClaw keeps beside its sessions. */
const ASIDE = /\.(trajectory|checkpoint|reset|bak|deleted)\b/;

export const openClawState = ({ env, home }: Home): string =>
  env.OPENCLAW_STATE_DIR || join(home, '.openclaw');

/** OpenClaw: the database of each agent, or where there is none that can be read, its session files. */
export async function openClawSessions(search: Search): Promise<Candidate[]> {
  const state = openClawState(search);
  const found: Candidate[] = [];
  for (const agent of namesIn(join(state, 'agents'))) {
    const home = agent === 'main' ? join(state, 'workspace') : join(state, `workspace-${agent}`);
    const belongs = (cwd: string | undefined): boolean => search.match.owns(cwd ?? home);
    const database = join(state, 'agents', agent, 'agent', 'openclaw-agent.sqlite');
    const kept = existsSync(database) ? await inDatabase(database, search, belongs) : undefined;
    found.push(...(kept ?? inFiles(join(state, 'agents', agent, 'sessions'), belongs)));
  }
  return found;
}

async function inDatabase(
  path: string,
  search: Search,
  belongs: (cwd: string | undefined) => boolean,
): Promise<Candidate[] | undefined> {
  try {
    const { listOpenClawSessions } = await import('../formats/openclaw-sqlite.ts');
    return (await listOpenClawSessions(path)).map((ref) => ({
      changedMs: Date.parse(ref.lastActive),
      confirm: () => (belongs(ref.cwd) ? ref : undefined),
    }));
  } catch (error) {
    if (!(error instanceof ScratchpadError)) throw error;
    search.onProblem(error);
    return undefined;
  }
}

function inFiles(folder: string, belongs: (cwd: string | undefined) => boolean): Candidate[] {
  const index = readIndex(join(folder, 'sessions.json'));
  const candidates: Array<Candidate | undefined> = [];
  if (index === undefined) {
    for (const name of namesIn(folder)) {
      if (!name.endsWith('.jsonl') || ASIDE.test(name)) continue;
      candidates.push(fileCandidate('openclaw', join(folder, name), belongs));
    }
    return candidates.filter((candidate) => candidate !== undefined);
  }
  for (const [key, entry] of Object.entries(index)) {
    if (!isObject(entry) || isUnattended(key) || entry.archivedAt !== undefined) continue;
    candidates.push(indexed(folder, entry, belongs));
  }
  return candidates.filter((candidate) => candidate !== undefined);
}

/** A session named in `sessions.json`: heartbeats move the file's time, so the time of the human counts. */
function indexed(
  folder: string,
  entry: JsonObject,
  belongs: (cwd: string | undefined) => boolean,
): Candidate | undefined {
  const id = textAt(entry, 'sessionId');
  if (id === undefined || /[/\\]/.test(id)) return undefined;
  const path = resolve(folder, textAt(entry, 'sessionFile') ?? `${id}.jsonl`);
  const candidate = fileCandidate('openclaw', path, belongs);
  const spoken = numberAt(entry, 'lastInteractionAt') ?? numberAt(entry, 'updatedAt');
  const lastActive = isoTime(spoken);
  if (candidate === undefined || lastActive === undefined) return candidate;
  return {
    changedMs: Date.parse(lastActive),
    confirm() {
      const ref = candidate.confirm();
      return ref === undefined ? undefined : { ...ref, id, lastActive };
    },
  };
}

function readIndex(path: string): JsonObject | undefined {
  try {
    const index: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(index) ? index : undefined;
  } catch {
    return undefined;
  }
}
