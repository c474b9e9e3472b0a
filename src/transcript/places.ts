import { basename, dirname, join } from 'node:path';
import { claudeProjects, isClaudeFolder } from './hosts/claude.ts';
import { codexRollouts } from './hosts/codex.ts';
import { geminiHome } from './hosts/gemini.ts';
import type { Search } from './hosts/host.ts';
import { openClawState } from './hosts/openclaw.ts';
import { isPiFolder, piRoot } from './hosts/pi.ts';

/** A part of the file system in which files of one kind appear and change. */
export interface Place {
  /** Absolute; it need not exist yet. */
  root: string;
  /** Whether a folder below the root may hold such files, by the names that lead to it. Never asked for the root. */
  folder(parts: readonly string[]): boolean;
  /** Whether it is such a file, by its name and the names of the folders below the root that lead to it. */
  file(name: string, parts: readonly string[]): boolean;
}

/** Codex keeps a folder for each day; a session that is older than this is watched once it is the active one. */
const CODEX_DAYS_MS = 2 * 86_400_000;

/** Where the sessions of a workspace appear and change, over all hosts: wide enough, never narrower than discovery. */
export function sessionPlaces(search: Search): Place[] {
  const { names } = search.match;
  return [
    ...search.paths.flatMap((path) => fileOrFolder(path, (name) => /\.jsonl?$/.test(name))),
    {
      root: claudeProjects(search),
      folder: (parts) => parts.length === 1 && isClaudeFolder(parts[0] ?? '', names),
      file: (name, parts) => parts.length === 1 && name.endsWith('.jsonl') && !name.startsWith('agent-'),
    },
    { root: codexRollouts(search), folder: isRecentDay, file: (name) => /^rollout-.*\.jsonl$/.test(name) },
    {
      root: join(geminiHome(search), 'tmp'),
      folder: (parts) => parts.length === 1 || (parts.length === 2 && parts[1] === 'chats'),
      file: (name, parts) => parts.length === 2 && /^session-.*\.jsonl?$/.test(name),
    },
    {
      root: join(openClawState(search), 'agents'),
      folder: (parts) =>
        parts.length === 1 || (parts.length === 2 && (parts[1] === 'agent' || parts[1] === 'sessions')),
      file: (name, parts) => parts.length === 2 && /\.jsonl$|^sessions\.json$|\.sqlite(?:-wal)?$/.test(name),
    },
    {
      root: piRoot(search),
      folder: (parts) => parts.length === 1 && isPiFolder(parts[0] ?? '', names),
      file: (name, parts) => parts.length === 1 && name.endsWith('.jsonl'),
    },
  ];
}

/** One file, wherever it lies. */
export function onlyFile(path: string): Place {
  const wanted = basename(path);
  return { root: dirname(path), folder: () => false, file: (name) => name === wanted };
}

/** A path that is a file or a folder of such files, or will be one of them some day. */
export function fileOrFolder(path: string, isOne: (name: string) => boolean): Place[] {
  return [onlyFile(path), { root: path, folder: () => false, file: isOne }];
}

function isRecentDay(parts: readonly string[]): boolean {
  if (parts.length > 3 || !parts.every((part) => /^\d{2,4}$/.test(part))) return false;
  const oldest = new Date(Date.now() - CODEX_DAYS_MS).toISOString().slice(0, 10).split('-');
  return parts.join('-') >= oldest.slice(0, parts.length).join('-');
}
