import { basename, join } from 'node:path';
import { attempt, describeError } from '../../base/errors.ts';
import { exists, isWritable, PAD_FILE, readText, tryReadText } from '../../base/fs/index.ts';
import { listTracked } from '../../base/git/index-file.ts';
import { formatAge } from '../../base/text/durations.ts';
import { getObject, parseObject } from '../../base/text/json.ts';
import { formatCount, shorten } from '../../base/text/strings.ts';
import { judgeProvenance } from '../../base/trust/index.ts';
import type { Config } from '../../config/settings.ts';
import type { TrustedCommand } from '../../config/trust.ts';
import { hasCommandKey } from '../../config/values.ts';
import { parsePad, warnOfTextOutside } from '../../pad/document.ts';
import { judgeFreshness } from '../../pad/freshness.ts';
import type { FileStore } from '../../session/file-store.ts';
import { listFaults } from '../../session/state-file.ts';
import type { Workspace } from '../../session/workspace.ts';
import { describeStrangers } from '../../transcript/discover.ts';
import { readRecord } from '../session-memory.ts';
import { isInstalled, type PlannedChange, planInstall, showChange } from './change.ts';
import { canRunMods, MODS_SINCE, readClaudeVersion } from './claude-plugin.ts';
import { isServerOfOurs, makeHookCheck, parseHookProgram, SERVER } from './hook-command.ts';
import {
  describeHookCondition,
  detectHosts,
  findOpenClawConfig,
  findOpenClawPlugin,
  findPlugin,
  findSettingsWithHooks,
  HOSTS,
  type Host,
  isPlugged,
  listHooksOff,
  type Scope,
} from './hosts.ts';
import { buildInstallation } from './installation.ts';
import { findHooks } from './json-parts.ts';
import { findExecutable, findProgram, type Program } from './program.ts';

export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  about: string;
  found: string;
  next?: string;
}

const makeOk = (about: string, found: string): Finding => ({ level: 'ok', about, found });
const warn = (about: string, found: string, next: string): Finding => ({ level: 'warn', about, found, next });
const fail = (about: string, found: string, next: string): Finding => ({ level: 'fail', about, found, next });

export interface DoctorContext {
  workspace: Workspace;
  config: Config;
  configProblems: readonly string[];
  configSources: ReadonlyMap<string, string>;
  store: FileStore;
  env: NodeJS.ProcessEnv;
  now: number;
}

/** Finds everything that silently keeps the scratchpad from reaching an agent. */
export async function* diagnose(context: DoctorContext): AsyncGenerator<Finding> {
  const { workspace, env } = context;
  const { root, exists: hasScratchpad } = workspace;
  const isConnected = listInstalledHosts(root, env).length > 0;
  if (hasScratchpad) {
    yield makeOk('workspace', root);
    yield* checkWorkspace(context);
    yield* checkState(context, isConnected);
  } else yield fail('workspace', `${root} has no scratchpad`, 'scratchpad init');

  for (const host of HOSTS) yield* checkHost({ root, env, host });
  if (hasScratchpad && findPlugin('claude-code', root, env) !== undefined) yield checkMod(context);

  if (isConnected) yield* checkHooks(context);
  // Not a failure: an agent may use the MCP server, the library or the commands.
  else
    yield warn(
      'hosts',
      'no host is connected to the scratchpad: no hook shows it to an agent',
      `scratchpad install ${detectHosts(root)[0]?.[0] ?? 'claude-code'} (or another host: scratchpad install --help)`,
    );
}

/** Finds problems of a workspace, whatever its hosts; `status` shows them, too. */
export async function* checkWorkspace(context: DoctorContext): AsyncGenerator<Finding> {
  const { config, store, env, workspace } = context;
  const { root } = workspace;
  const { pad: path, data } = store.paths;
  const off = 'scratchpad.enabled is off: hooks run and say nothing';
  if (!config.scratchpad.enabled) yield warn('config', off, 'scratchpad config set scratchpad.enabled on');
  for (const dir of [root, data])
    if (exists(dir) && !isWritable(dir))
      yield fail('workspace', `${dir} is not writable: nothing new is stored`, 'fix its permissions');
  for (const problem of context.configProblems) yield warn('config', problem, 'scratchpad config check');

  const strangers = describeStrangers({ workspace: root, env, paths: config.transcript.paths });
  if (strangers) yield warn('transcript', strangers, 'scratchpad trust');
  for (const { spec, refused } of await inspectCommands(context))
    if (refused !== undefined) yield warn('command', `${spec.key} ${refused}`, 'scratchpad trust --show');

  const pad = await store.read().catch((error: unknown) => describeError(error));
  if (typeof pad === 'string') {
    yield fail('pad', pad, 'repair or move it; scratchpad show restores the content of the journal');
    return;
  }

  for (const notice of pad.notices) yield warn('pad', notice, 'scratchpad show');
  const { withheld, note = '' } = judgeProvenance(root, env);
  if (withheld !== undefined && !pad.notices.includes(note))
    yield warn('trust', `not used until you run scratchpad trust: ${withheld}`, 'scratchpad trust');
  for (const oddity of warnOfTextOutside(parsePad(tryReadText(path, 'pad') ?? ''), PAD_FILE))
    yield warn('pad', oddity, 'scratchpad edit');

  const { skipped } = await store.history();
  if (skipped > 0)
    yield warn(
      'journal',
      `${formatCount(skipped, 'unreadable line')} of the journal left out`,
      'scratchpad history',
    );
  // Everybody with access to the repository can read a tracked pad.
  const hasMood = /^## Emotional Context$/m.test(pad.document.text);
  if (hasMood && listTracked(root, [basename(path)]).length > 0)
    yield warn('git', `${path} is tracked and contains a mood`, 'git rm --cached SCRATCHPAD.md');
}

