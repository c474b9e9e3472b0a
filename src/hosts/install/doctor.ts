import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { ScratchpadError } from '../../base/errors.ts';
import { exists, isWritable, PAD_FILE, tryReadText } from '../../base/fs/index.ts';
import { trackedBelow } from '../../base/git/index-file.ts';
import { hasDriver } from '../../base/git/merge-driver.ts';
import { hasWorktree } from '../../base/git/place.ts';
import type { Config } from '../../config/config.ts';
import { namesCommand } from '../../config/values.ts';
import { freshnessOf, spellAge } from '../../pad/freshness.ts';
import type { FileStore } from '../../session/file-store.ts';
import { findWorkspace, type Workspace } from '../../session/workspace.ts';
import { readRecord, remembered } from '../session-memory.ts';
import { findExecutable } from './program.ts';

/** One result of `doctor`. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  about: string;
  found: string;
  next?: string;
}

const finding =
  (level: Finding['level']) =>
  (about: string, found: string, next?: string): Finding => ({ level, about, found, next });
export const ok = finding('ok');
export const warn = finding('warn');
export const fail = finding('fail');

/** The workspace to examine, and where from. */
export interface Examined {
  workspace: Workspace;
  config: Config;
  configProblems: readonly string[];
  configRetired: readonly string[];
  configSources: ReadonlyMap<string, string>;
  store: FileStore;
  env: NodeJS.ProcessEnv;
  cwd: string;
  now: number;
}

type Found = Finding | undefined | readonly (Finding | undefined)[];
/** Looks for one thing that silently keeps the scratchpad from an agent. */
export type Check = (at: Examined) => Found | Promise<Found>;

/** Everything that silently keeps the scratchpad from reaching an agent. */
export async function diagnose(at: Examined): Promise<Finding[]> {
  const all = async (checks: readonly Check[]): Promise<Finding[]> => {
    const found: Finding[] = [];
    for (const check of checks)
      found.push(...[(await check(at)) ?? []].flat().filter((each) => each !== undefined));
    return found;
  };
  const { HOST_CHECKS, BESIDES } = await import('./doctor-hosts.ts');
  const connected = await all(HOST_CHECKS);
  const within = at.workspace.exists ? await all(IN_WORKSPACE) : [];
  return [
    ...(await all([node, isThere, meantElsewhere])),
    ...within.map((each) => (connected.length > 0 && each.about === 'state' ? renewed(each) : each)),
    ...connected,
    ...(await all(BESIDES)),
    // Not a failure: an agent may use the MCP server, the library or the commands.
    ...(connected.length > 0 ? await all([onPath, lastRuns, unanswered]) : [NO_HOST]),
  ];
}

/** The hooks of a host assemble the state. */
const renewed = (state: Finding): Finding =>
  state.level === 'ok' ? state : ok('state', `${state.found}; the next prompt renews it`);

const NO_HOST = warn(
  'hosts',
  'no host is connected to the scratchpad: no hook shows it to an agent',
  'scratchpad install claude-code (or codex, gemini-cli, openclaw)',
);

const OLDEST_NODE = [20, 19] as const;

const node: Check = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return old
    ? fail('node', process.versions.node, `install Node ${OLDEST_NODE.join('.')} or later`)
    : ok('node', process.versions.node);
};

const isThere: Check = ({ workspace: { root, exists: there } }) =>
  there ? ok('workspace', root) : fail('workspace', `${root} has no scratchpad`, 'scratchpad init');

/** Where the hooks and the person would look for the scratchpad, if that is not this workspace. */
const meantElsewhere: Check = ({ env, cwd }) => {
  const forced = env.SCRATCHPAD_WORKSPACE;
  if (!forced) return undefined;
  const about = 'SCRATCHPAD_WORKSPACE';
  if (!exists(join(forced, PAD_FILE)))
    return warn(about, `${forced} has no ${PAD_FILE}`, 'unset it, or run scratchpad init there');
  const own = findWorkspace(undefined, {}, cwd);
  const meant = findWorkspace(undefined, env, cwd);
  if (!own.exists || own.root === meant.root) return undefined;
  const found = `every command and hook uses ${meant.root}, although ${own.root} has its own scratchpad`;
  return warn(about, found, 'unset it, unless that is what you want');
};

