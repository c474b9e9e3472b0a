import { basename, join } from 'node:path';
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
      return {
        targets: [{ ...guidanceIn(join(context.root, context.file ?? 'AGENTS.md')), within: context.root }],
        notes: [],
      };
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

/** Whether a hook of a settings file calls us for this host, in whatever form. */
export function callsUs(host: string): (hook: JsonObject) => boolean {
  return ({ command, args }) => {
    const words = [command, ...(Array.isArray(args) ? args : [])].join(' ');
    return words.includes('scratchpad') && words.includes(`hook ${host}`);
  };
}

/** What a person may have put around our command: more than that is theirs, and stays as it is. */
const STARTED_BY = /^(?:node|nodejs|bun|npx|npx\.cmd|node\.exe)$/;
const PROGRAM = /^scratchpad(?:\.(?:js|cjs|cmd|exe))?$/;

/**
 * Whether a hook of a settings file is one that we have written for this host: a call of the program, or of Node with
 * it, and nothing else.
 */
export function isHookOf(host: string): (hook: JsonObject) => boolean {
  return ({ command, args }) => {
    if (typeof command !== 'string') return false;
    const words = Array.isArray(args) ? [command, ...args.map(String)] : wordsOf(command);
    const [event = '', name, verb, ...before] = [...words].reverse();
    const [program = '', ...starter] = before.map((word) => basename(word.replaceAll('\\', '/')));
    const started = starter.filter((word) => word !== '-y' && word !== '--yes');
    return (
      verb === 'hook' &&
      name === host &&
      /^\w+$/.test(event) &&
      PROGRAM.test(program) &&
      started.length <= 1 &&
      started.every((word) => STARTED_BY.test(word))
    );
  };
}

/** The words of a line as `shellLine` writes it; none where a shell would do more than take it apart. */
function wordsOf(line: string): string[] {
  const word = /'(?:[^']|'\\'')*'|"[^"$`\\]*"|[\w@%+=:,./\\-]+/y;
  const words: string[] = [];
  for (let at = 0; at < line.length; ) {
    word.lastIndex = at;
    const [found] = word.exec(line) ?? [];
    if (found === undefined || !/^(?:\s|$)/.test(line.slice(at + found.length))) return [];
    words.push(/^['"]/.test(found) ? found.slice(1, -1).replaceAll("'\\''", "'") : found);
    at += found.length;
    while (/\s/.test(line[at] ?? '')) at += 1;
  }
  return words;
}
/** Commands, whose outputs may be long, and our own tools, whose changes the model knows of. */
const OURS_AND_COMMANDS = 'Bash|mcp__.*scratchpad.*';

function claudeCode({ root, env, scope, program }: InstallContext): Installation {
  const hook = (event: string): JsonObject => ({
    type: 'command',
    command: program.command,
    args: [...program.args, 'hook', 'claude-code', event],
    timeout: HOST_TIMEOUT_S,
  });
  const groups = new Map<string, HookGroup>();
  for (const event of ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'SubagentStart', 'Stop']) {
    groups.set(event, { hooks: [hook(event)] });
  }
  for (const event of ['PostToolUse', 'PostToolUseFailure']) {
    groups.set(event, { matcher: OURS_AND_COMMANDS, hooks: [hook(event)] });
  }
  const path = settingsFiles('claude-code', root, env)[scope];
  return { targets: [hooksTarget(path, groups, 'claude-code', scope, root)], notes: [] };
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
    targets: [hooksTarget(settingsFiles('codex', root, env)[scope], groups, 'codex', scope, root)],
    notes: [
      'Codex runs a new or changed hook only once you have trusted it: open Codex and type /hooks.',
      ...(scope === 'user' ? [] : ['Hooks of a project also need the project itself to be trusted.']),
    ],
  };
}

function geminiCli({ root, env, scope, program }: InstallContext): Installation {
  const groups = new Map<string, HookGroup>();
  for (const event of ['SessionStart', 'BeforeAgent', 'PreCompress', 'AfterAgent']) {
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
    targets: [hooksTarget(settingsFiles('gemini-cli', root, env)[scope], groups, 'gemini-cli', scope, root)],
    notes: [],
  };
}

function hooksTarget(
  path: string,
  groups: ReadonlyMap<string, HookGroup>,
  host: string,
  scope: Scope,
  root: string,
): Target {
  const isOurs = isHookOf(host);
  return {
    path,
    ...(scope === 'user' ? {} : { within: root }),
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
/** From an opening marker to the closing one that follows it, with no other opening one in between. */
const BETWEEN =
  /(?:\r?\n)?<!-- scratchpad:guidance -->(?:(?!<!-- scratchpad:guidance -->)[\s\S])*?<!-- \/scratchpad:guidance -->(?:\r?\n)?/;

/** The guidance between markers, at the end of a file that is a person's. */
export function guidanceIn(path: string): Target {
  const block = `${OPEN}\n${GUIDANCE.trimEnd()}\n${CLOSE}\n`;
  return {
    path,
    add(text) {
      if (text === undefined || isBlank(text)) return (text ?? '') + block;
      const eol = text.includes('\r\n') ? '\r\n' : '\n';
      const ours = block.replaceAll('\n', eol);
      const found = blockIn(text, path);
      if (found) {
        const lead = /^\r?\n/.exec(found[0])?.[0] ?? '';
        return text.slice(0, found.index) + lead + ours + text.slice(found.index + found[0].length);
      }
      return `${text}${text.endsWith('\n') ? '' : eol}${eol}${ours}`;
    },
    remove(text) {
      const found = blockIn(text, path);
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

/** @throws ScratchpadError `refused` when a marker is without the other: where our part ends is a person's to say */
function blockIn(text: string, path: string): RegExpExecArray | undefined {
  const found = BETWEEN.exec(text);
  const rest = found ? text.slice(0, found.index) + text.slice(found.index + found[0].length) : text;
  const stray = rest.indexOf(OPEN) >= 0 ? OPEN : rest.indexOf(CLOSE) >= 0 ? CLOSE : undefined;
  if (stray === undefined) return found ?? undefined;
  const at = stray === OPEN ? text.indexOf(OPEN) : text.lastIndexOf(CLOSE);
  throw new ScratchpadError('refused', 'the markers of the guidance do not match: nothing was changed', {
    where: `${path}:${text.slice(0, at).split('\n').length}`,
    expected: `${OPEN} and ${CLOSE}, once each`,
    found: `a ${stray} without the other`,
    next: 'delete that line, and what is left of the guidance, then run the command again',
  });
}
