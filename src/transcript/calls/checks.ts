import { wordList, wordSet } from '../../base/text/word-list.ts';
import { failingIn, RUNNERS } from './runners.ts';
import type { Command } from './shell.ts';
import { baseOf } from './wrappers.ts';

/** Names of tasks that check the work, or parts of them: `test:unit`, `check-types`. */
const CHECKING = wordSet(`
  test tests spec lint check checks build ci typecheck types tsc verify e2e vet validate coverage compile unit
  integration clippy nextest
`);
const TASK_RUNNERS = wordSet(`
  npm pnpm yarn bun mise just task make gmake nx turbo moon lerna rush poe hatch pdm rake invoke inv gradle gradlew
  mvn mvnw composer deno cargo go dotnet swift mix sbt bazel bazelisk buck2 zig flutter dart stack cabal dune lein
  uv poetry pipenv bundle tox nox terraform buf
`);
const DIRECT = wordSet(`
  pytest py.test jest vitest mocha ava tap karma cypress playwright rspec phpunit pest ctest prove bats eslint biome
  stylelint oxlint tsc vue-tsc tsgo ruff flake8 pylint mypy pyright basedpyright bandit golangci-lint staticcheck
  shellcheck hadolint rubocop standardrb ktlint detekt swiftlint clang-tidy cppcheck markdownlint markdownlint-cli2
  yamllint actionlint sqlfluff tflint ninja xcodebuild pre-commit lefthook knip publint attw tox nox
  deadcode govulncheck unittest compileall gotestsum
`);
/** Programs that also rewrite files: a check only with an option that says so. */
const FORMATTERS = wordSet(
  'prettier swiftformat clang-format black gofmt gofumpt dprint shfmt isort rustfmt',
);
const CHECK_OPTIONS = wordSet('--check -c -l --list-different --dry-run -d --diff --lint --test --build');
const INTERPRETERS = wordSet('bash sh zsh node tsx bun deno python python3 ruby php pwsh');
/** Frameworks whose own program runs the tests: `python manage.py test`, `bin/rails test`. */
const FRAMEWORKS = wordSet('rails manage.py artisan');
/** Verbs with which a check is none. */
const OTHER_VERBS = wordSet(`
  install add init uninstall open help version codegen show-report login explain migrate list autoupdate
  --version --help -h --init --print-config --show-config
`);
/** Words that only say how a task is run. */
const RUN_WORDS = wordSet('run exec x r dlx workspaces foreach run-script run-many --');
/** Options of task runners whose value is the next word: `make -C lib check`. */
const WITH_VALUE = wordSet(`
  --filter --workspace --prefix --cwd --dir --directory --project --package --manifest-path --features --with --extra
  --group --config --file --env-file -w -C -F -f -p -l -pl
`);
/** Parts of a script's name that say nothing: `run-all-tests.sh`, `pre-commit.sh`. */
const SCRIPT_WORDS = new Set([...CHECKING, 'run', 'all', 'pre', 'commit']);

/** Whether a command tests, lints, builds or checks. */
export function isCheck({ words }: Pick<Command, 'words'>): boolean {
  const [path = '', ...rest] = words;
  const program = baseOf(path).replace(/^(python|pip|php|ruby)[\d.]+$/, '$1');
  const verb = rest[0] ?? '';
  if (OTHER_VERBS.has(verb) || rest.includes('--version') || rest.includes('--help')) return false;
  if (DIRECT.has(program)) return program !== 'playwright' || verb === 'test';
  if (FORMATTERS.has(program)) return rest.some((word) => CHECK_OPTIONS.has(word));
  if (program === 'cmake') return verb === '--build';
  if (FRAMEWORKS.has(program)) return CHECKING.has(verb);
  if (path.includes('/') && isScript(program)) return true;
  if (INTERPRETERS.has(program) && runsCheck(rest)) return true;
  return TASK_RUNNERS.has(program) && isTask(program, rest);
}

/** `node --test`, `python -m pytest`, `bash scripts/ci.sh`, `node node_modules/typescript/bin/tsc`. */
function runsCheck(rest: readonly string[]): boolean {
  if (rest[0] === '-m') return isCheck({ words: rest.slice(1) }) || ['ruff', 'build'].includes(rest[1] ?? '');
  if (rest.includes('--test')) return true;
  const at = rest.findIndex((word) => !word.startsWith('-'));
  const script = baseOf(rest[at] ?? '');
  if (FRAMEWORKS.has(script)) return CHECKING.has(rest[at + 1] ?? '');
  return (rest[at]?.includes('/') ?? false) && (DIRECT.has(script) || isScript(script));
}

/** Scripts that are called for what they check: `./scripts/test.sh`, `bin/lint`. */
function isScript(name: string): boolean {
  const parts = name.replace(/\.\w{1,4}$/, '').split(/[-_.]/);
  return (
    parts.length < 4 &&
    parts.every((part) => SCRIPT_WORDS.has(part)) &&
    parts.some((part) => CHECKING.has(part))
  );
}

