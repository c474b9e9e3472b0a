import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const MOST_PARENTS = 12;
const HEAD_BYTES = 1024;

/**
 * The branch that is checked out where a workspace lies, read from `.git/HEAD` without a process;
 * `detached at 1a2b3c4` when there is none, undefined outside a repository. A worktree and a
 * submodule have a file `.git` that says where their HEAD is.
 */
export function branchOf(workspace: string): string | undefined {
  let dir = workspace;
  for (let step = 0; step < MOST_PARENTS; step += 1) {
    const git = join(dir, '.git');
    const head = textOf(join(git, 'HEAD')) ?? headOfWorktree(dir, git);
    if (head !== undefined) return nameOf(head);
    const parent = dirname(dir);
    if (parent === dir) return undefined;
    dir = parent;
  }
  return undefined;
}

function headOfWorktree(dir: string, git: string): string | undefined {
  const text = textOf(git);
  const target = text === undefined ? undefined : /^gitdir: (.+)$/m.exec(text)?.[1];
  return target === undefined ? undefined : textOf(join(resolve(dir, target.trim()), 'HEAD'));
}

function nameOf(head: string): string | undefined {
  const branch = /^ref: refs\/heads\/(\S+)/.exec(head)?.[1];
  if (branch !== undefined) return branch;
  const commit = /^[\da-f]{40,64}$/.exec(head.trim())?.[0];
  return commit === undefined ? undefined : `detached at ${commit.slice(0, 7)}`;
}

/** A small regular file's text. A pipe would wait for ever, and nothing of ours is large. */
function textOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > HEAD_BYTES) return undefined;
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
