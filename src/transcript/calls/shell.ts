import { wordSet } from '../../base/text/strings.ts';

/** One command of a command line: its words without quotes, assignments and redirections. */
export interface Command {
  words: string[];
  /** The operator before it; a pipe's later stages are commands of their own. */
  after: '' | '&&' | '||' | ';' | '|';
  /** Files that its output goes to. */
  writes: string[];
  /** The directory of the `cd` before it, as written. */
  cd?: string;
}

/** How much of a command line is read. */
const LONGEST = 20_000;
const MOST_COMMANDS = 1000;
const DOCUMENT = /(?<!<)<<-?[ \t]*(["']?)([A-Za-z_]\w{0,60})\1/;
/** A quoted text, a comment, a redirection, an operator, blanks, or what else a word consists of. */
const PIECE = new RegExp(
  [
    String.raw`"(?<double>(?:[^"\\]|\\[\s\S])*)(?:"|$)|'(?<single>[^']*)(?:'|$)`,
    String.raw`(?<substitution>\$\((?:[^()]|\([^()]*\))*\)|${'`[^`]*`'})`,
    String.raw`(?<comment>(?<=^|\s)#[^\n]*)`,
    String.raw`(?<redirection>(?:\d?>{1,2}[&|]?|&>>?|\d?<{1,3}&?)[ \t]*)`,
    String.raw`(?<operator>&&|\|\||;;|\|&|[|;&()\n])`,
    String.raw`(?<space>(?:[^\S\n]|\\\n)+)|\\(?<escaped>[\s\S])`,
    '(?<plain>[^\\s\\\\"\'`$#()<>|;&]+|[\\s\\S])',
  ].join('|'),
  'g',
);
/** Words of the shell's grammar before a command, and assignments. */
const BEFORE = /^(?:then|do|else|elif|if|while|until|!|\{|[A-Za-z_]\w*\+?=[\s\S]*)$/;
/** Words of the shell's grammar that are no command. */
const GRAMMAR = wordSet('for case esac select function fi done } set');
/** Programs that only run another one. */
const WRAPPERS = wordSet(
  'sudo doas env command builtin exec nohup time timeout gtimeout nice stdbuf xargs rtk',
);

/** The commands of a command line, in order. */
export function commandsIn(line: string): Command[] {
  const found: Command[] = [];
  const places: (string | undefined)[] = [];
  let cd: string | undefined;
  let after: Command['after'] = '';
  let words: string[] = [];
  let writes: string[] = [];
  let word: string | undefined;
  let target: 'file' | 'nothing' | undefined;
  const endWord = (): void => {
    if (word === undefined) return;
    if (target === undefined) words.push(word);
    else if (target === 'file') writes.push(word);
    target = undefined;
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    target = undefined;
    while (words[0] !== undefined && BEFORE.test(words[0])) words.shift();
    const [first = '', second = '~'] = words;
    if ((first === 'cd' || first === 'pushd') && words.length <= 2)
      cd = cd === undefined || /^[/~]|^[A-Za-z]:/.test(second) ? second : `${cd}/${second}`;
    else if (words.length > 0 && !GRAMMAR.has(first)) found.push({ words, after, writes, cd });
    words = [];
    writes = [];
  };
  for (const { groups = {} } of withoutDocuments(line.slice(0, LONGEST)).matchAll(PIECE)) {
    if (found.length > MOST_COMMANDS) break;
    const { double, single, substitution, escaped, plain, comment, redirection, operator } = groups;
    const typed = double ?? single ?? substitution ?? escaped ?? plain;
    if (typed !== undefined) word = (word ?? '') + typed;
    else if (redirection !== undefined) {
      endWord();
      target = /^1?>{1,2}\|?\s*$/.test(redirection) ? 'file' : 'nothing';
    } else if (operator !== undefined) {
      endCommand();
      if (operator === '(') places.push(cd);
      else if (operator === ')') cd = places.pop();
      else if (operator === '&&' || operator === '||') after = operator;
      else after = found.length === 0 ? '' : operator.startsWith('|') ? '|' : ';';
    } else if (comment === undefined) endWord();
  }
  endCommand();
  return found;
}

/** A command line without the texts of its here-documents. */
function withoutDocuments(line: string): string {
  const kept: string[] = [];
  let mark: string | undefined;
  for (const one of line.split('\n')) {
    if (mark === undefined) {
      const found = DOCUMENT.exec(one);
      mark = found?.[2];
      kept.push(found === null ? one : one.replace(found[0], ''));
    } else if (one.trim() === mark) mark = undefined;
  }
  return kept.join('\n');
}

export const baseOf = (path: string): string => path.replace(/^.*[\\/]/, '').replace(/\.exe$/i, '');

/** The words of a command from its program on, without those that only run it: `sudo`, `timeout 60`. */
export function ranBy(words: readonly string[]): string[] {
  let at = 0;
  while (WRAPPERS.has(baseOf(words[at] ?? ''))) {
    do at += 1;
    while (/^-|^\d+[smh]?$|^[A-Za-z_]\w*=/.test(words[at] ?? ''));
  }
  return words.slice(at < words.length ? at : 0);
}
