import { spawnSync } from 'node:child_process';
import { basename, delimiter, dirname, join } from 'node:path';
import { failure, refusal } from '../../base/errors.ts';
import { isExecutable, isInside, resolveRealPath } from '../../base/fs/index.ts';

export interface Program {
  command: string;
  /** Arguments before ours. */
  args: string[];
  /** This Node with this file, for hosts without the PATH of a shell. */
  fallback?: readonly string[];
}

/** The host's own commands for an installation. */
export interface Service {
  cwd: string;
  /** Run once its files are written. */
  start: readonly string[][];
  /** Run once its files are gone. */
  end: readonly string[][];
  /** The command to run instead if one of `start` fails. */
  next: string;
}

/** Folders that package managers empty: those of npx, pnpm dlx, yarn dlx, bunx, deno. */
const CACHES =
  /[\\/](?:_npx|dlx|dlx-[^\\/]+|xfs-[^\\/]+|bunx-[^\\/]+|\.yarn[\\/]cache|berry[\\/]cache|install[\\/]cache|deno[\\/]npm)[\\/]/;

function isInCache(path: string, { npm_config_cache, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): boolean {
  const homes = HOME ? [join(HOME, '.cache'), join(HOME, 'Library', 'Caches')] : [];
  const roots = [npm_config_cache, XDG_CACHE_HOME, ...homes];
  return CACHES.test(path) || roots.some((root) => root && isInside(resolveRealPath(root) ?? root, path));
}

/**
 * Refuses to install from a package manager's cache: the settings would work only until it is emptied.
 * @throws ScratchpadError `refused` if this program runs from one
 */
export function refuseCache(script: string, env: NodeJS.ProcessEnv): void {
  const self = resolveRealPath(script) ?? script;
  if (!isInCache(self, env)) return;
  throw refusal(
    'this program runs from a cache, such as that of npx, which is emptied: nothing was changed',
    {
      where: self,
      expected: 'an installed package',
      next: { command: 'npm install -g scratchpad && scratchpad install' },
    },
  );
}

/** `scratchpad` if the PATH leads to this very program, so that settings can be shared; else Node with this file. */
export function findProgram(script: string, env: NodeJS.ProcessEnv): Program {
  const self = resolveRealPath(script) ?? script;
  const named = findExecutable('scratchpad', env);
  const real = named === undefined ? undefined : (resolveRealPath(named) ?? named);

  return named !== undefined && (real === self || startsPackage(named, self))
    ? { command: 'scratchpad', args: [], fallback: [process.execPath, self] }
    : { command: process.execPath, args: [self] };
}

/** Whether a program on the PATH starts this package, which pnpm, Volta, mise, asdf and npm on Windows put elsewhere. */
function startsPackage(named: string, self: string): boolean {
  if (basename(resolveRealPath(named) ?? named) === basename(self)) return false;

  const dir = dirname(named);
  const home = /^(?:bin|shims)$/.test(basename(dir)) ? dirname(dir) : dir;

  return /[\\/]node_modules[\\/]/.test(self) && isInside(resolveRealPath(home) ?? home, self);
}

/** Folders on the PATH of `npx scratchpad install` that are not on that of the host, which runs the hooks. */
const NPX_FOLDER = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

export function findExecutable(command: string, env: NodeJS.ProcessEnv): string | undefined {
  if (/[\\/]/.test(command)) return isExecutable(command) ? command : undefined;

  const endings = process.platform === 'win32' ? ['.cmd', '.exe', ''] : [''];
  for (const dir of (env.PATH ?? '').split(delimiter)) {
    if (dir === '' || NPX_FOLDER.test(dir)) continue;
    for (const ending of endings) {
      const path = join(dir, command + ending);
      if (isExecutable(path)) return path;
    }
  }

  return undefined;
}

export const renderShellLine = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`)).join(' ');

const TIME_LIMIT_MS = 60_000;
const OUTPUT_LIMIT = 64 * 1024 * 1024;

/** @throws ScratchpadError `environment` if no program on the PATH has that name */
export function requireProgram(command: string, env: NodeJS.ProcessEnv): string {
  const path = findExecutable(command, env);
  if (path !== undefined) return path;
  throw failure(`the program ${command} was not found`, {
    expected: `a program called ${command} on the PATH`,
  });
}

/**
 * Runs a system program, with its messages in English.
 * @returns what it prints
 * @throws ScratchpadError `environment` with its own message if it fails, or does not exist
 */
export function runProgram(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  input: string | Uint8Array = '',
  cwd?: string,
): Buffer {
  const { error, status, stdout, stderr } = spawnSync(requireProgram(command, env), args, {
    env: { ...env, LC_ALL: 'C', NO_COLOR: '1' },
    input,
    cwd,
    timeout: TIME_LIMIT_MS,
    maxBuffer: OUTPUT_LIMIT,
  });

  if (status === 0) return stdout;

  const output = [stderr, stdout].map((bytes) => bytes?.toString('utf8').trim()).find(Boolean);
  throw failure(`${command} failed`, {
    where: [command, ...args.slice(0, 3)].join(' '),
    expected: 'exit code 0',
    found: `${status ?? 'a signal'}: ${output ?? error?.message ?? ''}`,
    cause: error,
  });
}
