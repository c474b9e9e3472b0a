import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Opened } from '../commands/open.ts';
import { readRecord } from '../hosts/record.ts';
import { freshnessOf, spellAge } from '../pad/freshness.ts';
import { isObject, type JsonObject, objectAt } from '../transcript/json.ts';
import { textOf } from './change.ts';
import { hooksIn, read } from './hooks-json.ts';
import { openClawConfig, openClawHome } from './openclaw.ts';
import { whereIs } from './program.ts';
import { isHookOf, settingsFiles } from './targets.ts';

export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  about: string;
  found: string;
  next?: string;
}

const OLDEST_NODE = [20, 19] as const;
const HOSTS = ['claude-code', 'codex', 'gemini-cli'] as const;
/** A hook that has not run for this long is one that does not run. */
const SILENT_MS = 7 * 86_400_000;

/** Everything that keeps the scratchpad from reaching an agent and says nothing by itself. */
export async function diagnose(opened: Opened, env: NodeJS.ProcessEnv, now: number): Promise<Finding[]> {
  const findings = [nodeVersion(process.versions.node), ...(await workspaceOf(opened, env, now))];
  const { root } = opened.workspace;
  let installed = 0;
  for (const host of HOSTS) {
    const found = hostFindings(host, root, env);
    installed += found.length > 0 ? 1 : 0;
    findings.push(...found);
  }
  const openClaw = openClawFindings(env);
  installed += openClaw.length > 0 ? 1 : 0;
  findings.push(...openClaw);
  if (installed === 0) {
    findings.push({
      level: 'warn',
      about: 'hosts',
      found: 'no host is wired to the scratchpad',
      next: 'scratchpad install claude-code (or codex, gemini-cli, openclaw)',
    });
  } else findings.push(...onPath(env), ...lastRuns(opened, now));
  return findings;
}

export function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return old
    ? { level: 'fail', about: 'node', found: version, next: `install Node ${OLDEST_NODE.join('.')} or later` }
    : { level: 'ok', about: 'node', found: version };
}

async function workspaceOf(opened: Opened, env: NodeJS.ProcessEnv, now: number): Promise<Finding[]> {
  const { workspace, store, configProblems } = opened;
  const about = 'workspace';
  if (!workspace.exists) {
    return [{ level: 'fail', about, found: `${workspace.root} has no scratchpad`, next: 'scratchpad init' }];
  }
  const findings: Finding[] = [{ level: 'ok', about, found: workspace.root }];
  const forced = env.SCRATCHPAD_WORKSPACE;
  if (forced && !existsSync(join(forced, 'SCRATCHPAD.md'))) {
    findings.push({
      level: 'warn',
      about: 'SCRATCHPAD_WORKSPACE',
      found: `${forced} has no SCRATCHPAD.md`,
      next: 'unset it, or run scratchpad init there',
    });
  }
  for (const problem of configProblems) {
    findings.push({ level: 'warn', about: 'config', found: problem, next: 'scratchpad config check' });
  }
  try {
    const pad = await store.read();
    for (const notice of pad.notices) findings.push({ level: 'warn', about: 'pad', found: notice });
    const { status, ageMs } = freshnessOf(pad.document, now);
    const age = ageMs === undefined ? '' : `, ${spellAge(ageMs)} old`;
    findings.push(
      status === 'fresh'
        ? { level: 'ok', about: 'state', found: `fresh${age}` }
        : {
            level: 'warn',
            about: 'state',
            found: `${status}${age}`,
            next: 'scratchpad assemble; a hook or a timer keeps it fresh',
          },
    );
  } catch (error) {
    findings.push({
      level: 'fail',
      about: 'pad',
      found: error instanceof Error ? error.message : String(error),
      next: 'scratchpad status',
    });
  }
  return findings;
}

/** What is wrong with a host's settings; nothing when we are not in them. */
function hostFindings(host: (typeof HOSTS)[number], root: string, env: NodeJS.ProcessEnv): Finding[] {
  const findings: Finding[] = [];
  for (const path of new Set(Object.values(settingsFiles(host, root, env)))) {
    const text = textOf(path);
    if (text === undefined) continue;
    try {
      const ours = hooksIn(text, path).filter(({ hook }) => isHookOf(host)(hook));
      if (ours.length === 0) continue;
      findings.push(...commandFindings(host, path, ours[0]?.hook ?? {}, env));
      findings.push(...switchedOff(host, path, read(text, path), env));
    } catch {
      findings.push({
        level: 'fail',
        about: host,
        found: `${path} is not valid JSON`,
        next: 'mend it: the host reads none of it',
      });
    }
  }
  return findings;
}

