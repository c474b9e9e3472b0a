import { basename } from 'node:path';
import { parseTimetable } from '../../assembly/triggers/times.ts';
import { ScratchpadError, usageError } from '../../base/errors.ts';
import { decodeBytes, encodeBytes, resolveRealPath } from '../../base/fs/index.ts';
import { digestText, makeSlug } from '../../base/text/strings.ts';
import type { Target, TextPlace } from './change.ts';
import { findExecutable, renderShellLine, runProgram } from './program.ts';
import type { Installation, InstallContext } from './types.ts';

/** Variables that locate the hosts' sessions and our settings: cron starts without the person's environment. */
const LOCATING_VARIABLES = [
  ...['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'GEMINI_CLI_HOME', 'OPENCLAW_CONFIG_PATH', 'OPENCLAW_STATE_DIR'],
  ...['PI_CODING_AGENT_DIR', 'TZ', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME'],
];

/**
 * A block in the person's crontab that assembles a session's state. Its times are in the system's zone; errors go where
 * cron sends them.
 * @throws ScratchpadError `usage` for invalid times, or a path that a crontab cannot hold
 */
export function buildCron({ root, env, session, scope, times = {} }: InstallContext): Installation {
  const { cron } = parseTimetable(times);
  if (scope !== 'project')
    throw usageError('a timer belongs to one workspace', { expected: 'no --scope', found: scope });

  const script = process.argv[1] ?? 'scratchpad';
  const variables = LOCATING_VARIABLES.flatMap((name) => (env[name] ? [`${name}=${env[name]}`] : []));
  const words = [
    ...(variables.length > 0 ? ['/usr/bin/env', ...variables] : []),
    ...[process.execPath, resolveRealPath(script) ?? script],
    ...['assemble', '--quiet', '--trigger', 'cron', '--workspace', root],
    ...(session === undefined ? [] : ['--session', session]),
  ];
  const invalid = words.find((word) => /[\u0000-\u001f\u007f]/.test(word));
  if (invalid !== undefined)
    throw usageError('cron does not support this path', {
      where: invalid,
      expected: 'paths without line breaks and other control characters',
    });

  const id = digestText(`${root}\n${session ?? ''}`).slice(0, 8);
  const name = ['scratchpad', makeSlug(basename(root)).slice(0, 24), id].filter(Boolean).join('-');
  const about = `keeps the scratchpad of ${root}${session === undefined ? '' : `, session ${session},`} fresh`;
  // cron ends the command at a percent sign, even in quotes (crontab(5)).
  const command = `${renderShellLine(words)} >/dev/null`.replaceAll('%', '\\%');
  const block = `# >>> ${name}: ${about}\n${cron} ${command}\n# <<< ${name}\n`;
  const between = new RegExp(`^# >>> ${name}:.*\\n(?:(?!# (?:>>>|<<<) ).*\\n)*# <<< ${name}(?:\\n|$)`, 'm');
  const target: Target = {
    path: findExecutable('crontab', env)
      ? 'crontab'
      : 'crontab (that program was not found: install cron, or use scratchpad schedule)',
    place: openCrontab(env),
    add(text = '') {
      if (between.test(text)) return text.replace(between, () => block);
      return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${block}`;
    },
    remove: (text) => text.replace(between, '') || undefined,
  };

  return { targets: [target], notes: ['Errors come as mail from cron; status names them too.'] };
}

const openCrontab = (env: NodeJS.ProcessEnv): TextPlace => ({
  read() {
    if (findExecutable('crontab', env) === undefined) return undefined;
    try {
      return decodeBytes(runProgram(['crontab', '-l'], env));
    } catch (error) {
      const { found = '' } = error instanceof ScratchpadError ? error.detail : {};
      if (/no crontab for|can't open|no such file/i.test(found)) return undefined;
      throw error;
    }
  },
  write: (text) => void runProgram(['crontab', '-'], env, encodeBytes(text)),
  remove: () => void runProgram(['crontab', '-r'], env),
});
