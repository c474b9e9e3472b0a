import { join } from 'node:path';
import { GUIDANCE } from '../core/guidance.ts';
import { ScratchpadError } from '../errors.ts';
import type { JsonObject } from '../transcript/json.ts';
import type { Target } from './change.ts';
import { addHooks, type HookGroup, hooksIn, isBlank, read, removeHooks } from './hooks-json.ts';
import type { Installation, InstallContext, Scope } from './installation.ts';
import { homeOf, shellLine } from './program.ts';
import { isTimer, TIMERS } from './timers/timer.ts';

export const INSTALLABLE = [
  'claude-code',
  'codex',
  'gemini-cli',
  'openclaw',
  'agents-md',
  ...TIMERS,
] as const;

/** Seconds after which a host gives a hook up; ours is done after two. */
const HOST_TIMEOUT_S = 10;

/** @throws ScratchpadError `usage` for a host that is not known, or a scope that it does not have */
export async function installationOf(name: string, context: InstallContext): Promise<Installation> {
  if (isTimer(name)) return (await import('./timers/installation.ts')).timerInstallation(name, context);
  switch (name) {
    case 'claude-code':
    case 'claude':
      return claudeCode(context);
    case 'codex':
      return codex(context);
    case 'gemini-cli':
    case 'gemini':
      return geminiCli(context);
    case 'openclaw':
      return (await import('./openclaw.ts')).openClaw(context);
    case 'agents-md':
      return { targets: [guidanceIn(join(context.root, context.file ?? 'AGENTS.md'))], notes: [] };
    default:
      throw new ScratchpadError('usage', 'nothing of that name can be installed', {
        expected: INSTALLABLE.join(', '),
        found: name,
      });
  }
}

