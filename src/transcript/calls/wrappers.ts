import { wordList, wordSet } from '../../base/text/word-list.ts';

/** A command without the programs that only run it. */
export interface Unwrapped {
  words: string[];
  /** What stood before it and matters where it runs: `rtk`, `uv run`; not `time` or `env`. */
  wrapper: string;
}

interface Wrapper {
  /** Options whose value is the next word. */
  values?: string;
  /** Words of its own before the command: a time limit, a container. */
  skip?: number;
  /** The command stands behind one of these words. */
  behind?: string;
  /** Says nothing about where the command runs. */
  idle?: true;
}

const CONTAINER = `-e --env --env-file -w --workdir -u --user -v --volume --name --entrypoint -p --publish
  --network --platform --mount`;
/** Programs that run the command behind them, with the verb that does. */
const TABLE: readonly (readonly [names: readonly string[], wrapper: Wrapper])[] = [
  [wordList('command builtin exec nohup time unbuffer chronic setsid caffeinate'), { idle: true }],
  [['env'], { values: '-u -C --chdir --unset', idle: true }],
  [wordList('nice ionice stdbuf xvfb-run'), { values: '-n -c -i -o -e -s', idle: true }],
  [['timeout', 'gtimeout'], { values: '-k -s --signal --kill-after', skip: 1, idle: true }],
  [['sudo', 'doas'], { values: '-u -g -C -D -h -p -U --user --group' }],
  [['rtk', 'bundle exec', 'asdf exec', 'rbenv exec', 'pyenv exec'], {}],
  [['direnv exec', 'nvm exec'], { skip: 1 }],
  [['dotenv', 'fnm exec', 'volta run'], { values: '-e -f -c -v --using --node --npm' }],
  [
    [...wordList('npx bunx pnpx uvx'), 'npm exec', 'pnpm exec', 'pnpm dlx', 'yarn exec', 'yarn dlx', 'bun x'],
    { values: '-p --package -w --workspace --filter -F -C --dir --prefix --cwd' },
  ],
  [
    wordList('uv poetry pipenv pdm hatch rye pipx conda micromamba').map((name) => `${name} run`),
    { values: '--with --extra --group --python -p --project --directory --env-file -n --name --package' },
  ],
  [
    [
      ...['mise x', 'mise exec', 'doppler run', 'op run', 'infisical run', 'dotenvx run', 'devbox run'],
      ...['chamber exec', 'aws-vault exec', 'kubectl exec'],
    ],
    { behind: '--' },
  ],
  [['nix develop', 'nix shell'], { behind: '-c --command' }],
  [
    ['docker', 'podman', 'docker compose', 'podman compose', 'docker-compose'].flatMap((name) => [
      `${name} exec`,
      `${name} run`,
    ]),
    { values: CONTAINER, skip: 1 },
  ],
];
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  TABLE.flatMap(([names, wrapper]) => names.map((name) => [name, wrapper] as const)),
);
const FIRST_WORDS: ReadonlySet<string> = new Set([...WRAPPERS.keys()].map((name) => name.replace(/ .*/, '')));
/** Options between a program and its verb whose value is the next word: `docker compose -f a.yml exec`. */
const BETWEEN = wordSet('-p -w -F -C -f --workspace --filter --dir --prefix --cwd --file --context');
/** Wrappers of wrappers of wrappers: deeper ones are left as they are. */
const MOST = 6;

/** A program's name without its folder. */
export const baseOf = (path: string): string => path.replace(/^.*[\\/]/, '').replace(/\.exe$/i, '');

/** Takes off the programs that only run another one, in the one place where that is known. */
export function unwrap(words: readonly string[]): Unwrapped {
  let left = words;
  const before: string[] = [];
  for (let count = 0; count < MOST; count += 1) {
    const found = wrapperOf(left);
    const at = found === undefined ? undefined : commandIn(left, found.wrapper, found.at);
    if (found === undefined || at === undefined) break;
    if (found.wrapper.idle !== true) before.push(found.name);
    left = left.slice(at);
  }
  return { words: [...left], wrapper: before.join(' ') };
}

/** The wrapper at the start of a command, and where its own verb ends. */
function wrapperOf(words: readonly string[]): { wrapper: Wrapper; name: string; at: number } | undefined {
  const names = [baseOf(words[0] ?? '')];
  if (!FIRST_WORDS.has(names[0] ?? '')) return undefined;
  const ends = [1];
  for (let at = 1; names.length < 3 && at < Math.min(words.length, 8) && words[at] !== '--'; at += 1) {
    const word = words[at] ?? '';
    if (BETWEEN.has(word)) at += 1;
    else if (!word.startsWith('-')) {
      names.push(`${names.at(-1)} ${word}`);
      ends.push(at + 1);
    }
  }
  for (const [index, name] of [...names.entries()].reverse()) {
    const wrapper = WRAPPERS.get(name);
    if (wrapper !== undefined) return { wrapper, name, at: ends[index] ?? 1 };
  }
  return undefined;
}

/** Where the command of a wrapper begins; undefined where it has none. */
function commandIn(words: readonly string[], wrapper: Wrapper, from: number): number | undefined {
  const { values = '', skip = 0, behind } = wrapper;
  const found = (at: number): number | undefined => (at < words.length ? at : undefined);
  if (behind !== undefined) {
    const at = words.findIndex((word, index) => index >= from && wordList(behind).includes(word));
    return at === -1 ? undefined : found(at + 1);
  }
  const valued = wordList(values);
  let own = skip;
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    // `uv run -m pytest` runs a module.
    if ((word === '--' && own === 0) || (word === '-m' && values.includes('--with'))) return found(at + 1);
    if (valued.includes(word)) at += 1;
    else if (word.startsWith('-') || /^[A-Za-z_]\w*=/.test(word)) continue;
    else if (own > 0) own -= 1;
    else return at;
  }
  return undefined;
}
