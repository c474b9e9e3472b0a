import { wordList } from '../text/word-list.ts';
import type { Segment } from './shell.ts';

/** Targets of task runners that are checks. */
const TARGET =
  /(?:^|[:\-_.])(?:test|tests|spec|lint|check|checks|build|ci|typecheck|types|tsc|verify|e2e|vet|validate|coverage|compile|unit|integration|clippy)(?:$|[:\-_.\d])/i;
const RUNNER =
  /^(?:npm|pnpm|yarn|bun|mise|just|task|make|gmake|nx|turbo|moon|lerna|rush|poe|hatch|pdm|rake|invoke|inv|gradle|gradlew|\.\/gradlew|mvn|mvnw|\.\/mvnw|composer|deno|cargo|go|dotnet|swift|mix|sbt|bazel|bazelisk|buck2|zig|flutter|dart|stack|cabal|dune|lein|npx|bunx|pnpx|uv|uvx|poetry|pipenv|bundle|tox|nox)$/;
const DIRECT =
  /^(?:pytest|py\.test|jest|vitest|mocha|ava|tap|karma|cypress|playwright|rspec|phpunit|pest|ctest|prove|bats|eslint|biome|prettier|stylelint|oxlint|tsc|vue-tsc|tsgo|ruff|flake8|pylint|mypy|pyright|basedpyright|bandit|golangci-lint|staticcheck|shellcheck|hadolint|rubocop|standardrb|ktlint|detekt|swiftlint|swiftformat|clang-tidy|clang-format|cppcheck|markdownlint|markdownlint-cli2|yamllint|actionlint|buf|sqlfluff|terraform|tflint|ninja|cmake|xcodebuild|pre-commit|lefthook|knip|publint|attw|tox|nox|deadcode|govulncheck)$/;
/** Words before the program that actually runs. */
const WRAPPERS = new Set(wordList('npx bunx pnpx uvx time timeout nice sudo xvfb-run dotenv'));
const RUN_WORDS = new Set(['run', 'exec', 'x', 'r', 'dlx', 'workspaces', 'foreach', '--']);
/** Options of task runners whose value is the next word: `pnpm --filter web test`, `make -C lib check`. */
const WITH_VALUE =
  /^(?:--filter|--workspace|--prefix|--cwd|--dir|--directory|--project|--package|--manifest-path|--features|--with|--extra|--group|--config|--file|--env-file|-[wCFfpl]|-pl)$/;
/** The command that runs in a container: `docker compose exec -T web pytest`. */
const CONTAINER =
  /^(?:docker|podman)(?:[ -]compose)?(?: -\S+)* (?:exec|run)(?: (?:(?:-e|-w|-u|-v|--env|--workdir|--user|--volume|--name|--entrypoint) \S+|-\S+))* \S+ (.+)$/;
/** Scripts that are called for what they check: `./scripts/test.sh`, `bin/lint`. */
const SCRIPT =
  /^(?:run[-_])?(?:all[-_])?(?:test|tests|lint|check|checks|ci|typecheck|verify|validate|build|e2e|pre-?commit)(?:\.(?:sh|bash|zsh|py|rb|js|mjs|ts|ps1|cmd|bat))?$/;
const INTERPRETER = /^(?:bash|sh|zsh|node|tsx|bun|deno|python[\d.]*|ruby|php|pwsh)$/;
/** Frameworks whose own program runs the tests: `python manage.py test`, `bin/rails test`, `php artisan test`. */
const FRAMEWORK = /^(?:rails|manage\.py|artisan) (?:test|check|spec)\b/;
/** Forms of a program that are not checks. */
const NO_CHECK =
  /^(?:terraform (?:init|apply|destroy|output|state)|cmake -E|.* --?(?:version|help)\b|.* -h$)/;

/** Whether a simple command tests, lints, builds or checks. */
export function isCheck({ words, text }: Pick<Segment, 'words' | 'text'>): boolean {
  if (NO_CHECK.test(text)) return false;
  const inside = CONTAINER.exec(words.join(' '))?.[1];
  return isCheckOf(inside === undefined ? words : inside.split(' '));
}

function isCheckOf(words: readonly string[]): boolean {
  let at = 0;
  while (at < words.length && (WRAPPERS.has(words[at] ?? '') || /^(?:\d+[smh]?|-\w+)$/.test(words[at] ?? '')))
    at += 1;
  const path = words[at] ?? '';
  const program = baseOf(path);
  const rest = words.slice(at + 1);
  if (DIRECT.test(program)) return true;
  if (FRAMEWORK.test(`${program} ${rest[0] ?? ''}`)) return true;
  if (path.includes('/') && SCRIPT.test(program)) return true;
  if (INTERPRETER.test(program)) {
    const module = rest[0] === '-m' ? rest[1] : undefined;
    if (module !== undefined)
      return /^(?:pytest|unittest|mypy|ruff|flake8|compileall|build|tox|nox)$/.test(module);
    if (rest.includes('--test') || rest.includes('--check')) return true;
    const script = baseOf(rest.find((word) => !word.startsWith('-')) ?? '');
    const called = `${script} ${rest[1] ?? ''}`;
    if (FRAMEWORK.test(called) || (rest[0]?.includes('/') && (DIRECT.test(script) || SCRIPT.test(script))))
      return true;
  }
  return isTask(path, program, rest);
}

/** Whether a task runner is told to run a check. */
function isTask(path: string, program: string, rest: readonly string[]): boolean {
  if (!RUNNER.test(path) && !RUNNER.test(program)) return false;
  const at = rest
    .map((_, index) => index)
    .filter((index) => {
      const word = rest[index] ?? '';
      return !/^[-+]/.test(word) && !RUN_WORDS.has(word) && !WITH_VALUE.test(rest[index - 1] ?? '');
    });
  // `yarn workspace web test`
  const first = (rest[at[0] ?? 0] === 'workspace' ? at[2] : at[0]) ?? rest.length;
  const target = rest[first] ?? '';
  if (target === '') return /^(?:make|gmake|tox|nox|mvn)$/.test(program);
  // `bundle exec rake test`, `uv run python -m pytest`
  return TARGET.test(target) || isCheckOf(rest.slice(first));
}

const baseOf = (path: string): string => path.replace(/^.*[\\/]/, '');
