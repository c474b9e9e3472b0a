import { dirname, join, relative } from 'node:path';
import { readText, realPathOf, tryReadText } from '../../base/fs/index.ts';
import { packageFolder } from '../../base/package.ts';
import { objectAt } from '../../base/text/json.ts';
import { type Finding, fail, ok, warn } from './check.ts';
import type { Installed } from './check-hosts.ts';
import { read } from './hooks-json.ts';
import { settingsFiles } from './settings-file.ts';

/** Gemini CLI silently runs no hooks in a folder that nobody has trusted. */
export function geminiTrusted({ root, env }: Installed): Finding[] {
  const { user } = settingsFiles('gemini-cli', root, env);
  if (env.GEMINI_CLI_TRUST_WORKSPACE === 'true' || !asksForTrust(user)) return [];
  const rules = join(dirname(user), 'trustedFolders.json');
  const level = trustOf(root, rules);
  if (level === 'TRUST_FOLDER' || level === 'TRUST_PARENT') return [];
  const where = `${level === undefined ? 'not in' : 'ruled out by'} ${rules}`;
  const found = `Gemini CLI runs no hooks in a folder that is not trusted: ${root} is ${where}`;
  const here = 'start gemini here once and trust the folder';
  return [fail('gemini-cli', found, `${here}; without a terminal: GEMINI_CLI_TRUST_WORKSPACE=true`)];
}

const HOOKS = 'hooks/hooks.json';

/** Gemini CLI runs a copy of an extension: a copy of an older package behaves like that one. */
export function geminiCopy(copy: string): Finding[] {
  const same =
    tryReadText(join(copy, HOOKS), 'host') ===
    tryReadText(join(packageFolder(), 'templates/gemini-extension', HOOKS), 'package');
  return [
    same
      ? ok('gemini-cli', `extension in ${copy}`)
      : warn('gemini-cli', `${copy} is a copy of another version`, 'gemini extensions update scratchpad'),
  ];
}

function asksForTrust(user: string): boolean {
  const text = readText(user, 'host');
  if (text === undefined || text.trim() === '') return true;
  return objectAt(objectAt(read(text, user), 'security'), 'folderTrust')?.enabled !== false;
}

/** The rule for the innermost folder that contains this one. */
function trustOf(root: string, path: string): string | undefined {
  const text = readText(path, 'host');
  if (text === undefined) return undefined;
  let best = { length: -1, level: undefined as string | undefined };
  for (const [folder, level] of Object.entries(read(text, path))) {
    const covered = realPath(level === 'TRUST_PARENT' ? dirname(folder) : folder);
    const inside = !relative(covered, realPath(root)).startsWith('..');
    if (inside && covered.length > best.length) best = { length: covered.length, level: String(level) };
  }
  return best.level;
}

function realPath(path: string): string {
  return realPathOf(path) ?? path;
}