/** The commands in the config; `refused` says why one may not run. */
export async function inspectCommands({
  configSources,
  workspace,
  env,
}: Pick<DoctorContext, 'configSources' | 'workspace' | 'env'>): Promise<readonly TrustedCommand[]> {
  if (!hasCommandKey(configSources.keys())) return [];
  const { inspectTrust } = await import('../../config/trust.ts');
  return inspectTrust(workspace.root, env).commands;
}

async function* checkState({ store, now }: DoctorContext, isConnected: boolean): AsyncGenerator<Finding> {
  const pad = await store.read().catch(() => undefined);
  if (pad === undefined) return;

  const { status, ageMs } = judgeFreshness(pad.state, now);
  const age = ageMs === undefined ? '' : `, ${formatAge(ageMs)} old`;
  const description = status === 'missing' ? 'not assembled yet' : `${status}${age}`;
  if (status === 'fresh') yield makeOk('state', description);
  else if (isConnected) yield makeOk('state', `${description}; the next prompt renews it`);
  else yield warn('state', description, 'scratchpad assemble; a hook or a timer keeps it fresh');
  for (const { fault, reason } of listFaults(pad.state?.run?.stages ?? []))
    yield warn('section', `${fault}: ${reason}`, 'mend what it names, then: scratchpad assemble');
}

const formatAgo = (time: string, now: number): string => `${formatAge(now - Date.parse(time))} ago`;

function* checkHooks({ env, now, store }: DoctorContext): Generator<Finding> {
  if (findExecutable('scratchpad', env) === undefined)
    yield warn(
      'PATH',
      'no program called scratchpad outside of node_modules/.bin: hooks and tools work, the commands shown to the agent do not',
      'install the package with npm install -g, or put the directory of scratchpad on the PATH',
    );

  const { last, lastFailure } = readRecord(store.paths.data);
  yield last
    ? makeOk('hooks', `${last.host} ${last.event} ran ${formatAgo(last.at, now)}`)
    : warn(
        'hooks',
        'no hook has run in this workspace yet',
        'start the host in this directory; restart one that was already running',
      );
  if (lastFailure === undefined) return;

  const { host, event, outcome } = lastFailure;
  yield warn(
    'hooks',
    `${host} ${event}, ${formatAgo(lastFailure.at, now)}: ${outcome}`,
    'scratchpad assemble',
  );
}

/** The folders of an administrator's settings for Claude Code. */
const MANAGED_FOLDERS = [
  '/etc/claude-code',
  '/Library/Application Support/ClaudeCode',
  'C:/ProgramData/ClaudeCode',
];

/** Says whether the plugin's mod or its hooks answered the last prompt, and if hooks, why. */
function checkMod({ env, store }: DoctorContext): Finding {
  const { lastPrompt } = readRecord(store.paths.data);
  if (lastPrompt?.event === 'prompt')
    return makeOk('claude-code', "the plugin's mod answers prompts and compactions, and shows the pane");

  const version = readClaudeVersion(env);
  if (version !== undefined && !canRunMods(version))
    return makeOk('claude-code', `hooks answer, without a pane: mods need ${MODS_SINCE}, this is ${version}`);

  const managed = MANAGED_FOLDERS.map((folder) => join(folder, 'managed-settings.json'));
  const forbids = /"(?:allowManagedModsOnly|allowManagedHooksOnly|disableAllHooks)"\s*:\s*true/;
  const path = managed.find((file) => forbids.test(attempt(() => readText(file, 'host')) ?? ''));
  if (path !== undefined)
    return makeOk('claude-code', `hooks answer, if at all: ${path} forbids mods of a person`);
  if (lastPrompt === undefined)
    return makeOk('claude-code', 'no prompt yet: the mod or the hooks will answer');

  return warn(
    'claude-code',
    `hooks answered the last prompt, not the plugin's mod: Claude Code has not been restarted since, or what mods are told has changed`,
    'restart Claude Code, then: claude plugin validate; a newer version of scratchpad may know the change',
  );
}

