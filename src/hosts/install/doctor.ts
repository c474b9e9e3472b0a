import { basename, dirname, join } from 'node:path';
import { automationIn } from '../../assembly/triggers/record.ts';
import { inShort } from '../../base/errors.ts';
import { exists, isWritable, tryReadText } from '../../base/fs/index.ts';
import { hasDriver } from '../../base/git/exclude.ts';
import { trackedBelow } from '../../base/git/place.ts';
import type { Config } from '../../config/settings.ts';
import { namesCommand } from '../../config/values.ts';
import { freshnessOf, spellAge } from '../../pad/freshness.ts';
import type { FileStore } from '../../session/file-store.ts';
import type { Snapshot } from '../../session/store.ts';
import type { Workspace } from '../../session/workspace.ts';
import { readRecord, remembered } from '../session-memory.ts';
import { findExecutable } from './program.ts';

/** One result of `doctor`. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  about: string;
  found: string;
  next?: string;
}

/** What has to hold for the scratchpad to reach an agent. */
export interface Check<At> {
  about: string | ((at: At) => string);
  /** What does not hold, each in words. */
  wrong(at: At): Wrong | Promise<Wrong>;
  /** What to do then. */
  next: string | ((at: At) => string | undefined);
  /** The agent is reached all the same. */
  warns?: true;
  /** What is said if it holds. */
  fine?(at: At): string;
}
type Wrong = string | undefined | readonly string[];

/** The findings of a table of checks, in its order. */
export async function examine<At>(checks: readonly Check<At>[], at: At): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { about: named, wrong, next, warns, fine } of checks) {
    const about = typeof named === 'string' ? named : named(at);
    const found = [(await wrong(at)) ?? []].flat();
    const todo = typeof next === 'string' ? next : next(at);
    for (const each of found)
      findings.push({ level: warns ? 'warn' : 'fail', about, found: each, next: todo });
    if (found.length === 0 && fine !== undefined) findings.push({ level: 'ok', about, found: fine(at) });
  }
  return findings;
}

/** The workspace to examine, and where from. */
export interface Examined {
  workspace: Workspace;
  config: Config;
  configProblems: readonly string[];
  configRetired: readonly string[];
  configSources: ReadonlyMap<string, string>;
  store: FileStore;
  env: NodeJS.ProcessEnv;
  now: number;
}

/** With what was found out of it. */
interface Known extends Examined {
  /** The pad, or why it cannot be read. */
  pad: Snapshot | string;
  /** Whether hooks of a host assemble the state. */
  connected: boolean;
}

/** Everything that silently keeps the scratchpad from reaching an agent. */
export async function diagnose(given: Examined): Promise<Finding[]> {
  const { diagnoseHosts, installedHosts } = await import('./doctor-hosts.ts');
  const hosts = await diagnoseHosts(given);
  const pad = await given.store.read().catch((error: unknown) => inShort(error));
  const at: Known = { ...given, pad, connected: installedHosts(given.workspace.root, given.env).length > 0 };
  const { timers } = automationIn(given.store.paths.dir, given.now);
  const ofTimers = timers.map((timer) => examine(TIMER, { ...timer, now: given.now }));
  return [
    ...(await examine(HERE, at)),
    ...(at.workspace.exists ? await examine(IN_WORKSPACE, at) : []),
    ...hosts,
    ...(await Promise.all(ofTimers)).flat(),
    ...(await examine(at.connected ? CONNECTED : UNCONNECTED, at)),
  ];
}

const HERE: readonly Check<Known>[] = [
  {
    about: 'workspace',
    wrong: ({ workspace: { root, exists: there } }) => (there ? undefined : `${root} has no scratchpad`),
    next: 'scratchpad init',
    fine: ({ workspace: { root } }) => root,
  },
];

const IN_WORKSPACE: readonly Check<Known>[] = [
  {
    about: 'config',
    wrong: ({ config }) =>
      config.scratchpad.enabled ? undefined : 'scratchpad.enabled is off: hooks run and say nothing',
    next: 'scratchpad config set scratchpad.enabled on',
    warns: true,
  },
  {
    about: 'workspace',
    wrong: ({ workspace, store }) =>
      [workspace.root, store.paths.data]
        .filter((dir) => exists(dir) && !isWritable(dir))
        .map((dir) => `${dir} is not writable: nothing new is stored`),
    next: 'fix its permissions, or check how its disk is mounted',
  },
  {
    about: 'git',
    wrong({ store: { paths } }) {
      const attributes = tryReadText(join(dirname(paths.pad), '.gitattributes'), 'git') ?? '';
      return /^SCRATCHPAD\.md merge=scratchpad$/m.test(attributes) && !hasDriver(paths.pad)
        ? 'this clone has no merge driver for the tracked SCRATCHPAD.md'
        : undefined;
    },
    next: 'scratchpad init --tracked',
    warns: true,
  },
  {
    about: 'config',
    wrong: ({ configProblems, configRetired }) => [...configProblems, ...configRetired],
    next: 'scratchpad config check',
    warns: true,
  },
  {
    about: 'command',
    async wrong({ configSources, workspace, env }) {
      if (!namesCommand(configSources.keys())) return undefined;
      const { inspectTrust } = await import('../../config/trust.ts');
      return inspectTrust(workspace.root, env).commands.flatMap(({ spec, refused }) =>
        refused === undefined ? [] : `${spec.key} ${refused}`,
      );
    },
    next: 'scratchpad trust --show',
    warns: true,
  },
  {
    about: 'pad',
    wrong: ({ pad }) => (typeof pad === 'string' ? pad : undefined),
    next: 'repair or move it; scratchpad show restores the content of the journal',
  },
  {
    about: 'pad',
    wrong: ({ pad }) => (typeof pad === 'string' ? undefined : pad.notices),
    next: 'scratchpad show',
    warns: true,
  },
  {
    about: 'git',
    wrong({ pad, store: { paths }, workspace: { root } }) {
      const text = typeof pad === 'string' ? '' : pad.document.text;
      // Everybody with access to the repository can read it.
      return /^## Emotional Context$/m.test(text) && trackedBelow(root, [basename(paths.pad)]).length > 0
        ? `${paths.pad} is tracked and contains a mood`
        : undefined;
    },
    next: 'git rm --cached SCRATCHPAD.md, or scratchpad config set stages.off sentiment,strategy',
    warns: true,
  },
  {
    about: 'state',
    wrong: (at) => (at.connected || freshness(at).status === 'fresh' ? undefined : freshness(at).words),
    next: 'scratchpad assemble; a hook or a timer keeps it fresh',
    warns: true,
    fine(at) {
      const { status, words } = freshness(at);
      return status === 'fresh' ? words : `${words}; the next prompt renews it`;
    },
  },
];

