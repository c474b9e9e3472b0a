import { join } from 'node:path';
import { homeOf } from '../fs/index.ts';
import { gitPlace, mainTopOf } from '../git/place.ts';
import type { Scope } from './installation.ts';

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
    return { project, local: project, user: join(codexHome(env), 'hooks.json') };
  }
  const project = join(root, '.gemini', 'settings.json');
  return { project, local: project, user: join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json') };
}

export function codexHome(env: NodeJS.ProcessEnv): string {
  return env.CODEX_HOME || join(homeOf(env), '.codex');
}

/** Where Claude Code keeps what it knows of a person and of each project, MCP servers among it. */
export function claudeState(env: NodeJS.ProcessEnv): string {
  return join(env.CLAUDE_CONFIG_DIR || homeOf(env), '.claude.json');
}

/** The folder by which Claude Code knows a project: that of the repository's main work tree, where there is one. */
export function claudeProject(root: string): string {
  const place = gitPlace(root);
  return place === undefined ? root : ((place.linked && mainTopOf(place)) ?? place.top);
}