const IN_WORKSPACE: readonly Check[] = [
  ({ config }) =>
    config.scratchpad.enabled
      ? undefined
      : warn(
          'config',
          'scratchpad.enabled is off: hooks run and say nothing',
          'scratchpad config set scratchpad.enabled on',
        ),
  ({ workspace, store }) =>
    [workspace.root, store.paths.data]
      .filter((dir) => exists(dir) && !isWritable(dir))
      .map((dir) =>
        fail(
          'workspace',
          `${dir} is not writable: nothing new is stored`,
          'fix its permissions, or check how its disk is mounted',
        ),
      ),
  orphans,
  mergeDriver,
  ({ configProblems, configRetired }) =>
    [...configProblems, ...configRetired].map((problem) =>
      warn('config', problem, 'scratchpad config check'),
    ),
  commands,
  content,
];

/** Plans of removed work trees. */
async function orphans({ workspace: { root }, store }: Examined): Promise<Found> {
  const { seen } = await store.read().catch(() => ({ seen: undefined }));
  return (seen?.others ?? [])
    .filter(({ worktree }) => worktree !== undefined && !hasWorktree(root, worktree))
    .map(({ worktree, number }) =>
      warn(
        'work trees',
        `plan ${number} is of the work tree ${worktree}, which is gone`,
        `take it over with: scratchpad plan take ${number}`,
      ),
    );
}

/** A clone with a tracked pad lacks the merge driver that .gitattributes names. */
function mergeDriver({ store: { paths } }: Examined): Found {
  const attributes = tryReadText(join(dirname(paths.pad), '.gitattributes'), 'git') ?? '';
  if (!/^SCRATCHPAD\.md merge=scratchpad$/m.test(attributes) || hasDriver(paths.pad)) return undefined;
  return warn(
    'git',
    'this clone has no merge driver for the tracked SCRATCHPAD.md',
    'scratchpad init --tracked',
  );
}

async function commands({ configSources, workspace, env }: Examined): Promise<Found> {
  if (!namesCommand(configSources.keys())) return undefined;
  const { inspectTrust } = await import('../../config/trust.ts');
  return inspectTrust(workspace.root, env).commands.map(({ spec, refused }) =>
    refused === undefined
      ? ok('command', `${spec.key} may run`)
      : warn('command', `${spec.key} ${refused}`, 'scratchpad trust --show'),
  );
}

async function content({ workspace: { root }, store, now }: Examined): Promise<Found> {
  try {
    const { notices, document, state } = await store.read();
    const name = basename(store.paths.pad);
    // A mood history that everybody with access to the repository can read.
    const mood = /^## Emotional Context$/m.test(document.text) && trackedBelow(root, [name]).length > 0;
    const untrack = `git rm --cached ${name}, or scratchpad config set stages.off sentiment,strategy`;
    const { status, ageMs } = freshnessOf(state, now);
    const age = `${status}${ageMs === undefined ? '' : `, ${spellAge(ageMs)} old`}`;
    const found = status === 'missing' ? 'not assembled yet' : age;
    return [
      ...notices.map((notice) => warn('pad', notice, 'scratchpad show')),
      mood ? warn('git', `${store.paths.pad} is tracked and contains a mood`, untrack) : undefined,
      status === 'fresh'
        ? ok('state', found)
        : warn('state', found, 'scratchpad assemble; a hook or a timer keeps it fresh'),
    ];
  } catch (error) {
    return fail(
      'pad',
      describe(error),
      'repair or move it; scratchpad show restores the content of the journal',
    );
  }
}

