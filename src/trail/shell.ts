/** One simple command of a command line. */
export interface ShellSegment {
  /** Without leading assignments, redirections and later stages of a pipe. */
  text: string;
  words: string[];
  /** The operator before it, which decides whether it runs. */
  after: '' | '&&' | '||' | ';';
  /** Whether its output goes to another program, which then sets the exit status. */
  piped: boolean;
  /** The later stages of its pipe. */
  into: readonly string[];
  /** Files that its output goes to. */
  writes: readonly string[];
  /** Directory of a preceding `cd`, as written. */
  cd?: string;
}

/** How much of a command line is read. */
const LONGEST = 4000;
/** Redaction may leave words with spaces in the middle of a value. */
const ASSIGNMENT = /^[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\[redacted:[^\]]*\]|\[(?!redacted:)|[^\s"'[])*\s+/;
const REDIRECTION = /\s*(?:\d?>&\d|&>>?\s*\S+|\d?>{1,2}\s*\S+|<\s*\S+)(?=\s|$)/g;

/**
 * The simple commands of a command line, in order. Quotes, substitutions and here-documents are kept whole; later
 * stages of a pipe are left out.
 */
export function segmentsOf(line: string): ShellSegment[] {
  const segments: ShellSegment[] = [];
  let cd: string | undefined;
  for (const { text, after, piped, into } of split(line.slice(0, LONGEST))) {
    const plain = withoutNoise(text);
    if (plain === '') continue;
    const words = shellWords(plain);
    if (words[0] === 'cd' && words.length <= 2) {
      cd = words[1] ?? '~';
      continue;
    }
    const stages = into.map((stage) => stage.trim());
    const writes = redirected(text);
    segments.push({
      text: plain,
      words,
      after,
      piped,
      into: stages,
      writes,
      ...(cd !== undefined && { cd }),
    });
  }
  return segments;
}

/** `cat > a.txt`, `echo x >>a.txt` */
function redirected(text: string): string[] {
  const words = shellWords(text);
  return words.flatMap((word, at) => {
    const found = /^1?>{1,2}([^&].*)?$/.exec(word);
    return found === null ? [] : (found[1] ?? words[at + 1] ?? []);
  });
}

/** The verb and the directory of a git command: `git -C lib --no-pager commit -m x`. */
export interface GitCall {
  verb: string;
  rest: string[];
  /** Directory, as written. */
  cd?: string;
}

/** Reads a call of git after the options before its verb; undefined for any other command. */
export function gitCall({ words, cd }: Pick<ShellSegment, 'words' | 'cd'>): GitCall | undefined {
  if (words[0] !== 'git') return undefined;
  let place = cd;
  let at = 1;
  while (words[at]?.startsWith('-')) {
    if (words[at] === '-C') place = words[at + 1];
    at += /^-[Cc]$/.test(words[at] ?? '') ? 2 : 1;
  }
  return { verb: words[at] ?? '', rest: words.slice(at + 1), ...(place !== undefined && { cd: place }) };
}

/** Whether a command ran outside of the workspace, as far as the command line shows. */
export function isElsewhere(segment: ShellSegment, root: string): boolean {
  const place = gitCall(segment)?.cd ?? segment.cd;
  if (place === undefined || !/^(?:[/~]|[A-Za-z]:)/.test(place)) return false;
  return place !== root && !place.startsWith(`${root}/`);
}

/** The words of a simple command, without their quotes. */
export function shellWords(text: string): string[] {
  return [...text.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double, single) => double ?? single),
  );
}

function withoutNoise(text: string): string {
  let plain = text.trim().replace(/^(?:\(|\{\s)\s*|\s*\)$/g, '');
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain.replace(ASSIGNMENT, '').replace(/^(?:time|command|nohup|env)\s+/, '');
  }
  if (!/["'`$]/.test(plain)) plain = plain.replace(REDIRECTION, '');
  else plain = plain.replace(/\s+(?:2>&1|2>\/dev\/null|>\/dev\/null|&>\/dev\/null)(?=\s|$)/g, '');
  return plain.replace(/\s*&$/, '').trim();
}

interface Part {
  text: string;
  after: ShellSegment['after'];
  piped: boolean;
  /** The later stages of its pipe. */
  into: string[];
}

/** Splits at `&&`, `||`, `;`, `|` and newlines outside quotes, substitutions and here-documents. */
function split(line: string): Part[] {
  const found: Part[] = [];
  let text = '';
  let after: ShellSegment['after'] = '';
  let inPipe = false;
  let depth = 0;
  const end = (next: ShellSegment['after'], piped: boolean): void => {
    if (inPipe) found.at(-1)?.into.push(text);
    else found.push({ text, after, piped, into: [] });
    inPipe = piped;
    text = '';
    if (!piped) after = next;
  };
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    const quoted = char === "'" || char === '"' || char === '`' ? quotedAt(line, at) : undefined;
    const heredoc = char === '<' && depth === 0 ? heredocAt(line, at) : undefined;
    if (char === '\\') {
      // A continued line.
      text += line[at + 1] === '\n' ? ' ' : line.slice(at, at + 2);
      at += 1;
    } else if (quoted !== undefined) {
      text += quoted;
      at += quoted.length - 1;
    } else if (heredoc !== undefined) {
      text += ' <<…';
      at += heredoc - 1;
    } else if (char === '(') {
      depth += 1;
      text += char;
    } else if (char === ')') {
      depth -= 1;
      text += char;
    } else if (depth > 0) text += char;
    else if (line.startsWith('&&', at) || line.startsWith('||', at)) {
      end(line.startsWith('&&', at) ? '&&' : '||', false);
      at += 1;
    } else if (char === '|') end(after, true);
    else if (char === ';' || char === '\n') end(';', false);
    else if (char === '#' && /(?:^|\s)$/.test(text)) {
      const feed = line.indexOf('\n', at);
      at = feed === -1 ? line.length : feed - 1;
    } else text += char;
  }
  end(';', false);
  return found;
}

function quotedAt(line: string, at: number): string {
  const quote = line[at];
  for (let end = at + 1; end < line.length; end += 1) {
    if (line[end] === '\\' && quote !== "'") end += 1;
    else if (line[end] === quote) return line.slice(at, end + 1);
  }
  return line.slice(at);
}

/** Length of a here-document from its operator to its end. */
function heredocAt(line: string, at: number): number | undefined {
  const open = /^<<-?\s*(["']?)([A-Za-z_]\w*)\1/.exec(line.slice(at, at + 80));
  if (open === null) return undefined;
  const end = line.indexOf(`\n${open[2]}`, at);
  return end === -1 ? line.length - at : end + 1 + (open[2] ?? '').length - at;
}