function freshness({ pad, now }: Known): { status: string; words: string } {
  const { status, ageMs } = freshnessOf(typeof pad === 'string' ? undefined : pad.state, now);
  if (status === 'missing') return { status, words: 'not assembled yet' };
  return { status, words: `${status}${ageMs === undefined ? '' : `, ${spellAge(ageMs)} old`}` };
}

type Timer = ReturnType<typeof automationIn>['timers'][number] & { now: number };

/** Where to look for the reason if a timer does not run; none for those of earlier versions. */
const REASONS: Readonly<Record<string, string>> = {
  cron: 'is the cron daemon running, and is there mail? crontab -l shows the line',
  systemd: 'systemctl --user list-timers "scratchpad-*"; after a log-out it needs: loginctl enable-linger',
};
const kindOf = ({ kind }: Timer): string => kind;
const ranLast = ({ about, last, since, now }: Timer): string =>
  `${about}, ${last ? `ran ${ago(last, now)}` : `has not run since it was installed, ${ago(since, now)}`}`;

const TIMER: readonly Check<Timer>[] = [
  {
    about: kindOf,
    wrong: ({ kind, about }) => (kind in REASONS ? undefined : `${about}, installed by an earlier version`),
    next: ({ kind }) => `scratchpad uninstall ${kind}; docs/hosts.md has lines to copy`,
    warns: true,
  },
  {
    about: kindOf,
    wrong({ program }) {
      const missing = program.find((path) => !exists(path));
      return missing && `it starts ${missing}, which no longer exists`;
    },
    next: ({ kind }) => `scratchpad install ${kind}`,
  },
  {
    about: kindOf,
    wrong: (at) => (at.silent && at.kind in REASONS ? ranLast(at) : undefined),
    next: ({ kind }) => REASONS[kind] ?? '',
    warns: true,
    fine: ranLast,
  },
];

/** Not a failure: an agent may use the MCP server, the library or the commands. */
const UNCONNECTED: readonly Check<Known>[] = [
  {
    about: 'hosts',
    wrong: () => 'no host is connected to the scratchpad: no hook shows it to an agent',
    next: 'scratchpad install claude-code (or codex, gemini-cli, openclaw)',
    warns: true,
  },
];

/** A hook that has not run for this long is reported. */
const SILENT_MS = 7 * 86_400_000;

const lastRun = ({ store }: Known) => readRecord(store.paths.data);
const ago = (at: string, now: number): string => `${spellAge(now - Date.parse(at))} ago`;

const CONNECTED: readonly Check<Known>[] = [
  {
    about: 'PATH',
    wrong: ({ env }) =>
      findExecutable('scratchpad', env) === undefined
        ? 'no program called scratchpad: the hooks and the tools work, but the commands shown to the agent do not'
        : undefined,
    next: 'install the package with npm install -g, or put the directory of scratchpad on the PATH',
    warns: true,
  },
  {
    about: 'hooks',
    wrong(at) {
      const { last } = lastRun(at);
      if (last === undefined) return 'no hook has run in this workspace yet';
      const isLong = at.now - Date.parse(last.at) > SILENT_MS;
      return isLong ? `${last.host} ${last.event} ran ${ago(last.at, at.now)}` : undefined;
    },
    next: 'start the host in this directory; restart one that was already running',
    warns: true,
    fine(at) {
      const { last } = lastRun(at);
      return last ? `${last.host} ${last.event} ran ${ago(last.at, at.now)}` : '';
    },
  },
  {
    about: 'hooks',
    wrong(at) {
      const { lastFailure: last } = lastRun(at);
      return last && `${last.host} ${last.event}, ${ago(last.at, at.now)}: ${last.outcome}`;
    },
    next: 'scratchpad status',
    warns: true,
  },
  {
    about: 'hooks',
    wrong: unanswered,
    next: 'claude mcp list says whether Claude Code reaches the server; then scratchpad install, and restart the host',
    warns: true,
  },
];

/** How many sessions of the workspace are looked through for one. */
const NEWEST_SESSIONS = 20;

/** The session that a host reported last has prompts, and none of them came here: the model was not told of the pad. */
async function unanswered({ workspace: { root }, store, env, config }: Known): Promise<string | undefined> {
  const newest = remembered(store.paths.data).find(({ memory }) => memory.parent === undefined);
  const { ledger, answered, handed } = newest?.memory ?? {};
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
  return messages.some(({ role, timestamp }) => role === 'user' && isLater(timestamp))
    ? `no prompt of the last session (${newest.session}) came here, so its model was not told what prompts bring`
    : undefined;
}