/** Whether a task runner is told to run a check. */
function isTask(program: string, rest: readonly string[]): boolean {
  const named = rest.findIndex((word) => !/^[-+]/.test(word));
  const names = rest.flatMap((word, at) =>
    /^[-+]/.test(word) || RUN_WORDS.has(word) || WITH_VALUE.has(rest[at - 1] ?? '') ? [] : at,
  );
  // `yarn workspace web test`
  const first = (rest[names[0] ?? 0] === 'workspace' ? names[2] : names[0]) ?? rest.length;
  const target = rest[first] ?? '';
  if (target === '') return ['make', 'gmake', 'mvn'].includes(program) && named === -1;
  // `npm ci` installs.
  if (program === 'npm' && target === 'ci' && first === named) return false;
  if (target.split(/[:\-_.\d]/).some((part) => CHECKING.has(part.toLowerCase()))) return true;
  // `bundle exec rake test`, `uv run python -m pytest`
  return isCheck({ words: rest.slice(first) });
}

/** A run of tests, a linter, a build or another check. */
export interface Check {
  command: string;
  /** Names of what failed: tests, or places in files. */
  failing: string[];
  /** The runner's own words for a failure, on one line: "3 failed, 41 passed". */
  totals?: string;
}

/** A line of a runner about its own run. */
interface Said {
  runner: string;
  line: string;
  failed: boolean;
  /** Has numbers. */
  counted: boolean;
}

const LONGEST_COMMAND = 300;
const LONGEST_TOTALS = 120;
const LONGEST_LINE = 1000;
/** "2 failed", "1 error", "3 offenses"; "Failures: 1", "errors=2", "fail 2", "1 Error(s)". */
const COUNTS: readonly RegExp[] = [
  /\b(\d+) (?:(?:tests?|specs?|lint) )?(?:failed|failing|failures?|errors?|fail|offenses?|issues)\b/gi,
  /\b(?:failures?|errors?|failed|fail)(?:[:=] *| +)(\d+)\b/gi,
  /\b(\d+) Error\(s\)/g,
];
/** What a task runner puts before each line of a task: mise, turbo. */
const PREFIX = /^(?:\[[\w.-]+:[\w:.-]+\]|[@\w/.-]{1,60}:[a-z][\w-]{1,20}:) (?=\S| {2})/;
/** A line with none of these is not a runner's about its run: most lines of an output need no closer look. */
const TELLS = new RegExp(
  wordList(
    'pass fail error ok test succe finish found issue offens problem built compil check match summary snapshot flaky skip warn deselect assertion DONE ELIFECYCLE recipe exited \\*\\*\\*',
  ).join('|'),
  'i',
);

/**
 * Reads a run of checks from its commands and its result; undefined if there is none. It failed if its status says so,
 * or, where a pipe or a later command hides the status, if the runner's own lines do; without such lines, if failures
 * are named.
 * @param failed undefined where the host does not say
 */
export function checkOf(
  commands: readonly Command[],
  { failed, output }: { failed: boolean | undefined; output: string },
): Check | undefined {
  const checks = commands.filter(isCheck);
  if (checks.length === 0 || checks.at(-1)?.background === true) return undefined;
  const lines = checks.map(({ wrapper, words }) => `${wrapper} ${words.join(' ')}`.trim());
  const command = lines.join(' && ').slice(0, LONGEST_COMMAND);
  const behind = commands.slice(commands.findLastIndex(isCheck) + 1);
  const hidden =
    checks.some(({ into, pipefail }) => into.length > 0 && !pipefail) ||
    checks.slice(1).some(({ after }) => after === ';') ||
    behind.some(({ after }) => after !== '&&');
  if (!hidden && failed === false) return { command, failing: [] };
  const own = saidIn(output);
  const last = behind.length === 0 && (own.length === 0 || (!hidden && failed === true));
  if (!last && !own.some((one) => one.failed)) return { command, failing: [] };
  return { command, failing: failingIn(output), totals: totalsOf(own) };
}

function saidIn(output: string): Said[] {
  return output.split('\n').flatMap((whole): Said[] => {
    const line = whole.slice(0, LONGEST_LINE).replace(PREFIX, '').trimEnd();
    if (!TELLS.test(line)) return [];
    for (const { name: runner, totals, failed, passed } of RUNNERS) {
      if (totals?.test(line)) return [{ runner, line, counted: true, failed: failuresIn(line) > 0 }];
      if (failed?.test(line)) return [{ runner, line, counted: false, failed: true }];
      if (passed?.test(line)) return [{ runner, line, counted: false, failed: false }];
    }
    return [];
  });
}

const failuresIn = (line: string): number =>
  COUNTS.flatMap((pattern) => [...line.matchAll(pattern)]).reduce((sum, [, count]) => sum + Number(count), 0);

/** The runner's own words for a failure, on one line. */
function totalsOf(own: readonly Said[]): string | undefined {
  const useful = own.filter(
    ({ runner, line }) => runner !== 'task runner' && !/^\{|--- FAIL|^FAIL$/.test(line),
  );
  const counted = useful.filter((one) => one.counted);
  const told = [counted.filter(({ runner }) => runner !== 'suites'), counted, useful].find((some) =>
    some.some((one) => one.failed),
  );
  const last = told?.findLastIndex((one) => one.failed) ?? -1;
  if (told === undefined || last === -1) return undefined;
  // Numbers on several short lines: "2 passing", "1 failing".
  const isShort = (one: Said | undefined): boolean =>
    one?.runner === told[last]?.runner && one?.counted === true && one.line.trim().length < 30;
  const together = told.filter(
    (one, at) => at === last || (Math.abs(at - last) === 1 && isShort(told[last]) && isShort(one)),
  );
  const words = together.map(({ line }) => line.replace(/^[\s=#ℹ✖*]+|[\s=*.:]+$/g, '').replace(/\s+/g, ' '));
  return words.join(', ').slice(0, LONGEST_TOTALS);
}
