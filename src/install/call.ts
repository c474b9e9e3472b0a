import { spawnSync } from 'node:child_process';
import { ScratchpadError } from '../errors.ts';
import { whereIs } from './program.ts';

/** The result of a system program. */
export interface Called {
  /** `null` if a signal ended it. */
  code: number | null;
  stdout: Buffer;
  stderr: string;
}

const TIME_LIMIT_MS = 60_000;
const OUTPUT_LIMIT = 64 * 1024 * 1024;

/**
 * Calls a system program and waits for its end. Its messages are in English.
 * @throws ScratchpadError `environment` if it does not exist, or does not end
 */
export function call(words: readonly string[], env: NodeJS.ProcessEnv, input?: Uint8Array): Called {
  const [command = '', ...args] = words;
  const path = whereIs(command, env);
  if (path === undefined) {
    throw new ScratchpadError('environment', `the program ${command} was not found`, {
      expected: `a program called ${command} on the PATH`,
      found: env.PATH ?? '',
    });
  }
  const { error, status, stdout, stderr } = spawnSync(path, args, {
    env: { ...env, LC_ALL: 'C', NO_COLOR: '1' },
    input: input ?? '',
    timeout: TIME_LIMIT_MS,
    maxBuffer: OUTPUT_LIMIT,
  });
  if (error) {
    const found = error.message;
    throw new ScratchpadError('environment', `${command} failed`, { found, cause: error });
  }
  return { code: status, stdout, stderr: stderr.toString('utf8').trim() };
}

/** @throws ScratchpadError `environment` with the program's own message if it fails */
export function demand(words: readonly string[], env: NodeJS.ProcessEnv, input?: Uint8Array): Buffer {
  const { code, stdout, stderr } = call(words, env, input);
  if (code === 0) return stdout;
  throw new ScratchpadError('environment', `${words[0]} failed`, {
    where: words.slice(0, 4).join(' '),
    expected: 'exit code 0',
    found: `${code ?? 'a signal'}: ${stderr || stdout.toString('utf8').trim()}`,
  });
}
