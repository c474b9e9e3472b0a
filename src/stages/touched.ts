import { isAbsolute, relative } from 'node:path';
import type { Message } from '../transcript/types.ts';

/** A file that a tool was asked to read, run or change. */
export interface TouchedFile {
  /** Relative to the workspace or the session's directory if it is in one of them. */
  path: string;
  edited: boolean;
}

/** How much of calls and patches is read: the path comes before the content. */
const LONGEST_READ = 4000;
const PATH_MEMBER =
  /"(?:file_path|filePath|path|filename|file|absolute_path|notebook_path|target_file)"\s*:\s*"((?:[^"\\]|\\.){1,400})"/g;
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.{1,400})$|^\+\+\+ b\/(.{1,400})$/gm;
/** A path in a command line: it has a folder and an extension, and is not an option, a URL or a device. */
const IN_COMMAND =
  /(?<=^|[\s"'=])(?:~|\.{1,2})?\/?(?:[\w.@+-]+\/)+[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}(?=$|[\s"';:,)])/g;
const EDITS = /edit|write|patch|replace|create|insert|delete|remove|rename/i;
const NOT_WORK = /(?:^|\/)(?:node_modules|\.git|dist|proc|dev|tmp)\//;

/**
 * The files that the tool calls of a window name, the newest first, those that were changed before those that were
 * read. Results are ignored, because a listing names hundreds.
 *
 * @param roots the workspace, then the directory the session ran in
 */
export function touchedFiles(
  messages: readonly Message[],
  roots: readonly (string | undefined)[],
): TouchedFile[] {
  const files = new Map<string, TouchedFile>();
  for (const { role, content, tool = '' } of messages.toReversed()) {
    if (role !== 'tool') continue;
    for (const [path, edited] of namedIn(content.slice(0, LONGEST_READ), tool)) {
      const shown = shorten(path, roots);
      if (shown === '' || NOT_WORK.test(`/${shown}`)) continue;
      const known = files.get(shown);
      if (known) known.edited ||= edited;
      else files.set(shown, { path: shown, edited });
    }
  }
  const all = [...files.values()];
  return [...all.filter(({ edited }) => edited), ...all.filter(({ edited }) => !edited)];
}

function namedIn(content: string, tool: string): [path: string, edited: boolean][] {
  const patched = [...content.replace(/\\n/g, '\n').matchAll(PATCHED)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  if (patched.length > 0) return patched.map((path) => [path.replace(/["\\].*$/, ''), true]);
  // A call's input is JSON; a tool's result rarely is.
  if (!content.startsWith('{')) return [];
  const members = [...content.matchAll(PATH_MEMBER)].map((match) => match[1] ?? '');
  const edits = EDITS.test(tool);
  if (members.length > 0) return members.filter(isFile).map((path) => [path, edits]);
  if (!/"(?:command|cmd)"/.test(content)) return [];
  const written = /\bsed -i|(?:^|[^>])>{1,2}\s|\btee\b|\bpatch\b/.test(content);
  return [...content.matchAll(IN_COMMAND)].map((match) => [match[0], written]);
}

/** A folder is where something was searched, not a file that was worked on. */
function isFile(path: string): boolean {
  return /\.[A-Za-z]\w{0,9}$|\/?[A-Z]\w+file$/.test(path);
}

function shorten(path: string, roots: readonly (string | undefined)[]): string {
  const plain = path.replaceAll('\\\\', '/').replace(/^\.\//, '');
  if (!isAbsolute(plain)) return plain;
  for (const root of roots) {
    const inside = root === undefined ? '..' : relative(root, plain);
    if (inside !== '' && !inside.startsWith('..')) return inside;
  }
  return plain.replace(/^\/(?:home|Users)\/[^/]+\//, '~/');
}
