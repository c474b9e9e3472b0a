import { join, resolve } from 'node:path';
import { ScratchpadError } from '../base/errors.ts';
import { exists, tryList, tryReadJson, tryReadText } from '../base/fs/index.ts';
import { DAY_MS } from '../base/text/durations.ts';
import { getNumber, getString, isObject } from '../base/text/json.ts';
import { hashSha256 } from '../base/trust/seal.ts';
import { isUnattended, parseIsoTime } from './content.ts';
import { readStartFolder } from './started-in.ts';

export interface Search {
  /** Paths of the workspace: as given, and with symbolic links resolved. */
  names: readonly string[];
  /** Whether a directory is the workspace, or inside it and not a project of its own. */
  owns(cwd: string | undefined): boolean;
  env: NodeJS.ProcessEnv;
  home: string;
  onProblem: (problem: ScratchpadError) => void;
}

export interface SessionFile {
  path: string;
  /** The host's name, if it is not that of the format. */
  host?: string;
  owns: Search['owns'];
  id?: string;
  chat?: string;
  lastActive?: string;
  cwd?: string;
  /** The host's index does not have the session: it was ended by `/new`, or started by a timer. */
  unlisted?: true;
  /** The session is in a database whose list has all its facts. */
  isListed?: true;
}

export interface Home {
  root(search: Search): string;
  /**
   * Whether a folder below the root may hold sessions of the workspace, by the names of its path components.
   * @param watched only if new ones may be created there
   */
  folder(parts: readonly string[], search: Search, watched?: boolean): boolean;
  file(name: string): boolean;
  /** Each project has a folder that is named by its path. */
  isNamedByPath?: true;
  /** Replaces `Search.owns` where the files name no directory. */
  owns?: Search['owns'];
  /** Lists candidates other than the files in those folders. */
  sessions?(search: Search): Promise<SessionFile[]>;
}

/** Most folders of projects to search where a link may name the workspace. */
const MOST_FOLDERS = 300;
/** Most files of a host that keeps those of all projects together, newest first. */
const MOST_FILES = 3000;

export async function listSessions(home: Home, search: Search): Promise<SessionFile[]> {
  if (home.sessions !== undefined) return home.sessions(search);

  const owns = home.owns ?? search.owns;
  const listBelow = (
    parts: readonly string[],
    isWanted: (parts: readonly string[]) => boolean,
  ): SessionFile[] => {
    const folder = join(home.root(search), ...parts);
    const files: SessionFile[] = [];

    for (const name of tryList(folder).sort().reverse()) {
      if (files.length >= MOST_FILES) break;
      if (home.file(name)) files.push({ path: join(folder, name), owns });
      else if (isWanted([...parts, name])) files.push(...listBelow([...parts, name], isWanted));
    }

    return files;
  };

  const found = listBelow([], (parts) => home.folder(parts, search));
  if (found.length > 0 || home.isNamedByPath !== true) return found;

  // A link may have given the workspace another name when the host was started: a session in the folder shows it.
  const names = tryList(home.root(search)).slice(0, MOST_FOLDERS);

  return names.flatMap((name) => {
    const files = listBelow([name], () => false);
    const [first] = files;
    return first !== undefined && owns(readStartFolder(first.path)) ? files : [];
  });
}

/** A folder for each project, named by its path: all but letters and digits become dashes, and a long name is cut. */
const claude: Home = {
  root: ({ env, home }) => join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects'),
  folder: ([project = '', below], { names }) =>
    below === undefined &&
    names.some((workspace) => {
      const name = workspace.replace(/[^a-zA-Z0-9]/g, '-');
      const isCut = name.length > 200 && project.startsWith(name.slice(0, 200));
      return project === name || project.startsWith(`${name}-`) || isCut;
    }),
  file: (name) => name.endsWith('.jsonl') && !name.startsWith('agent-'),
  isNamedByPath: true,
};

/** A session older than this is watched only if it is the active one. */
const WATCHED_MS = 2 * DAY_MS;

/** Codex keeps the rollouts of all projects by day; archived ones are elsewhere and are left out. */
const codex: Home = {
  root: ({ env, home }) => join(env.CODEX_HOME || join(home, '.codex'), 'sessions'),
  folder(parts, _, watched = false) {
    if (parts.length > 3 || !parts.every((part) => /^\d{2,4}$/.test(part))) return false;
    const oldest = new Date(Date.now() - WATCHED_MS).toISOString().slice(0, 10).split('-');
    return !watched || parts.join('-') >= oldest.slice(0, parts.length).join('-');
  },
  file: (name) => name.startsWith('rollout-') && name.endsWith('.jsonl'),
};

/**
 * Gemini CLI keeps chats in a folder per project. Its name is the SHA-256 of the project's path, or since
 * 2026 a short name that a file in the folder maps to the path.
 */
const gemini: Home = {
  root: ({ env, home }) => join(env.GEMINI_CLI_HOME || home, '.gemini', 'tmp'),
  folder([project = '', chats = 'chats', below], search) {
    if (below !== undefined || chats !== 'chats') return false;
    const { names, owns } = search;
    const path = tryReadText(join(gemini.root(search), project, '.project_root'), 'host')?.trim();
    return names.some((name) => project === hashSha256(name)) || owns(path || undefined);
  },
  file: (name) => /^session-.*\.jsonl?$/.test(name),
  // Older files do not name a directory; the folder is enough.
  owns: () => true,
};

