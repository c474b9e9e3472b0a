import { dirname, join, resolve } from 'node:path';
import { exists, findHome, resolveRealPath } from '../base/fs/index.ts';
import { findGitPlace, findMainTop } from '../base/git/place.ts';
import { splitWordList } from '../base/text/strings.ts';
import { readMemoryFile } from './read.ts';

interface HostLocation {
  workspace: string;
  home: string;
  env: NodeJS.ProcessEnv;
}

const findClaudeHome = ({ home, env }: HostLocation): string =>
  env.CLAUDE_CONFIG_DIR || join(home, '.claude');
const findCodexHome = ({ home, env }: HostLocation): string => env.CODEX_HOME || join(home, '.codex');
const findGeminiFile = ({ home, env }: HostLocation): string =>
  join(env.GEMINI_CLI_HOME || home, '.gemini/GEMINI.md');

/**
 * Folders of Claude Code's auto memory of this project: one fact a file, and an index MEMORY.md. It names them after
 * the repository, or the folder in which it was started, with or without links resolved.
 */
function listAutoMemory(place: HostLocation): string[] {
  const { workspace } = place;
  const git = findGitPlace(workspace);
  const tops = [workspace, git?.top, git && findMainTop(git)].flatMap((top) =>
    top === undefined ? [] : [top],
  );
  const names = tops.flatMap((top) => [resolve(top), resolveRealPath(top) ?? resolve(top)]);

  return [...new Set(names)].map((name) =>
    join(findClaudeHome(place), 'projects', name.replace(/[^a-zA-Z0-9]/g, '-'), 'memory'),
  );
}

/** The files of a tool: searched if `memory.sources` names it, and put before the model by the tool itself. */
interface Layout {
  /** Searched in the workspace; loaded from the folders above it, too. */
  names?: string[];
  files?: string[];
  searched?: string[];
  loaded?: string[];
}

const LAYOUTS: Record<string, (place: HostLocation) => Layout> = {
  // https://code.claude.com/docs/en/memory: people's instructions, and its own notes on this project.
  'claude-code': (place) => ({
    names: ['CLAUDE.md', 'CLAUDE.local.md'],
    files: ['.claude/CLAUDE.md', join(findClaudeHome(place), 'CLAUDE.md')],
    searched: listAutoMemory(place),
    loaded: listAutoMemory(place).map((folder) => join(folder, 'MEMORY.md')),
  }),
  // https://developers.openai.com/codex/memories
  codex: (place) => ({
    names: ['AGENTS.md'],
    files: [join(findCodexHome(place), 'AGENTS.md')],
    searched: [join(findCodexHome(place), 'memories/MEMORY.md')],
  }),
  'gemini-cli': (place) => ({ names: ['GEMINI.md'], files: [findGeminiFile(place)] }),
  // https://docs.openclaw.ai/concepts/memory: its agent's own workspace, if different from this one.
  openclaw: ({ home, env }) => {
    const { OPENCLAW_PROFILE: profile = 'default' } = env;
    const name = profile === 'default' ? 'workspace' : `workspace-${profile}`;
    const base = join(env.OPENCLAW_STATE_DIR || join(home, '.openclaw'), name);

    return {
      searched: ['MEMORY.md', 'USER.md', 'memory'].map((each) => join(base, each)),
      loaded: splitWordList('AGENTS.md SOUL.md IDENTITY.md USER.md BOOTSTRAP.md MEMORY.md'),
    };
  },
};

/**
 * Memory files and folders besides the workspace's own: those in the configuration, Claude Code's notes on this
 * project, and memories of configured tools. Relative to the workspace or absolute.
 */
export function listMemoryPaths(
  { paths, sources }: { paths: readonly string[]; sources: readonly string[] },
  workspace: string,
  env: NodeJS.ProcessEnv = process.env,
): readonly string[] {
  const place = { workspace, home: findHome(env), env };
  const named = sources.flatMap((name) => {
    const { names = [], files = [], searched = [] } = LAYOUTS[name]?.(place) ?? {};
    return [...names, ...files, ...searched];
  });
  const notes = listAutoMemory(place).filter((folder) => !named.includes(folder) && exists(folder));

  return [...paths, ...notes, ...named];
}

/** How much of one file a host puts before the model: Claude Code of its MEMORY.md, OpenClaw of each. */
const LOADED_LINES = 200;
const LOADED_CHARACTERS = 20_000;
const MOST_IMPORTS = 40;
/** `@docs/rules.md`, as Claude Code and Gemini CLI import files. */
const IMPORT = /(?:^|\s)@((?:~\/)?[\w./-]+\.\w+)/gm;

/** What a host has put before the model by itself: its files and what they import. A line of them is no news. */
export function listLoadedFiles(
  host: string,
  workspace: string,
  env: NodeJS.ProcessEnv = process.env,
): string[] {
  const place = { workspace: resolve(workspace), home: findHome(env), env };
  const { names = [], files = [], loaded = [] } = LAYOUTS[host]?.(place) ?? {};
  const above = listParents(place.workspace).flatMap((folder) => names.map((name) => join(folder, name)));
  const waiting = [...above, ...[...files, ...loaded].map((path) => resolve(workspace, path))];
  const read = new Set<string>();
  const texts: string[] = [];

  for (let path = waiting.shift(); path !== undefined && read.size < MOST_IMPORTS; path = waiting.shift()) {
    const real = resolveRealPath(path);
    if (real === undefined || read.has(real)) continue;

    read.add(real);
    const found = readMemoryFile(real);
    if (!('text' in found)) continue;

    const isNotes = path.endsWith('memory/MEMORY.md');
    const loaded = host === 'openclaw' ? found.text.slice(0, LOADED_CHARACTERS) : found.text;
    texts.push(isNotes ? found.text.split('\n', LOADED_LINES).join('\n') : loaded);
    const folder = dirname(path);
    for (const [, name = ''] of found.text.matchAll(IMPORT))
      waiting.push(name.startsWith('~/') ? join(place.home, name.slice(2)) : resolve(folder, name));
  }

  return texts;
}

function listParents(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...listParents(above)];
}
