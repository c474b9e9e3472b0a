import { wordSet } from '../../base/text/word-list.ts';
import type { Command } from './shell.ts';
import { baseOf } from './wrappers.ts';

/** Names of tasks that check the work, or parts of them: `test:unit`, `check-types`. */
const CHECKING = wordSet(`
  test tests spec lint check checks build ci typecheck types tsc verify e2e vet validate coverage compile unit
  integration clippy nextest
`);
const RUNNERS = wordSet(`
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
  return RUNNERS.has(program) && isTask(program, rest);
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
