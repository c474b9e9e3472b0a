import { type Unwrapped, unwrap } from './wrappers.ts';

/** One simple command of a command line, without assignments, redirections and wrappers. */
export interface Command extends Unwrapped {
  /** As it was typed, from the first word that is no assignment. */
  typed: string;
  /** The operator before it, which decides whether it runs. */
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

/** A word with its quotes, and without them; or an operator. */
interface Token {
  raw: string;
  value: string;
  operator: boolean;
}

/** How much of a command line is read. */
const LONGEST = 20_000;
/** Deeper quotes and substitutions in each other are nobody's command. */
const DEEPEST = 40;
const OPERATORS = ['&&', '||', ';;', '|&', '&>>', '&>', '>>', '>&', '<&', '>|', '>', '<', '|', ';', '&'];
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
/** Words of the shell's grammar that stand before a command. */
const LEADING = new Set(['then', 'do', 'else', 'elif', 'if', 'while', 'until', '!', '{']);
/** Words of the shell's grammar that are no command. */
const GRAMMAR = new Set(['for', 'case', 'esac', 'select', 'function', 'fi', 'done', '}', ')', '(']);
const SHELLS = new Set(['bash', 'sh', 'zsh', 'dash', 'fish']);

/** The simple commands of a command line, in order; of `bash -c "…"` those that it runs. */
export function commandsIn(line: string, depth = 0): Command[] {
  const found: Command[] = [];
  const places: (string | undefined)[] = [];
  let cd: string | undefined;
  let pipefail = false;
  let after: Command['after'] = '';
  let stage = false;
  let words: Token[] = [];
  const end = (): void => {
    const { plain, writes } = withoutRedirections(words);
    words = [];
    while (plain[0] !== undefined && (LEADING.has(plain[0].value) || ASSIGNMENT.test(plain[0].value)))
      plain.shift();
    const first = plain[0]?.value ?? '';
    const last = found.at(-1);
    if (plain.length === 0 || GRAMMAR.has(first)) return;
    const values = plain.map(({ value }) => value);
    if (stage) {
      last?.into.push(values);
      last?.writes.push(...writes);
    } else if ((first === 'cd' || first === 'pushd') && plain.length <= 2) cd = joined(cd, values[1] ?? '~');
    else if (first === 'set') pipefail ||= values.includes('pipefail');
    else {
      const unwrapped = unwrap(values);
      const script = scriptOf(unwrapped.words);
      const typed = plain.map(({ raw }) => raw).join(' ');
      const common = { pipefail, background: false, writes, ...(cd !== undefined && { cd }) };
      if (script === undefined || depth > 2) found.push({ ...unwrapped, typed, after, into: [], ...common });
      else
        for (const [index, inner] of commandsIn(script, depth + 1).entries())
          found.push({ ...common, ...inner, ...(index === 0 && { after }) });
    }
  };
  for (const token of tokensOf(line.slice(0, LONGEST))) {
    const { raw, operator } = token;
    if (!operator || /[<>]/.test(raw)) {
      words.push(token);
      continue;
    }
    end();
    if (raw === '(') places.push(cd);
    else if (raw === ')') cd = places.pop();
    if (raw === '&') for (const command of found.slice(-1)) command.background = true;
    stage = raw === '|' || raw === '|&';
    if (raw === '&&' || raw === '||') after = raw;
    else if (!stage && raw !== '(' && raw !== ')') after = ';';
  }
  end();
  if (found[0] !== undefined && found[0].after === ';') found[0].after = '';
  return found;
}

const joined = (cd: string | undefined, next: string): string =>
  cd === undefined || /^(?:[/~]|[A-Za-z]:)/.test(next) ? next : `${cd}/${next}`;

/** `bash -lc "npm test"`: the script. */
function scriptOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
  const shell = (words[0] ?? '').replace(/^.*\//, '');
  return SHELLS.has(shell) && at > 0 && at < 4 ? words[at + 1] : undefined;
}

function withoutRedirections(tokens: readonly Token[]): { plain: Token[]; writes: string[] } {
  const plain: Token[] = [];
  const writes: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (!token.operator) {
      plain.push(token);
      continue;
    }
    // `2>&1`, `2>file`: the tokenizer keeps the number with the operator.
    const target = tokens[at + 1];
    if (target === undefined || target.operator) continue;
    at += 1;
    if (/^1?>>?\|?$/.test(token.raw)) writes.push(target.value);
  }
  return { plain, writes };
}

/** Words and operators; comments and here-documents are left out. */
function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  const documents: string[] = [];
  let raw = '';
  let value = '';
  const end = (): void => {
    if (raw !== '') tokens.push({ raw, value, operator: false });
    raw = '';
    value = '';
  };
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    const document = line.startsWith('<<', at) ? documentAt(line, at) : undefined;
    if (char === '\\') {
      // A continued line is a space.
      if (line[at + 1] === '\n') end();
      else {
        raw += line.slice(at, at + 2);
        value += line[at + 1] ?? '';
      }
      at += 1;
    } else if (char === "'" || char === '"' || char === '`' || line.startsWith('$(', at)) {
      const to = endOf(line, at, 0);
      const text = line.slice(at, to);
      raw += text;
      value += char === "'" || char === '"' ? text.slice(1, -1) : text;
      at = to - 1;
    } else if (document !== undefined) {
      end();
      documents.push(document.mark);
      at += document.length - 1;
    } else if (char === '\n') {
      end();
      tokens.push({ raw: ';', value: ';', operator: true });
      while (documents.length > 0) at = endOfDocument(line, at, documents.shift() ?? '');
    } else if (char === ' ' || char === '\t' || char === '\r') end();
    else if (char === '#' && raw === '') {
      const feed = line.indexOf('\n', at);
      at = feed === -1 ? line.length : feed - 1;
    } else if (char === '(' || char === ')') {
      end();
      tokens.push({ raw: char, value: char, operator: true });
    } else {
      const operator = OPERATORS.find((one) => line.startsWith(one, at));
      if (operator === undefined) {
        raw += char;
        value += char;
        continue;
      }
      // `2>`: the number belongs to the redirection.
      const number = /^\d$/.test(raw) && /^[<>]/.test(operator) ? raw : '';
      if (number !== '') raw = '';
      end();
      tokens.push({ raw: number + operator, value: operator, operator: true });
      at += operator.length - 1;
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
    else if (char === "'" || char === '"' || char === '`') index = endOf(line, index, depth + 1) - 1;
    else if (char === '(') parentheses += 1;
    else if (char === ')' && parentheses === 0) return index + 1;
    else if (char === ')') parentheses -= 1;
    else if (line.startsWith('<<', index)) {
      const document = documentAt(line, index);
      const feed = document === undefined ? -1 : line.indexOf('\n', index);
      if (feed !== -1) index = endOfDocument(line, feed, document?.mark ?? '') - 1;
    }
  }
  return line.length;
}

/** The operator of a here-document, and the word that ends it. */
function documentAt(line: string, at: number): { mark: string; length: number } | undefined {
  const found = /^<<-?\s*(["']?)([A-Za-z_]\w*)\1/.exec(line.slice(at, at + 80));
  return found === null ? undefined : { mark: found[2] ?? '', length: found[0].length };
}

/** The end of the line that closes a here-document whose text begins after the line feed at `feed`. */
function endOfDocument(line: string, feed: number, mark: string): number {
  for (let from = feed; from !== -1; from = line.indexOf('\n', from + 1)) {
    const to = line.indexOf('\n', from + 1);
    if (line.slice(from + 1, to === -1 ? line.length : to).trim() === mark)
      return to === -1 ? line.length : to;
  }
  return line.length;
}
