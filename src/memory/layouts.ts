import { join, resolve } from 'node:path';
import { homeOf, realPathOf } from '../fs/index.ts';

/** The environment's paths for files of other tools. */
interface Place {
  workspace: string;
  home: string;
  env: NodeJS.ProcessEnv;
}

/** Memories of other tools, by their names in `memory.sources`. Missing ones are ignored. */
const LAYOUTS: Record<string, (place: Place) => string[]> = {
  // https://code.claude.com/docs/en/memory: people's instructions, and its own notes on this project.
  'claude-code': ({ workspace, home, env }) => {
    const base = env.CLAUDE_CONFIG_DIR || join(home, '.claude');
    // It names the folder after its start directory, with or without links resolved.
    const names = new Set([resolve(workspace), realPathOf(workspace) ?? resolve(workspace)]);
    const projects = [...names].map((name) => name.replace(/[^a-zA-Z0-9]/g, '-'));
    return [
      'CLAUDE.md',
      'CLAUDE.local.md',
      '.claude/CLAUDE.md',
      join(base, 'CLAUDE.md'),
      ...projects.map((project) => join(base, 'projects', project, 'memory')),
    ];
  },
  // https://developers.openai.com/codex/memories
  codex: ({ home, env }) => {
    const base = env.CODEX_HOME || join(home, '.codex');
    return ['AGENTS.md', join(base, 'AGENTS.md'), join(base, 'memories/MEMORY.md')];
  },
  'gemini-cli': ({ home, env }) => ['GEMINI.md', join(env.GEMINI_CLI_HOME || home, '.gemini/GEMINI.md')],
  // https://docs.openclaw.ai/concepts/memory: its agent's own workspace, if different from this one.
  openclaw: ({ home, env }) => {
    const { OPENCLAW_PROFILE: profile = 'default' } = env;
    const name = profile === 'default' ? 'workspace' : `workspace-${profile}`;
    const base = join(env.OPENCLAW_STATE_DIR || join(home, '.openclaw'), name);
    return ['MEMORY.md', 'USER.md', 'memory'].map((each) => join(base, each));
  },
};

/**
 * Memory files and folders besides the workspace's own: those in the configuration, and those of configured tools.
 * Relative to the workspace or absolute.
 */
export function memoryPaths(
  { paths, sources }: { paths: readonly string[]; sources: readonly string[] },
  workspace: string,
  env: NodeJS.ProcessEnv = process.env,
): readonly string[] {
  if (sources.length === 0) return paths;
  const place = { workspace, home: homeOf(env), env };
  return [...paths, ...sources.flatMap((name) => LAYOUTS[name]?.(place) ?? [])];
}
