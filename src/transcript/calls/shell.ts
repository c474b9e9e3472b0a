import { wordSet } from '../../base/text/word-list.ts';

/** One simple command of a command line, without assignments, redirections and wrappers. */
export interface Command {
  words: string[];
  /** What stood before it and matters where it runs: `rtk`, `uv run`; not `time` or `env`. */
  wrapper: string;
  /** The operator before it. */
  after: '' | '&&' | '||' | ';';
  /** The later stages of its pipe. */
  into: string[][];
  /** Files that its output goes to. */
  writes: string[];
  /** The directory of the `cd` before it, as written. */
  cd?: string;
}

/** How much of a command line is read. */
const LONGEST = 20_000;
const MOST_COMMANDS = 1000;
const DOCUMENT = /(?<!<)<<-?[ \t]*(["']?)([A-Za-z_]\w{0,60})\1/;
/** A quoted text, a substitution, a redirection, an operator, blanks, or what else a word consists of. */
const PIECE = new RegExp(
  [
    String.raw`"(?<double>(?:[^"\\]|\\[\s\S])*)(?:"|$)|'(?<single>[^']*)(?:'|$)`,
    String.raw`(?<substitution>\$\((?:[^()]|\([^()]*\))*\))`,
    '(?<ticks>`[^`]*`)',
    String.raw`(?<comment>(?<=^|\s)#[^\n]*)`,
    String.raw`(?<redirection>(?:\d?>{1,2}[&|]?|&>>?|\d?<{1,3}&?)[ \t]*)`,
    String.raw`(?<operator>&&|\|\||;;|\|&|[|;&()\n])`,
    String.raw`(?<space>(?:[^\S\n]|\\\n)+)`,
    String.raw`\\(?<escaped>[\s\S])`,
    '(?<plain>[^\\s\\\\"\'`$#()<>|;&]+|[\\s\\S])',
  ].join('|'),
  'g',
);
/** Words of the shell's grammar before a command, and assignments. */
const BEFORE = /^(?:then|do|else|elif|if|while|until|!|\{|[A-Za-z_]\w*\+?=[\s\S]*)$/;
/** Words of the shell's grammar that are no command. */
const GRAMMAR = wordSet('for case esac select function fi done }');
const SHELLS = wordSet('bash sh zsh dash fish');

/** A word without its quotes, an operator, or a file that output goes to. */
type Token = { kind: 'word' | 'operator' | 'file'; value: string };

/** The simple commands of a command line, in order; of `bash -c "…"` those that it runs. */
export function commandsIn(line: string, depth = 0): Command[] {
  const found: Command[] = [];
  const places: (string | undefined)[] = [];
  let cd: string | undefined;
  let after: Command['after'] = '';
  let isStage = false;
  let tokens: Token[] = [];
  const end = (): void => {
    const writes = tokens.flatMap(({ kind, value }) => (kind === 'file' ? value : []));
    const words = tokens.flatMap(({ kind, value }) => (kind === 'word' ? value : []));
    tokens = [];
    while (words[0] !== undefined && BEFORE.test(words[0])) words.shift();
    const [first = '', second = '~'] = words;
    if (words.length === 0 || GRAMMAR.has(first)) return;
    if (isStage) {
      found.at(-1)?.into.push(words);
      found.at(-1)?.writes.push(...writes);
    } else if ((first === 'cd' || first === 'pushd') && words.length <= 2)
      cd = cd === undefined || /^[/~]|^[A-Za-z]:/.test(second) ? second : `${cd}/${second}`;
    else if (first !== 'set') {
      const plain = unwrap(words);
      const script = depth > 2 ? undefined : scriptOf(plain.words);
      if (script === undefined) found.push({ ...plain, after, into: [], writes, cd });
      else
        for (const [index, inner] of commandsIn(script, depth + 1).entries())
          found.push({ ...inner, cd: inner.cd ?? cd, after: index === 0 ? after : inner.after });
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
    isStage = value === '|' || value === '|&';
    if (value === '&&' || value === '||') after = value;
    else if (!isStage && value !== '(' && value !== ')') after = found.length === 0 ? '' : ';';
  }
  end();
  return found;
}

/** `bash -lc "npm test"`: the script. */
function scriptOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
  return at > 0 && at < 4 && SHELLS.has(baseOf(words[0] ?? '')) ? words[at + 1] : undefined;
}

/** The words and operators of a command line, without comments, here-documents and what is read from files. */
function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  let word: string | undefined;
  let redirected: 'file' | 'nothing' | undefined;
  const end = (): void => {
    if (word === undefined) return;
    if (redirected !== 'nothing') tokens.push({ kind: redirected ?? 'word', value: word });
    redirected = undefined;
    word = undefined;
  };
  for (const { groups = {} } of withoutDocuments(line).matchAll(PIECE)) {
    const { double, single, comment, redirection, operator } = groups;
    const typed = double ?? single ?? groups.substitution ?? groups.ticks ?? groups.escaped ?? groups.plain;
    if (typed !== undefined) {
      word = (word ?? '') + typed;
      continue;
    }
    if (comment !== undefined) continue;
    end();
    if (redirection !== undefined) redirected = /^1?>{1,2}\|?\s*$/.test(redirection) ? 'file' : 'nothing';
    else if (operator !== undefined) {
      redirected = undefined;
      tokens.push({ kind: 'operator', value: operator });
    }
  }
  end();
  return tokens;
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

/** How a program runs the command behind it. */
interface Wrapper {
  /** The word with which it does so. */
  verb?: RegExp;
  /** Words of its own before the command: a container, a folder, a version. */
  own?: number;
  /** The command stands behind a mark. */
  marked?: true;
  /** It says nothing about where the command runs. */
  idle?: true;
}

/** Programs that only run another one, in the one place where that is known. */
const WRAPPERS: readonly (readonly [programs: ReadonlySet<string>, how: Wrapper])[] = [
  [
    wordSet('command builtin exec nohup time unbuffer chronic setsid caffeinate env nice ionice stdbuf'),
    { idle: true },
  ],
  [wordSet('timeout gtimeout'), { idle: true, own: 1 }],
  [wordSet('sudo doas rtk dotenv npx bunx pnpx uvx'), {}],
  [wordSet('npm bundle asdf rbenv pyenv fnm'), { verb: /^exec$/ }],
  [wordSet('pnpm yarn'), { verb: /^(?:exec|dlx)$/ }],
  [wordSet('direnv nvm'), { verb: /^exec$/, own: 1 }],
  [wordSet('docker podman docker-compose'), { verb: /^(?:exec|run)$/, own: 1 }],
  [wordSet('uv poetry pipenv pdm hatch rye pipx conda volta'), { verb: /^run$/ }],
  [wordSet('bun'), { verb: /^x$/ }],
  [wordSet('mise'), { verb: /^(?:exec|x)$/, marked: true }],
  [wordSet('chamber aws-vault kubectl'), { verb: /^exec$/, marked: true }],
  [wordSet('doppler op infisical dotenvx devbox'), { verb: /^run$/, marked: true }],
  [wordSet('nix'), { verb: /^(?:develop|shell)$/, marked: true }],
];
/** Options whose value is the next word. */
const VALUED = wordSet(`
  -u -g -C -p -k -s -e -w -v -f -F --user --signal --package --with --extra --group --python --project --directory
  --workspace --filter --dir --prefix --cwd --file --context --env --env-file --workdir --volume --name --entrypoint
  --publish --network --platform --mount --using --unset --chdir
`);
/** Wrappers of wrappers of wrappers: deeper ones are left as they are. */
const MOST = 6;

/** A program's name without its folder. */
export const baseOf = (path: string): string => path.replace(/^.*[\\/]/, '').replace(/\.exe$/i, '');

/** Takes off the programs that only run another one. */
function unwrap(given: readonly string[]): Pick<Command, 'words' | 'wrapper'> {
  let words = [...given];
  const before: string[] = [];
  for (let count = 0; count < MOST; count += 1) {
    const program = baseOf(words[0] ?? '');
    let at = afterOptions(words, 1);
    const compose = words[at] === 'compose' ? ['compose'] : [];
    if (compose.length > 0) at = afterOptions(words, at + 1);
    const verb = words[at] ?? '';
    const how = WRAPPERS.find(
      ([programs, one]) => programs.has(program) && one.verb?.test(verb) !== false,
    )?.[1];
    if (how === undefined) break;
    const from = how.verb === undefined ? 1 : at + 1;
    at = how.marked === true ? markIn(words, from) : afterOptions(words, from);
    for (let own = how.own ?? 0; own > 0; own -= 1) at = afterOptions(words, at + 1);
    if (at >= words.length) break;
    if (how.idle !== true) before.push(program, ...(how.verb === undefined ? [] : [...compose, verb]));
    words = words.slice(at);
  }
  return { words, wrapper: before.join(' ') };
}

function markIn(words: readonly string[], from: number): number {
  const mark = words.findIndex((word, index) => index >= from && /^(?:--|-c|--command)$/.test(word));
  return mark === -1 ? words.length : mark + 1;
}

/** The first word at or after a place that is no option, no option's value and no assignment. */
function afterOptions(words: readonly string[], from: number): number {
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    // `uv run -m pytest` runs a module.
    if (word === '--' || (word === '-m' && from > 1)) return at + 1;
    if (VALUED.has(word) || (word === '-n' && /^\d+$/.test(words[at + 1] ?? ''))) at += 1;
    else if (!word.startsWith('-') && !/^[A-Za-z_]\w*=/.test(word)) return at;
  }
  return words.length;
}