function commandFindings(host: string, path: string, hook: JsonObject, env: NodeJS.ProcessEnv): Finding[] {
  const line = typeof hook.command === 'string' ? hook.command : '';
  const words = Array.isArray(hook.args)
    ? [line, ...hook.args.map(String)]
    : (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, ''));
  const [command = '', script = ''] = words;
  const next = `scratchpad install ${host}`;
  if (whereIs(command, env) === undefined) {
    return [{ level: 'fail', about: host, found: `${path} calls ${command}, which cannot be run`, next }];
  }
  if (/\.[cm]?js$/.test(script) && !existsSync(script)) {
    return [{ level: 'fail', about: host, found: `${path} calls ${script}, which is not there`, next }];
  }
  return [{ level: 'ok', about: host, found: `hooks in ${path}` }];
}

function switchedOff(host: string, path: string, settings: JsonObject, env: NodeJS.ProcessEnv): Finding[] {
  if (host === 'claude-code' && settings.disableAllHooks === true) {
    return [
      {
        level: 'fail',
        about: host,
        found: `disableAllHooks is set in ${path}`,
        next: 'take it out of the settings',
      },
    ];
  }
  if (host === 'gemini-cli' && objectAt(settings, 'hooksConfig')?.enabled === false) {
    return [
      {
        level: 'fail',
        about: host,
        found: `hooksConfig.enabled is false in ${path}`,
        next: 'set it to true',
      },
    ];
  }
  return host === 'codex' ? codexTrust(path, env) : [];
}

/** Codex keeps the hash of every trusted hook in config.toml and skips the others without a word. */
function codexTrust(path: string, env: NodeJS.ProcessEnv): Finding[] {
  const config = join(settingsFiles('codex', '', env).user, '..', 'config.toml');
  const text = textOf(config) ?? '';
  if (/^\s*(?:codex_)?hooks\s*=\s*false/m.test(text)) {
    return [
      {
        level: 'fail',
        about: 'codex',
        found: `hooks are turned off in ${config}`,
        next: 'set hooks = true under [features]',
      },
    ];
  }
  const trusted = text.includes(`"${path}:`) && text.includes('trusted_hash');
  return trusted
    ? []
    : [
        {
          level: 'warn',
          about: 'codex',
          found: 'the hooks are not trusted yet, and Codex skips such hooks without a word',
          next: 'open Codex here and type /hooks',
        },
      ];
}

function openClawFindings(env: NodeJS.ProcessEnv): Finding[] {
  if (!existsSync(join(openClawHome(env), 'extensions', 'scratchpad'))) return [];
  const about = 'openclaw';
  const path = openClawConfig(env);
  try {
    const plugins = objectAt(read(readFileSync(path, 'utf8'), path), 'plugins');
    const entry = objectAt(objectAt(plugins, 'entries'), 'scratchpad');
    const hooks = objectAt(entry, 'hooks');
    const next = 'scratchpad install openclaw';
    if (plugins?.enabled === false || entry?.enabled !== true) {
      return [{ level: 'fail', about, found: `the plugin is not enabled in ${path}`, next }];
    }
    if (hooks?.allowConversationAccess !== true || hooks.allowPromptInjection === false) {
      return [{ level: 'fail', about, found: `the plugin may not see the conversation: ${path}`, next }];
    }
    const allow = plugins?.allow;
    if (Array.isArray(allow) && !allow.includes('scratchpad')) {
      return [
        {
          level: 'fail',
          about,
          found: `plugins.allow in ${path} leaves it out`,
          next: 'add scratchpad to that list',
        },
      ];
    }
    return [{ level: 'ok', about, found: `plugin enabled in ${path}` }];
  } catch (error) {
    const found = isObject(error) && 'message' in error ? String(error.message) : String(error);
    return [
      { level: 'warn', about, found: `${path}: ${found}`, next: 'check plugins.entries.scratchpad by hand' },
    ];
  }
}

/** Hooks may name the file; what agents are told to type needs the name. */
function onPath(env: NodeJS.ProcessEnv): Finding[] {
  if (whereIs('scratchpad', env) !== undefined) return [];
  return [
    {
      level: 'warn',
      about: 'PATH',
      found: 'no program called scratchpad: the hooks run, but the commands that the agent is told of do not',
      next: 'npm install -g scratchpad, or put its bin directory on the PATH',
    },
  ];
}

function lastRuns({ store }: Opened, now: number): Finding[] {
  const { last, lastFailure } = readRecord(store.paths.data);
  if (!last) {
    return [
      {
        level: 'warn',
        about: 'hooks',
        found: 'no hook has run in this workspace yet',
        next: 'start the host in this directory; a host that was running before has to be restarted',
      },
    ];
  }
  const age = now - Date.parse(last.at);
  const findings: Finding[] = [
    {
      level: age > SILENT_MS ? 'warn' : 'ok',
      about: 'hooks',
      found: `${last.host} ${last.event} ran ${spellAge(age)} ago`,
    },
  ];
  if (lastFailure) {
    const { host, event, at, outcome } = lastFailure;
    findings.push({
      level: 'warn',
      about: 'hooks',
      found: `${host} ${event}, ${spellAge(now - Date.parse(at))} ago: ${outcome}`,
    });
  }
  return findings;
}