/** The database of each agent, or its session files if no database can be read. */
const openClaw: Home = {
  root: ({ env, home }) => join(env.OPENCLAW_STATE_DIR || join(home, '.openclaw'), 'agents'),
  folder: ([, kind = 'agent', below]) => below === undefined && (kind === 'agent' || kind === 'sessions'),
  file: (name) => /\.jsonl$|^sessions\.json$|\.sqlite(?:-wal)?$/.test(name),
  async sessions(search) {
    const found: SessionFile[] = [];
    const root = openClaw.root(search);

    for (const agent of tryList(root)) {
      const workspace = resolve(root, '..', agent === 'main' ? 'workspace' : `workspace-${agent}`);
      const ownsDirectory = (cwd: string | undefined): boolean => search.owns(cwd ?? workspace);
      const database = join(root, agent, 'agent', 'openclaw-agent.sqlite');
      const files =
        (await readListed(database, search, (from) => from.listOpenClawSessions(database))) ??
        readIndexed(join(root, agent, 'sessions'));
      found.push(...files.map((file) => ({ ...file, owns: ownsDirectory, host: 'openclaw' })));
    }

    return found;
  },
};

async function readListed(
  path: string,
  search: Search,
  list: (databases: typeof import('./formats/databases.ts')) => Promise<Omit<SessionFile, 'owns'>[]>,
): Promise<Omit<SessionFile, 'owns'>[] | undefined> {
  if (!exists(path)) return undefined;
  try {
    const listed = await list(await import('./formats/databases.ts'));
    return listed.map((session) => ({ ...session, isListed: true }));
  } catch (error) {
    if (!(error instanceof ScratchpadError)) throw error;
    search.onProblem(error);
    return undefined;
  }
}

/** Names of copies that OpenClaw keeps beside its sessions. */
const COPY = /\.(trajectory|checkpoint|reset|bak|deleted)\b/;

/**
 * The session files in a folder of OpenClaw. For those in `sessions.json`, which has only the newest session of each key,
 * the time of the person's last message counts, because heartbeats change the time of a file.
 */
function readIndexed(folder: string): Omit<SessionFile, 'owns'>[] {
  const index = tryReadJson(join(folder, 'sessions.json'), 'host');
  const isSession = (name: string): boolean => name.endsWith('.jsonl') && !COPY.test(name);
  if (!isObject(index)) return listFiles(folder, isSession).map((path) => ({ path }));

  const listed = new Set<string>();
  const indexed = Object.entries(index).flatMap(([key, entry]) => {
    if (!isObject(entry)) return [];

    const id = getString(entry, 'sessionId') ?? '/';
    if (/[/\\]/.test(id)) return [];

    // The path may be of the machine that the folder was copied from.
    const file = getString(entry, 'sessionFile') ?? '';
    const names = [file, file.replace(/^.*[/\\]/s, ''), `${id}.jsonl`].filter((name) => name !== '');
    const path = names.map((name) => resolve(folder, name)).find(exists);
    const lastActive = parseIsoTime(getNumber(entry, 'lastInteractionAt') ?? getNumber(entry, 'updatedAt'));

    if (path !== undefined) listed.add(path);
    if (path === undefined || isUnattended(key) || entry.archivedAt !== undefined) return [];

    return [{ path, id: lastActive && id, chat: key, lastActive }];
  });
  const others = listFiles(folder, isSession).filter((path) => !listed.has(path));

  return [...indexed, ...others.map((path) => ({ path, unlisted: true as const }))];
}

/** `~/.pi/agent/sessions/--path-with-dashes--/*.jsonl` */
const pi: Home = {
  root: ({ env, home }) => join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions'),
  folder: ([project = '', below], { names }) =>
    below === undefined &&
    names.some((name) => project.startsWith(`--${name.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}-`)),
  file: (name) => name.endsWith('.jsonl'),
  isNamedByPath: true,
};

/** `~/.copilot/session-state/ID/events.jsonl` */
const copilot: Home = {
  root: ({ env, home }) => join(env.COPILOT_HOME || join(home, '.copilot'), 'session-state'),
  folder: ([, below]) => below === undefined,
  file: (name) => name === 'events.jsonl',
};

/** `~/.qwen/projects/SLUG/chats/ID.jsonl` */
const qwen: Home = {
  root: ({ home }) => join(home, '.qwen', 'projects'),
  folder: ([project = '', chats = 'chats', below], search) =>
    below === undefined && chats === 'chats' && claude.folder([project], search),
  file: (name) => name.endsWith('.jsonl'),
};

/** `~/.factory/sessions/SLUG/ID.jsonl` */
const droid: Home = {
  root: ({ home }) => join(home, '.factory', 'sessions'),
  folder: (parts, search) => claude.folder(parts, search),
  file: (name) => name.endsWith('.jsonl'),
};

/** `~/.local/share/opencode/opencode.db`, and the same of Kilo, for all projects. */
const openCode = (host: 'opencode' | 'kilo'): Home => ({
  root: ({ env, home }) => join(env.XDG_DATA_HOME || join(home, '.local', 'share'), host),
  folder: () => false,
  file: (name) => name.startsWith(`${host}.db`),
  async sessions(search) {
    const path = join(this.root(search), `${host}.db`);
    const files = await readListed(path, search, (from) => from.listOpenCodeSessions(path, host));
    return (files ?? []).map((file) => ({ ...file, owns: search.owns }));
  },
});

export const SESSION_HOMES: readonly Home[] = [
  ...[claude, codex, pi, openClaw, gemini, copilot, qwen, droid],
  ...[openCode('opencode'), openCode('kilo')],
];

/** Hosts whose agents can keep a scratchpad in the session's own file. */
export const PAD_HOMES: readonly Home[] = [pi, openClaw];

export const listFiles = (folder: string, isWanted: (name: string) => boolean): string[] =>
  tryList(folder)
    .filter(isWanted)
    .map((name) => join(folder, name));
