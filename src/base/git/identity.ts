import { join } from 'node:path';
import { tryReadText } from '../fs/index.ts';
import type { GitPlace } from './place.ts';

/**
 * Identifies a repository across machines and moves: by the address of its origin, else by its first commit,
 * if the log has it.
 */
export function repositoryIdentity(place: GitPlace): string | undefined {
  return originOf(place) ?? firstCommit(place);
}

/** `git@github.com:a/b.git` and `https://user:token@github.com/a/b` are both `github.com/a/b`. */
export function originOf({ commonDir }: GitPlace): string | undefined {
  const config = tryReadText(join(commonDir, 'config'), 'git') ?? '';
  const section = /^\s*\[remote "origin"\]([^[]*)/m.exec(config)?.[1] ?? '';
  const url = /^\s*url\s*=\s*"?(.+?)"?\s*$/m.exec(section)?.[1];
  if (url === undefined) return undefined;
  const [, host, path] =
    /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(url) ??
    /^(?:[^@/]*@)?([\w.-]+):(?!\\)(.+)$/.exec(url) ??
    [];
  // A local path means nothing on another machine.
  if (host === undefined || path === undefined) return undefined;
  return `${host.toLowerCase()}/${path.replace(/^\/+|(?:\.git)?\/*$/g, '')}`;
}

/**
 * The log of a repository that was created here starts with its first commit; that of a clone with the commit
 * it was cloned at.
 */
function firstCommit({ commonDir }: GitPlace): string | undefined {
  const log = tryReadText(join(commonDir, 'logs', 'HEAD'), 'git') ?? '';
  return /^0+ ([\da-f]{40,64}) [^\n]*\tcommit \(initial\)/.exec(log)?.[1];
}