function describe(error: unknown): string {
  if (!(error instanceof ScratchpadError)) return String(error);
  const { where, found } = error.detail;
  return [error.message, where, found].filter(Boolean).join(': ');
}

const SHELL_MS = 5000;

/**
 * Hooks may use the file's path; commands that agents type need the name. Codex runs them in a login shell, whose
 * startup files may set another PATH; the others in the environment that they were started with.
 */
async function onPath({ env, workspace: { root } }: Examined): Promise<Found> {
  const { usesCodex } = await import('./doctor-hosts.ts');
  const shell = env.SHELL || '/bin/sh';
  const here = findExecutable('scratchpad', env) !== undefined;
  if (here && !usesCodex(root, env)) return undefined;
  const ask = ['-lc', 'command -v scratchpad'];
  const asked = spawnSync(shell, ask, { env, timeout: SHELL_MS, encoding: 'utf8' });
  if (here && (asked.error !== undefined || asked.status === 0)) return undefined;
  const but = 'the hooks and the tools work, but the commands shown to the agent do not';
  return here
    ? warn(
        'PATH',
        `${shell} -lc, as Codex runs commands, finds no program called scratchpad: ${but}`,
        `add its directory to the PATH in the login files of ${shell}`,
      )
    : warn(
        'PATH',
        `no program called scratchpad: ${but}`,
        'install the package with npm install -g, or put the directory of scratchpad on the PATH',
      );
}

/** A hook that has not run for this long is reported. */
const SILENT_MS = 7 * 86_400_000;

function lastRuns({ store, now }: Examined): Found {
  const { last, lastFailure } = readRecord(store.paths.data);
  const ago = (at: string): string => `${spellAge(now - Date.parse(at))} ago`;
  if (!last)
    return warn(
      'hooks',
      'no hook has run in this workspace yet',
      'start the host in this directory; restart one that was already running',
    );
  const found = `${last.host} ${last.event} ran ${ago(last.at)}`;
  return [
    now - Date.parse(last.at) > SILENT_MS ? warn('hooks', found) : ok('hooks', found),
    lastFailure &&
      warn(
        'hooks',
        `${lastFailure.host} ${lastFailure.event}, ${ago(lastFailure.at)}: ${lastFailure.outcome}`,
        'scratchpad status',
      ),
  ];
}

/** How many sessions of the workspace are looked through for one. */
const NEWEST_SESSIONS = 20;

/** The session that a host reported last has prompts, and none of them came here: the model was not told of the pad. */
async function unanswered({ workspace: { root }, store, env, config }: Examined): Promise<Found> {
  const newest = remembered(store.paths.data).find(({ memory }) => memory.parent === undefined);
  const { ledger, answered, handed, last } = newest?.memory ?? {};
  // Before there was `answered`, `handed` was set at a prompt, too.
  if (newest === undefined || ledger === undefined || (answered ?? handed) !== undefined) return undefined;
  const { discoverSessions } = await import('../../transcript/discover.ts');
  const { readTranscriptFile } = await import('../../transcript/read.ts');
  const { paths } = config.transcript;
  const found = await discoverSessions({ workspace: root, env, paths, limit: NEWEST_SESSIONS });
  const file = found.find(({ id }) => id === newest.session)?.path;
  if (file === undefined) return undefined;
  const read = readTranscriptFile(file, { session: newest.session });
  const messages = await read.then((done) => done.messages).catch(() => []);
  const isLater = (at = ''): boolean => Date.parse(at) > ledger.began;
  if (!messages.some(({ role, timestamp }) => role === 'user' && isLater(timestamp))) return undefined;
  const host = last?.host ?? 'claude-code';
  return warn(
    'hooks',
    `no prompt of the last session (${newest.session}) came here, so its model was not told what prompts bring`,
    host === 'claude-code'
      ? 'claude mcp list says whether Claude Code reaches the server; then scratchpad install claude-code, and restart it'
      : `scratchpad install ${host}, and restart it`,
  );
}
