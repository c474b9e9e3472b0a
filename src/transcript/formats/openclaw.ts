import { join, resolve } from 'node:path';
import { ScratchpadError } from '../../base/errors.ts';
import { exists, tryList, tryReadJson } from '../../base/fs/index.ts';
import { isObject, type JsonObject, numberAt, textAt } from '../../base/text/json.ts';
import { isoTime } from '../content.ts';
import type { Format } from '../event.ts';
import { filesIn, type Home, type Search, type SessionFile, type Surroundings } from '../home.ts';
import { piFormat } from './pi.ts';

/** OpenClaw: the database of each agent, or if none can be read its session files. */
const openClawHome: Home = {
  async sessions(search) {
    const state = stateOf(search);
    const found: SessionFile[] = [];
    for (const agent of tryList(join(state, 'agents'))) {
      const home = agent === 'main' ? join(state, 'workspace') : join(state, `workspace-${agent}`);
      const owns = (cwd: string | undefined): boolean => search.match.owns(cwd ?? home);
      const database = join(state, 'agents', agent, 'agent', 'openclaw-agent.sqlite');
      const kept = exists(database) ? await inDatabase(database, search, owns) : undefined;
      found.push(...(kept ?? inFiles(join(state, 'agents', agent, 'sessions'), owns)));
    }
    return found;
  },
  places: (search) => [
    {
      root: join(stateOf(search), 'agents'),
      folder: (parts) =>
        parts.length === 1 || (parts.length === 2 && (parts[1] === 'agent' || parts[1] === 'sessions')),
      file: (name, parts) => parts.length === 2 && /\.jsonl$|^sessions\.json$|\.sqlite(?:-wal)?$/.test(name),
    },
  ],
};

/** OpenClaw: sessions in a database, or in files of pi's format, whose records are recognized as pi's. */
export const openClawFormat: Format = {
  ...piFormat,
  name: 'openclaw',
  title: 'OpenClaw database (SQLite)',
  recognises: () => false,
  home: openClawHome,
};

/** Sessions without a person, by their key without `agent:<id>:`. */
const UNATTENDED = /^(?:cron|hook|heartbeat|subagent|acp)(?::|$)|:(?:cron|heartbeat|subagent)(?::|$)/;

/** Whether a key belongs to a session that a timer, a hook or another agent started. */
export const isUnattended = (key: string): boolean => UNATTENDED.test(key.replace(/^agent:[^:]*:/, ''));

const HOST = 'openclaw';
/** Copies that OpenClaw keeps beside its sessions. */
const ASIDE = /\.(trajectory|checkpoint|reset|bak|deleted)\b/;

const stateOf = ({ env, home }: Surroundings): string => env.OPENCLAW_STATE_DIR || join(home, '.openclaw');

async function inDatabase(
  path: string,
  search: Search,
  owns: SessionFile['owns'],
): Promise<SessionFile[] | undefined> {
  try {
    const { listOpenClawSessions } = await import('./openclaw-sqlite.ts');
    return (await listOpenClawSessions(path)).map((ref) => ({ ...ref, owns, isListed: true }));
  } catch (error) {
    if (!(error instanceof ScratchpadError)) throw error;
    search.onProblem(error);
    return undefined;
  }
}

function inFiles(folder: string, owns: SessionFile['owns']): SessionFile[] {
  const index = tryReadJson(join(folder, 'sessions.json'), 'host');
  if (!isObject(index))
    return filesIn(folder, (name) => name.endsWith('.jsonl') && !ASIDE.test(name), owns, HOST);
  return Object.entries(index).flatMap(([key, entry]) =>
    !isObject(entry) || isUnattended(key) || entry.archivedAt !== undefined
      ? []
      : indexed(folder, entry, owns),
  );
}

/**
 * A session listed in `sessions.json`: heartbeats change the file's time, so the time of the person's last
 * message counts.
 */
function indexed(folder: string, entry: JsonObject, owns: SessionFile['owns']): SessionFile[] {
  const id = textAt(entry, 'sessionId');
  if (id === undefined || /[/\\]/.test(id)) return [];
  const path = resolve(folder, textAt(entry, 'sessionFile') ?? `${id}.jsonl`);
  const lastActive = isoTime(numberAt(entry, 'lastInteractionAt') ?? numberAt(entry, 'updatedAt'));
  return [{ path, host: HOST, owns, id: lastActive && id, lastActive }];
}
