import { join } from 'node:path';
import { misuse } from '../../base/errors.ts';
import { exists } from '../../base/fs/index.ts';
import { editConfig } from '../../config/file.ts';
import { configFiles } from '../../config/load.ts';
import { GUIDANCE } from '../../core/guidance.ts';
import { markedBlock, type Target } from './change.ts';
import type { Installation, InstallContext } from './installation.ts';
import { isTimer, TIMERS } from './timer.ts';

export const HOSTS = ['claude-code', 'codex', 'gemini-cli', 'openclaw'] as const;
export const INSTALLABLE = [...HOSTS, 'agents-md', ...TIMERS] as const;

/** @throws ScratchpadError `usage` for an unknown host, or a scope that it does not have */
export async function installationOf(name: string, context: InstallContext): Promise<Installation> {
  if (isTimer(name)) return (await import('./timers.ts')).timerInstallation(name, context);
  switch (name) {
    case 'claude-code':
      return (await import('./claude-code.ts')).claudeCode(context);
    case 'codex':
      return (await import('./codex.ts')).codex(context);
    case 'gemini-cli':
      return (await import('./gemini-cli.ts')).geminiCli(context);
    case 'openclaw':
      return (await import('./openclaw.ts')).openClaw(context);
    case 'agents-md': {
      const { root, file = 'AGENTS.md' } = context;
      const path = join(root, file);
      return {
        // At the end of a person's file.
        targets: [
          { ...markedBlock(path, GUIDANCE_MARKERS, `${GUIDANCE.trimEnd()}\n`), within: root },
          stateAtPrompts(root),
        ],
        does: [
          `guidance    what the scratchpad is and how it is used (${path})`,
          'settings    state.write: prompt, because here the agent reads SCRATCHPAD.md itself',
        ],
        notes: [],
      };
    }
    default:
      throw misuse('unknown installation target', { expected: INSTALLABLE.join(', '), found: name });
  }
}

/** `state.write: prompt` in the workspace's config, unless it is set already. */
function stateAtPrompts(root: string): Target {
  const key = 'state.write';
  return {
    path: configFiles(root, {}).workspace,
    within: root,
    add: (text = '') => (/^state\.write:|^\s+write:/m.test(text) ? text : editConfig(text, key, 'prompt')),
    remove: (text) => {
      const rest = editConfig(text, key, undefined);
      return /^\s*(?:\{\}|state: \{\})?\s*$/.test(rest) ? undefined : rest;
    },
  };
}

const GUIDANCE_MARKERS = { open: '<!-- scratchpad:guidance -->', close: '<!-- /scratchpad:guidance -->' };

/** What a host leaves in the projects that it works in. */
const SIGNS: readonly (readonly [host: string, signs: readonly string[]])[] = [
  ['claude-code', ['.claude', 'CLAUDE.md']],
  ['codex', ['.codex']],
  ['gemini-cli', ['.gemini', 'GEMINI.md']],
  ['openclaw', ['SOUL.md', 'HEARTBEAT.md']],
];

/** The hosts that work in a folder, each with the file that shows it. */
export function hostsIn(root: string): (readonly [host: string, sign: string])[] {
  return SIGNS.flatMap(([host, signs]) => {
    const sign = signs.find((name) => exists(join(root, name)));
    return sign === undefined ? [] : [[host, sign] as const];
  });
}
