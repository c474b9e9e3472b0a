import { resolve } from 'node:path';
import { refused } from '../base/errors.ts';
import { isInside, placeOf } from '../base/fs/index.ts';
import { gitPlace } from '../base/git/place.ts';
import { hostOf } from '../session/actor.ts';
import { findWorkspace, type Workspace } from '../session/workspace.ts';
import type { Invocation } from './invocation.ts';

/**
 * What a command may reach. A person's commands work anywhere. Those of an agent run unasked, so they stay in the
 * workspace of its session: the one that is found without the agent's words, from the environment and the directory
 * that its host put it in.
 */
type Caller = Pick<Invocation, 'options' | 'env' | 'cwd'>;

const OUTSIDE = 'run the command in a terminal of your own, outside the agent';

/**
 * The workspace of a command.
 * @param anywhere not for an agent's own commands: a host's settings started it, or its host asks the person
 * @throws ScratchpadError `refused` if an agent names another one than its session's
 */
export function workspaceOf({ options, env, cwd }: Caller, { anywhere = false } = {}): Workspace {
  const workspace = findWorkspace(options.workspace, env, cwd);
  if (anywhere || hostOf(env) === undefined || options.workspace === undefined) return workspace;
  const own = findWorkspace(undefined, env, cwd);
  if (placeOf(own.root) === placeOf(workspace.root)) return workspace;
  throw refused('an agent works in the workspace of its session: nothing was done', {
    where: '--workspace',
    expected: own.root,
    found: options.workspace,
    next: OUTSIDE,
  });
}

/**
 * An option that takes back what others wrote: an agent's commands run unasked.
 * @throws ScratchpadError `refused` for an agent
 */
export function forPeople({ env }: Pick<Caller, 'env'>, option: string): void {
  if (hostOf(env) === undefined) return;
  throw refused(`${option} is for a person: nothing was done`, { next: OUTSIDE });
}

/** Whether the command may create a workspace where there is none: asked for, and not by an agent. */
export function mayCreate({ options, env }: Pick<Caller, 'options' | 'env'>): boolean {
  if (!['', '0', 'off'].includes(env.SCRATCHPAD_INIT ?? '')) return true;
  return options.init === true && hostOf(env) === undefined;
}

/**
 * The path of a file that a command was given.
 * @throws ScratchpadError `refused` if an agent names a file outside the workspace of its session
 */
export function fileArgument(file: string, { env, cwd }: Pick<Caller, 'env' | 'cwd'>): string {
  const path = resolve(cwd, file);
  if (hostOf(env) === undefined) return path;
  const own = findWorkspace(undefined, env, cwd);
  const tops = [own.root, own.worktree === undefined ? own.root : (gitPlace(cwd)?.top ?? own.root)];
  if (own.exists && tops.some((top) => isInside(placeOf(top), placeOf(path)))) return path;
  throw refused('an agent works on files of its workspace: nothing was done', {
    where: path,
    expected: own.exists ? `a file in ${own.root}` : 'a workspace that holds the file',
    next: `pass a text on stdin, which the host checks: - < FILE; or ${OUTSIDE}`,
  });
}
