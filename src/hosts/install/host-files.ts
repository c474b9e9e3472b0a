import { join } from 'node:path';
import { homeOf } from '../../base/fs/index.ts';
import { gitPlace, mainTopOf } from '../../base/git/place.ts';
import type { Scope } from './installation.ts';

/* Where hosts keep their settings. */

/** The files that may contain our hooks for a host, by scope. */
export function settingsFiles(host: string, root: string, env: NodeJS.ProcessEnv): Record<Scope, string> {
  const home = homeOf(env);
  if (host === 'claude-code')
    return {
      project: join(root, '.claude', 'settings.json'),
      local: join(root, '.claude', 'settings.local.json'),
      user: join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
    };
  if (host === 'codex') {
    const project = join(root, '.codex', 'hooks.json');
    return { project, local: project, user: join(env.CODEX_HOME || join(home, '.codex'), 'hooks.json') };
  }
  const project = join(root, '.gemini', 'settings.json');
  return { project, local: project, user: join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json') };
}

/** Where Claude Code stores what it knows about a person and their projects, including MCP servers. */
export function claudeState(env: NodeJS.ProcessEnv): string {
  return join(env.CLAUDE_CONFIG_DIR || homeOf(env), '.claude.json');
}

/** The folder by which Claude Code identifies a project: the repository's main work tree, if there is one. */
export function claudeProject(root: string): string {
  const place = gitPlace(root);
  return place === undefined ? root : ((place.linked && mainTopOf(place)) ?? place.top);
}

/** OpenClaw's state directory. */
export function openClawState(env: NodeJS.ProcessEnv): string {
  return env.OPENCLAW_STATE_DIR || join(homeOf(env), '.openclaw');
}
