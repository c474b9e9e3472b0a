import { wordList } from '../../text/word-list.ts';

/** A command without the programs that only run it. */
export interface Unwrapped {
  words: string[];
  /** What stood before it: `rtk`, `uv run`, `mise x --`; `time`, `command` and the like are left out. */
  wrapper: string;
}

interface Wrapper {
  /** Options whose value is the next word. */
  values?: ReadonlySet<string>;
  /** Words of its own before the command: a time limit, a container. */
  skip?: number;
  /** The command stands behind one of these words. */
  behind?: readonly string[];
  /** Says nothing about where the command runs. */
  plain?: true;
}

const of = (values: string, more: Omit<Wrapper, 'values'> = {}): Wrapper => ({
  values: new Set(wordList(values)),
  ...more,
});
const plain: Wrapper = { plain: true };
const simple: Wrapper = {};
const dashes: Wrapper = { behind: ['--'] };
const node = of('-p --package -w --workspace --filter -F -C --dir --prefix --cwd');
const python = of(
  '--with --extra --group --python -p --project --directory --env-file -n --name --package -m',
);
const container = of(
  '-e --env --env-file -w --workdir -u --user -v --volume --name --entrypoint -p --publish --network --platform --mount',
  { skip: 1 },
);

/** Options between a program and its verb whose value is the next word: `docker compose -f a.yml exec`. */
const GLOBAL = new Set(wordList('-p -w -F -C -f --workspace --filter --dir --prefix --cwd --file --context'));

/** Programs that run the command behind them, with the verb that does. */
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  ...wordList('command builtin exec nohup time unbuffer chronic setsid').map(
    (name) => [name, plain] as const,
  ),
  ['env', of('-u -C --chdir --unset', { plain: true })],
  ['nice', of('-n', { plain: true })],
  ['ionice', of('-c -n', { plain: true })],
  ['stdbuf', of('-i -o -e', { plain: true })],
  ['timeout', of('-k -s --signal --kill-after', { skip: 1, plain: true })],
  ['gtimeout', of('-k -s', { skip: 1, plain: true })],
  ['xvfb-run', of('-n -s -a', { plain: true })],
  ['caffeinate', plain],
  ['sudo', of('-u -g -C -D -h -p -U --user --group')],
  ['doas', of('-u')],
  ['rtk', simple],
  ['direnv exec', { skip: 1 }],
  ['dotenv', of('-e -f -c -v', {})],
  ...wordList('npx bunx pnpx uvx').map((name) => [name, node] as const),
  ...['npm exec', 'pnpm exec', 'pnpm dlx', 'yarn exec', 'yarn dlx', 'bun x'].map(
    (name) => [name, node] as const,
  ),
  ...wordList('uv poetry pipenv pdm hatch rye pipx conda micromamba').map(
    (name) => [`${name} run`, python] as const,
  ),
  ...wordList('asdf rbenv pyenv').map((name) => [`${name} exec`, simple] as const),
  ['bundle exec', simple],
  ['volta run', of('--node --npm')],
  ['nvm exec', { skip: 1 }],
  ['fnm exec', of('--using')],
  ...[
    'mise x',
    'mise exec',
    'doppler run',
    'op run',
    'infisical run',
    'dotenvx run',
    'devbox run',
    'chamber exec',
  ].map((name) => [name, dashes] as const),
  ['aws-vault exec', dashes],
  ['kubectl exec', dashes],
  ['nix develop', { behind: ['-c', '--command'] }],
  ['nix shell', { behind: ['-c', '--command'] }],
  ...['docker compose exec', 'docker compose run', 'docker-compose exec', 'docker-compose run'].map(
    (name) => [name, container] as const,
  ),
  ...['docker exec', 'docker run', 'podman exec', 'podman run'].map((name) => [name, container] as const),
]);
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
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
    if (found.wrapper.plain !== true) before.push(found.name);
    left = left.slice(at);
  }
  return { words: [...left], wrapper: before.join(' ') };
}

/** The wrapper at the start of a command, and where its own verb ends. */
function wrapperOf(words: readonly string[]): { wrapper: Wrapper; name: string; at: number } | undefined {
  const heads = [0];
  for (let at = 1; heads.length < 3 && at < words.length && at < 8; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') break;
    if (GLOBAL.has(word)) at += 1;
    else if (!word.startsWith('-')) heads.push(at);
  }
  for (let count = heads.length; count > 0; count -= 1) {
    const name = heads
      .slice(0, count)
      .map((at, index) => (index === 0 ? baseOf(words[at] ?? '') : words[at]))
      .join(' ');
    const wrapper = WRAPPERS.get(name);
    if (wrapper !== undefined) return { wrapper, name, at: (heads[count - 1] ?? 0) + 1 };
  }
  return undefined;
}

/** Where the command of a wrapper begins; undefined where it has none. */
function commandIn(
  words: readonly string[],
  { values, skip = 0, behind }: Wrapper,
  from: number,
): number | undefined {
  if (behind !== undefined) {
    const at = words.findIndex((word, index) => index >= from && behind.includes(word));
    return at === -1 || at + 1 >= words.length ? undefined : at + 1;
  }
  let own = skip;
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') {
      if (own === 0) return at + 1 < words.length ? at + 1 : undefined;
    } else if (values?.has(word)) {
      // `uv run -m pytest` runs a module.
      if (word === '-m') return at + 1 < words.length ? at + 1 : undefined;
      at += 1;
    } else if (word.startsWith('-') || ASSIGNMENT.test(word)) continue;
    else if (own > 0) own -= 1;
    else return at;
  }
  return undefined;
}
