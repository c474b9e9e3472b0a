import { isAbsolute, normalize, posix, relative, resolve } from 'node:path';
import { type JsonObject, textAt } from '../../base/text/json.ts';
import { wordList, wordSet } from '../../base/text/word-list.ts';
import type { Command } from './shell.ts';

/** A file that a call changed or removed. */
export interface Edit {
  /** Relative to the workspace if it is inside; else absolute. */
  path: string;
  how: 'edit' | 'remove';
}

const EDIT_TOOLS = wordSet(`
  edit multiedit write writefile notebookedit replace strreplace strreplacebasededittool createfile editfile applypatch
`);
const PATH_KEYS = wordList('file_path filePath path absolute_path notebook_path target_file filename');
const PATCHED = /^\*\*\* (Add File|Update File|Delete File|Move to): (.{1,400})$/gm;
/** Programs whose redirected output is a file that somebody writes; of others it is a log. */
const WRITERS = wordSet('cat echo printf');

/** Files that a tool of the host edits, by its name and arguments. */
export function editedByTool(tool: string, input: JsonObject): Edit[] {
  if (!EDIT_TOOLS.has(tool.toLowerCase().replace(/[_-]/g, '')) || input.command === 'view') return [];
  const path = PATH_KEYS.map((key) => textAt(input, key)).find((one) => one !== undefined);
  return path === undefined ? [] : [{ path, how: 'edit' }];
}

/** Files of a patch in Codex's form. */
export function editedByPatch(patch: string): Edit[] {
  const edits: Edit[] = [];
  for (const [, how, name = ''] of patch.matchAll(PATCHED)) {
    const last = edits.at(-1);
    if (how === 'Move to' && last !== undefined) last.how = 'remove';
    edits.push({ path: name.trim(), how: how === 'Delete File' ? 'remove' : 'edit' });
  }
  return edits;
}

/** Files that commands of a shell change, relative to where each ran. */
export function editedByCommands(commands: readonly Command[]): Edit[] {
  const edits: Edit[] = [];
  for (const { words, cd, writes, into } of commands) {
    const [program = '', ...rest] = words[0] === 'git' ? words.slice(1) : words;
    const named = rest.filter(isFileName);
    const add = (how: Edit['how'], paths: readonly string[]): void => {
      for (const path of paths.filter(isFileName))
        edits.push({ path: cd === undefined || isAbsolute(path) ? path : posix.join(cd, path), how });
    };
    for (const [stage, ...args] of into) if (stage === 'tee') add('edit', args);
    if (WRITERS.has(program) && words[0] !== 'git') add('edit', writes);
    else if (program === 'tee') add('edit', named);
    else if (program === 'mv' && named.length === 2) {
      add('remove', named.slice(0, 1));
      add('edit', named.slice(1));
    } else if (program === 'cp' && named.length === 2) add('edit', named.slice(1));
    else if (program === 'sed' && rest.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/.test(word)))
      add('edit', named);
    else if (program === 'perl' && rest.some((word) => /^-\w*i/.test(word))) add('edit', named);
    else if (program === 'rm' && !rest.includes('--cached')) add('remove', named);
  }
  return edits;
}

/** A path for display: with forward slashes, relative to the workspace if it is inside. */
export function placed(path: string, root: string, base: string): string {
  const plain = path.replace(/^file:\/\//, '').replace(/\\/g, '/');
  const full = isAbsolute(plain) || /^(?:~|[A-Za-z]:)\//.test(plain) ? plain : resolve(base, plain);
  if (full.startsWith('~')) return full;
  const inside = relative(root, full).replace(/\\/g, '/');
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
    ? posix.normalize(inside)
    : normalize(full);
}

function isFileName(word: string): boolean {
  return (
    !word.startsWith('-') &&
    !/[*?{}$<>|;,"'\n]|^\d/.test(word) &&
    /(?:^|\/)[\w.@+-]*\.[A-Za-z]\w{0,9}$|(?:^|\/)[A-Z]\w+file$/.test(word)
  );
}