/** Files in which a host's hooks of ours may stand, by scope. */
export function settingsFiles(host: string, root: string, env: NodeJS.ProcessEnv): Record<Scope, string> {
  const home = homeOf(env);
  if (host === 'claude-code') {
    const user = env.CLAUDE_CONFIG_DIR || join(home, '.claude');
    return {
      project: join(root, '.claude', 'settings.json'),
      local: join(root, '.claude', 'settings.local.json'),
      user: join(user, 'settings.json'),
    };
  }
  if (host === 'codex') {
    const project = join(root, '.codex', 'hooks.json');
    return { project, local: project, user: join(env.CODEX_HOME || join(home, '.codex'), 'hooks.json') };
  }
  const project = join(root, '.gemini', 'settings.json');
  return { project, local: project, user: join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json') };
}

/** Whether a hook of a settings file calls us for this host. */
export function isHookOf(host: string): (hook: JsonObject) => boolean {
  return ({ command, args }) => {
    const words = [command, ...(Array.isArray(args) ? args : [])].join(' ');
    return words.includes('scratchpad') && words.includes(`hook ${host}`);
  };
}

function claudeCode({ root, env, scope, program }: InstallContext): Installation {
  const hook = (event: string): JsonObject => ({
    type: 'command',
    command: program.command,
    args: [...program.args, 'hook', 'claude-code', event],
    timeout: HOST_TIMEOUT_S,
  });
  const groups = new Map<string, HookGroup>();
  for (const event of [
    'SessionStart',
    'UserPromptSubmit',
    'PreCompact',
    'SubagentStart',
    'Stop',
    'SessionEnd',
  ]) {
    groups.set(event, { hooks: [hook(event)] });
  }
  for (const event of ['PostToolUse', 'PostToolUseFailure']) {
    groups.set(event, { matcher: 'Bash', hooks: [hook(event)] });
  }
  const path = settingsFiles('claude-code', root, env)[scope];
  return { targets: [hooksTarget(path, groups, 'claude-code')], notes: [] };
}

function codex({ root, env, scope, program }: InstallContext): Installation {
  const groups = new Map<string, HookGroup>();
  for (const event of [
    'SessionStart',
    'UserPromptSubmit',
    'PreCompact',
    'PostCompact',
    'SubagentStart',
    'Stop',
  ]) {
    const command = shellLine([program.command, ...program.args, 'hook', 'codex', event]);
    groups.set(event, { hooks: [{ type: 'command', command, timeout: HOST_TIMEOUT_S }] });
  }
  const after = shellLine([program.command, ...program.args, 'hook', 'codex', 'PostToolUse']);
  groups.set('PostToolUse', {
    matcher: 'Bash',
    hooks: [{ type: 'command', command: after, timeout: HOST_TIMEOUT_S }],
  });
  return {
    targets: [hooksTarget(settingsFiles('codex', root, env)[scope], groups, 'codex')],
    notes: [
      'Codex runs a new or changed hook only once you have trusted it: open Codex and type /hooks.',
      ...(scope === 'user' ? [] : ['Hooks of a project also need the project itself to be trusted.']),
    ],
  };
}

function geminiCli({ root, env, scope, program }: InstallContext): Installation {
  const groups = new Map<string, HookGroup>();
  for (const event of ['SessionStart', 'BeforeAgent', 'PreCompress', 'AfterAgent', 'SessionEnd']) {
    const command = shellLine([program.command, ...program.args, 'hook', 'gemini-cli', event]);
    const hook = { name: 'scratchpad', type: 'command', command, timeout: HOST_TIMEOUT_S * 1000 };
    groups.set(event, { hooks: [hook] });
  }
  const after = shellLine([program.command, ...program.args, 'hook', 'gemini-cli', 'AfterTool']);
  groups.set('AfterTool', {
    matcher: 'run_shell_command',
    hooks: [{ name: 'scratchpad', type: 'command', command: after, timeout: HOST_TIMEOUT_S * 1000 }],
  });
  return {
    targets: [hooksTarget(settingsFiles('gemini-cli', root, env)[scope], groups, 'gemini-cli')],
    notes: [],
  };
}

function hooksTarget(path: string, groups: ReadonlyMap<string, HookGroup>, host: string): Target {
  const isOurs = isHookOf(host);
  return {
    path,
    add: (text) => addHooks(text, groups, isOurs, path),
    remove(text) {
      if (isBlank(text) || !hooksIn(text, path).some(({ hook }) => isOurs(hook))) return text;
      const rest = removeHooks(text, isOurs, path);
      return Object.keys(read(rest, path)).length === 0 && !/\/[/*]/.test(rest) ? undefined : rest;
    },
  };
}

const OPEN = '<!-- scratchpad:guidance -->';
const CLOSE = '<!-- /scratchpad:guidance -->';
const BETWEEN = /(?:\r?\n)?<!-- scratchpad:guidance -->[\s\S]*?<!-- \/scratchpad:guidance -->(?:\r?\n)?/;

/** The guidance between markers, at the end of a file that is a person's. */
export function guidanceIn(path: string): Target {
  const block = `${OPEN}\n${GUIDANCE.trimEnd()}\n${CLOSE}\n`;
  return {
    path,
    add(text) {
      if (text === undefined || isBlank(text)) return (text ?? '') + block;
      const eol = text.includes('\r\n') ? '\r\n' : '\n';
      const ours = block.replaceAll('\n', eol);
      const found = BETWEEN.exec(text);
      if (found) {
        const lead = /^\r?\n/.exec(found[0])?.[0] ?? '';
        return text.slice(0, found.index) + lead + ours + text.slice(found.index + found[0].length);
      }
      return `${text}${text.endsWith('\n') ? '' : eol}${eol}${ours}`;
    },
    remove(text) {
      const found = BETWEEN.exec(text);
      if (!found) return text;
      const before = text.slice(0, found.index);
      const after = text.slice(found.index + found[0].length);
      // What a person wrote on either side of the markers must not become one line.
      const apart = before !== '' && !before.endsWith('\n') && after !== '';
      const rest = before + (apart ? (/^\r?\n/.exec(found[0])?.[0] ?? '\n') : '') + after;
      return isBlank(rest) ? undefined : rest;
    },
  };
}
