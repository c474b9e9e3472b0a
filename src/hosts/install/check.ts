import type { Config } from '../../config/config.ts';
import type { FileStore } from '../../session/file-store.ts';
import type { Workspace } from '../../session/workspace.ts';

/** One result of `doctor`. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  about: string;
  found: string;
  next?: string;
}

const finding =
  (level: Finding['level']) =>
  (about: string, found: string, next?: string): Finding => ({
    ...{ level, about, found },
    next,
  });
export const ok = finding('ok');
export const warn = finding('warn');
export const fail = finding('fail');

/** The workspace to examine, and where from. */
export interface Examined {
  workspace: Workspace;
  config: Config;
  configProblems: readonly string[];
  configRetired: readonly string[];
  configSources: ReadonlyMap<string, string>;
  store: FileStore;
  env: NodeJS.ProcessEnv;
  cwd: string;
  now: number;
}

/** Looks for one thing that silently keeps the scratchpad from an agent. */
export type Check = (at: Examined) => Finding[] | Promise<Finding[]>;
