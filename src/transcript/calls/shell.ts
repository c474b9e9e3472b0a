import { wordSet } from '../../base/text/word-list.ts';
import { type Unwrapped, unwrap } from './wrappers.ts';

/** One simple command of a command line, without assignments, redirections and wrappers. */
export interface Command extends Unwrapped {
  /** The operator before it. */
  after: '' | '&&' | '||' | ';';
  /** The later stages of its pipe. */
  into: string[][];
  /** Whether the shell was told that a pipe fails where any of its stages does. */
  pipefail: boolean;
  /** Runs in the background: what is printed is not all of it. */
  background: boolean;
  /** Files that its output goes to. */
  writes: string[];
  /** The directory of the `cd` before it, as written. */
  cd?: string;
}

/** A word without its quotes, an operator, or a file that output goes to. */
type Token = { kind: 'word' | 'operator' | 'file'; value: string };

/** How much of a command line is read. */
const LONGEST = 20_000;
/** Deeper quotes and substitutions in each other are nobody's command. */
const DEEPEST = 40;
const MOST_COMMANDS = 1000;
const DOCUMENT = /<<-?[ \t]*(["']?)([A-Za-z_]\w{0,60})\1/y;
/** What a command line consists of besides quotes and comments. */
const PIECE = new RegExp(
  [
    String.raw`(?<document><<-?[ \t]*(["']?)(?<mark>[A-Za-z_]\w{0,60})\2)`,
    String.raw`(?<redirection>(?:\d?>{1,2}[&|]?|&>>?|\d?<{3}|\d?<&?)[ \t]*)`,
    String.raw`(?<operator>&&|\|\||;;|\|&|[|;&()\n])`,
    String.raw`(?<space>(?:[^\S\n]|\\\n)+)`,
    String.raw`\\(?<escaped>[\s\S])`,
    '(?<plain>[^\\s\\\\"\'`$#()<>|;&]+|[\\s\\S])',
  ].join('|'),
  'y',
);
/** Words of the shell's grammar before a command, and assignments. */
const BEFORE = /^(?:then|do|else|elif|if|while|until|!|\{|[A-Za-z_]\w*\+?=[\s\S]*)$/;
/** Words of the shell's grammar that are no command. */
const GRAMMAR = wordSet('for case esac select function fi done }');
const SHELLS = wordSet('bash sh zsh dash fish');

/** The simple commands of a command line, in order; of `bash -c "…"` those that it runs. */
export function commandsIn(line: string, depth = 0): Command[] {
  const found: Command[] = [];
  const places: (string | undefined)[] = [];
  let cd: string | undefined;
  let pipefail = false;
  let after: Command['after'] = '';
  let stage = false;
  let tokens: Token[] = [];
  const end = (): void => {
    const writes = tokens.filter(({ kind }) => kind === 'file').map(({ value }) => value);
    const words = tokens.filter(({ kind }) => kind === 'word').map(({ value }) => value);
    tokens = [];
    while (words[0] !== undefined && BEFORE.test(words[0])) words.shift();
    const [first = '', second] = words;
    if (words.length === 0 || GRAMMAR.has(first)) return;
    if (stage) {
      found.at(-1)?.into.push(words);
      found.at(-1)?.writes.push(...writes);
    } else if ((first === 'cd' || first === 'pushd') && words.length <= 2)
      cd = cd === undefined || /^[/~]|^[A-Za-z]:/.test(second ?? '~') ? (second ?? '~') : `${cd}/${second}`;
    else if (first === 'set') pipefail ||= words.includes('pipefail');
    else {
      const plain = unwrap(words);
      const common = { pipefail, background: false, writes, cd };
      const script = depth > 2 ? undefined : scriptOf(plain.words);
      if (script === undefined) found.push({ ...plain, after, into: [], ...common });
      else
        for (const [index, inner] of commandsIn(script, depth + 1).entries())
          found.push({ ...common, ...inner, cd: inner.cd ?? cd, after: index === 0 ? after : inner.after });
    }
  };
  for (const token of tokensOf(line.slice(0, LONGEST))) {
    if (found.length > MOST_COMMANDS) break;
    const { value, kind } = token;
    if (kind !== 'operator') {
      tokens.push(token);
      continue;
    }
    end();
    if (value === '(') places.push(cd);
    else if (value === ')') cd = places.pop();
    const last = found.at(-1);
    if (value === '&' && last !== undefined) last.background = true;
    stage = value === '|' || value === '|&';
    if (value === '&&' || value === '||') after = value;
    else if (!stage && value !== '(' && value !== ')') after = found.length === 0 ? '' : ';';
  }
  end();
  return found;
}

/** `bash -lc "npm test"`: the script. */
function scriptOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
  return at > 0 && at < 4 && SHELLS.has((words[0] ?? '').replace(/^.*\//, '')) ? words[at + 1] : undefined;
}

/** The words and operators of a command line, without comments, here-documents and what is read from files. */
function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  const documents: string[] = [];
  let word: string | undefined;
  let redirected: 'file' | 'nothing' | undefined;
  const end = (): void => {
    if (word === undefined) return;
    if (redirected !== 'nothing') tokens.push({ kind: redirected ?? 'word', value: word });
    redirected = undefined;
    word = undefined;
  };
  for (let at = 0; at < line.length; ) {
    if (/["'`]/.test(line[at] ?? '') || line.startsWith('$(', at)) {
      const quoted = line.slice(at, endOf(line, at, 0));
      word = (word ?? '') + (/^["']/.test(quoted) ? quoted.slice(1, -1) : quoted);
      at += quoted.length;
      continue;
    }
    if (line[at] === '#' && word === undefined) {
      const feed = line.indexOf('\n', at);
      at = feed === -1 ? line.length : feed;
      continue;
    }
    PIECE.lastIndex = at;
    const found = PIECE.exec(line);
    const { mark, redirection, operator, escaped, plain } = found?.groups ?? {};
    at += found?.[0].length ?? 1;
    const typed = escaped ?? plain;
    if (typed !== undefined) {
      word = (word ?? '') + typed;
      continue;
    }
    end();
    if (mark !== undefined) documents.push(mark);
    else if (redirection !== undefined)
      redirected = /^1?>{1,2}\|?\s*$/.test(redirection) ? 'file' : 'nothing';
    else if (operator !== undefined) {
      redirected = undefined;
      tokens.push({ kind: 'operator', value: operator });
      if (operator === '\n') for (const one of documents.splice(0)) at = afterDocument(line, at - 1, one);
    }
  }
  end();
  return tokens;
}

/** Where a quote or a substitution ends that begins at `at`. */
function endOf(line: string, at: number, depth: number): number {
  const open = line[at] ?? '';
  if (open === "'" || depth > DEEPEST) {
    const close = line.indexOf(open === "'" ? "'" : ')', at + 1);
    return close === -1 ? line.length : close + 1;
  }
  let parentheses = 0;
  for (let index = open === '$' ? at + 2 : at + 1; index < line.length; index += 1) {
    const char = line[index] ?? '';
    if (char === '\\') index += 1;
    else if (open !== '$' && char === open) return index + 1;
    else if (line.startsWith('$(', index)) index = endOf(line, index, depth + 1) - 1;
    else if (open !== '$') continue;
    else if (/["'`]/.test(char)) index = endOf(line, index, depth + 1) - 1;
    else if (char === '(') parentheses += 1;
    else if (char === ')') {
      if (parentheses === 0) return index + 1;
      parentheses -= 1;
    } else if (line.startsWith('<<', index)) {
      DOCUMENT.lastIndex = index;
      const mark = DOCUMENT.exec(line)?.[2];
      const feed = mark === undefined ? -1 : line.indexOf('\n', index);
      if (mark !== undefined && feed !== -1) index = afterDocument(line, feed, mark) - 1;
    }
  }
  return line.length;
}

/** The end of the line that closes a here-document whose text begins after the line feed at `feed`. */
function afterDocument(line: string, feed: number, mark: string): number {
  for (let from = feed; from !== -1; ) {
    const to = line.indexOf('\n', from + 1);
    if (line.slice(from + 1, to === -1 ? undefined : to).trim() === mark) return to === -1 ? line.length : to;
    from = to;
  }
  return line.length;
}