interface HostLocation {
  root: string;
  env: NodeJS.ProcessEnv;
  host: Host;
}

export const listInstalledHosts = (root: string, env: NodeJS.ProcessEnv): Host[] =>
  HOSTS.filter(
    (host) => findSettingsPlaces({ host, root, env }).size > 0 || findPlugin(host, root, env) !== undefined,
  );

function* checkHost(location: HostLocation): Generator<Finding> {
  const { host, root, env } = location;
  const plugin = findPlugin(host, root, env);
  const places = findSettingsPlaces(location);

  for (const [path, scopes] of places) {
    try {
      yield* checkInstallation(location, path, scopes);
    } catch (error) {
      yield fail(host, `${path}: ${describeError(error)}`, 'repair it');
    }
  }

  if (plugin !== undefined) yield makeOk(host, plugin);
  const sources = [...places.keys(), ...(plugin === undefined ? [] : [plugin])];
  if (sources.length > 1)
    yield warn(host, `hooks run twice: from ${sources.join(' and ')}`, `scratchpad uninstall ${host}`);
  if (host === 'claude-code' && sources.length > 0) yield* checkProjectServer(root);
}

/** Warns of a server of the project that has our name: it takes the place of ours, with its own program. */
function* checkProjectServer(root: string): Generator<Finding> {
  const path = join(root, '.mcp.json');
  const server = getObject(parseObject(readText(path, 'host')), 'mcpServers')?.[SERVER];
  if (server === undefined) return;

  // A program in the project may have our name, too.
  const namesPath = /"\.{0,2}\//.test(JSON.stringify(server));
  if (isServerOfOurs(server) && !namesPath) return;

  yield warn(
    'claude-code',
    `${path} has an MCP server called ${SERVER} that is not this program: Claude Code may start it instead`,
    'rename or remove it there, unless it is your own',
  );
}

function findSettingsPlaces({ host, root, env }: HostLocation): Map<string, Scope[]> {
  if (host === 'openclaw')
    return new Map(exists(findOpenClawPlugin(env)) ? [[findOpenClawConfig(env), ['project']]] : []);
  return findSettingsWithHooks(host, root, env);
}

function* checkInstallation(
  location: HostLocation,
  path: string,
  scopes: readonly Scope[],
): Generator<Finding> {
  const { env, host, root } = location;
  const scopeOption = scopes[0] === 'local' || host === 'openclaw' ? '' : ` --scope ${scopes[0]}`;
  const install = `scratchpad install ${host}${scopeOption}`;
  const text = readText(path, 'host') ?? '{}';
  const isInside = host === 'openclaw' || isPlugged(host);
  const ours = isInside ? [] : findHooks(text, path, makeHookCheck(host));
  const program =
    ours.map(({ hook }) => parseHookProgram(hook)).find(Boolean) ??
    findProgram(process.argv[1] ?? 'scratchpad', env);
  const [script] = program.args;

  if (findExecutable(program.command, env) === undefined)
    yield fail(host, `${path} calls ${program.command}, which cannot be run`, install);
  else if (script !== undefined && !exists(script))
    yield fail(host, `${path} calls ${script}, which does not exist`, install);
  else yield makeOk(host, `${isInside ? 'a plugin, by' : 'hooks in'} ${path}${describeHookCondition(host)}`);

  for (const off of isPlugged(host) ? [] : listHooksOff(host, root, env))
    yield warn(host, `${off}: no hook runs`, 'take that out, or give it the other value');

  const changes = planChanges(location, scopes, program);
  for (const { target } of changes)
    if (!isInstalled(target))
      yield fail(host, `${target.path} has nothing of scratchpad, which the hooks in ${path} need`, install);
  const outdated = changes.find(({ target }) => isInstalled(target));
  if (outdated === undefined) return;

  const [difference = ''] = /^ [+-] .*$/m.exec(showChange(outdated)) ?? [];
  const found = `${outdated.target.path} is not as this version writes it: ${shorten(difference.trim(), 100)}`;
  yield warn(host, found, `${install}, again`);
}

/** Plans to install a host again: of the scopes that share a file, in the one that changes least. */
function planChanges(location: HostLocation, scopes: readonly Scope[], program: Program): PlannedChange[] {
  const plans = scopes.map((scope) => {
    const { targets } = buildInstallation(location.host, { ...location, scope, program });
    return planInstall(targets).filter(({ before, after }) => before !== after);
  });
  const [fewest = []] = plans.sort((a, b) => a.length - b.length);
  return fewest;
}
