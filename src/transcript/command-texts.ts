import { join } from 'node:path';
import { tryList, tryReadText } from '../base/fs/index.ts';
import { splitWordList } from '../base/text/strings.ts';
import { normalizeText } from './content.ts';

/** Where a repository keeps commands whose text a host stores, unmarked, as the message of the person who called one. */
const FOLDERS = splitWordList(`
  .opencode/command .opencode/commands .pi/prompts .qwen/commands .factory/commands
`);
const MOST_NAMES = 300;
/** Characters of a command without which it is too short to be told from words that were typed. */
const LEAST = 30;
/** The same in one piece: letters with a hole behind each would be found in any long message. */
const LEAST_PIECE = 20;
const FRONT_MATTER = /^---\n[\s\S]*?\n---[ \t]*\n/;
/** What the host fills in: arguments, files and outputs of a shell. A line may have been changed at its end. */
const HOLES = /\n|\$(?:ARGUMENTS|@|\d+|\{@[^}]*\})|\{\{args\}\}|[!@]\{[^}]*\}|!`[^`]*`/;

/** The commands of a folder and those below it; each as its pieces between what the host fills in. */
export function listCommandTexts(root: string): string[][] {
  const texts: string[][] = [];
  const paths = FOLDERS.map((folder) => join(root, folder));

  for (let at = 0; at < paths.length && at < MOST_NAMES; at += 1) {
    const path = paths[at] ?? '';
    if (!path.endsWith('.md')) paths.push(...tryList(path).map((name) => join(path, name)));
    else texts.push(splitAtHoles(tryReadText(path, 'config') ?? ''));
  }

  return texts.filter(
    (pieces) => pieces.join('').length >= LEAST && pieces.some(({ length }) => length >= LEAST_PIECE),
  );
}

const splitAtHoles = (text: string): string[] =>
  normalizeText(text)
    .replace(FRONT_MATTER, '')
    .trim()
    .split(HOLES)
    .map((piece) => piece.trim());

/** Whether a message begins like a command and holds all of it in its order; what was typed may follow. */
export function isCommandText(text: string, [first = '', ...pieces]: readonly string[]): boolean {
  let end = first.length;
  const follows = (piece: string): boolean => {
    const at = text.indexOf(piece, end);
    end = at + piece.length;
    return at !== -1;
  };

  return text.startsWith(first) && pieces.every(follows);
}
