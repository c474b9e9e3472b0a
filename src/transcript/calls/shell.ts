import { wordSet } from '../../base/text/word-list.ts';
import { type Unwrapped, unwrap } from './wrappers.ts';

/** One simple command of a command line, without assignments, redirections and wrappers. */
export interface Command extends Unwrapped {
  /** As it was typed, without what says nothing of it: assignments, `time`. */
  typed: string;
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

/** A word with its quotes and without them, an operator, or a file that output goes to. */
type Token = { kind: 'word' | 'operator' | 'file'; raw: string; value: string };

/** How much of a command line is read. */
const LONGEST = 20_000;
/** Deeper quotes and substitutions in each other are nobody's command. */
const DEEPEST = 40;
const DOCUMENT = /<<-?[ \t]*(["']?)([A-Za-z_]\w{0,60})\1/y;
/** What a command line consists of besides quotes; the first that matches. */
const PIECES: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['document', DOCUMENT],
  ['redirection', /(?:\d?>{1,2}[&|]?|&>>?|\d?<{3}|\d?<&?)[ \t]*/y],
  ['operator', /&&|\|\||;;|\|&|[|;&()\n]/y],
  ['space', /(?:[^\S\n]|\\\n)+/y],
  ['comment', /#[^\n]*/y],
  ['escaped', /\\[\s\S]/y],
  ['plain', /[^\s\\"'`$#()<>|;&]+/y],
];
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
    const words = tokens.filter(({ kind }) => kind === 'word');
    tokens = [];
    while (words[0] !== undefined && BEFORE.test(words[0].raw)) words.shift();
    const values = words.map(({ value }) => value);
    const [first = '', second] = values;
    if (words.length === 0 || GRAMMAR.has(first)) return;
    if (stage) {
      found.at(-1)?.into.push(values);
      found.at(-1)?.writes.push(...writes);
    } else if ((first === 'cd' || first === 'pushd') && words.length <= 2)
      cd = cd === undefined || /^[/~]|^[A-Za-z]:/.test(second ?? '~') ? (second ?? '~') : `${cd}/${second}`;
    else if (first === 'set') pipefail ||= values.includes('pipefail');
    else {
      const plain = unwrap(values);
      const typed = words
        .slice(plain.idle)
        .map(({ raw }) => raw)
        .join(' ');
      const common = { pipefail, background: false, writes, cd };
      const script = depth > 2 ? undefined : scriptOf(plain.words);
      if (script === undefined) found.push({ ...plain, typed, after, into: [], ...common });
      else
        for (const [index, inner] of commandsIn(script, depth + 1).entries())
          found.push({ ...common, ...inner, after: index === 0 ? after : inner.after });
    }
  };
  for (const token of tokensOf(line.slice(0, LONGEST))) {
    const { raw, kind } = token;
    if (kind !== 'operator') {
      tokens.push(token);
      continue;
    }
    end();
    if (raw === '(') places.push(cd);
    else if (raw === ')') cd = places.pop();
    const last = found.at(-1);
    if (raw === '&' && last !== undefined) last.background = true;
    stage = raw === '|' || raw === '|&';
    if (raw === '&&' || raw === '||') after = raw;
    else if (!stage && raw !== '(' && raw !== ')') after = found.length === 0 ? '' : ';';
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
  let raw = '';
  let value = '';
  let redirected: 'file' | 'nothing' | undefined;
  const end = (): void => {
    if (raw !== '' && redirected !== 'nothing') tokens.push({ kind: redirected ?? 'word', raw, value });
    if (raw !== '') redirected = undefined;
    raw = '';
    value = '';
  };
  for (let at = 0; at < line.length; ) {
    const quoted = /["'`]/.test(line[at] ?? '') || line.startsWith('$(', at);
    const { kind, text, mark } = quoted
      ? { kind: 'quoted', text: line.slice(at, endOf(line, at, 0)), mark: undefined }
      : pieceAt(line, at, raw === '');
    at += text.length;
    if (kind === 'quoted' || kind === 'escaped' || kind === 'plain') {
      raw += text;
      value +=
        kind === 'escaped' || /^["']/.test(text) ? text.slice(1, kind === 'quoted' ? -1 : undefined) : text;
      continue;
    }
    end();
    if (mark !== undefined) documents.push(mark);
    else if (kind === 'redirection') redirected = /^1?>{1,2}\|?\s*$/.test(text) ? 'file' : 'nothing';
    else if (kind === 'operator') {
      redirected = undefined;
      tokens.push({ kind, raw: text, value: text });
      if (text === '\n') for (const one of documents.splice(0)) at = afterDocument(line, at - 1, one);
    }
  }
  end();
  return tokens;
}

function pieceAt(
  line: string,
  at: number,
  fresh: boolean,
): { kind: string; text: string; mark: string | undefined } {
  for (const [kind, pattern] of PIECES) {
    pattern.lastIndex = at;
    const found = kind === 'comment' && !fresh ? null : pattern.exec(line);
    if (found !== null) return { kind, text: found[0], mark: kind === 'document' ? found[2] : undefined };
  }
  return { kind: 'plain', text: line[at] ?? '', mark: undefined };
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
