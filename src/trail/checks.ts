import { stripVTControlCharacters } from 'node:util';
import { wordList } from '../text/word-list.ts';
import type { CallOutcome } from '../transcript/event.ts';
import { type Failing, failingIn, passingIn } from './failures.ts';
import type { ShellSegment } from './shell.ts';

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
export function isCheck({ words, text }: Pick<ShellSegment, 'words' | 'text'>): boolean {
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

/** A run of a test, a linter, a build or another check. */
export interface CheckRun {
  /** The command as one would type it again. */
  command: string;
  /** Undefined if neither the status nor the output shows it. */
  outcome?: 'passed' | 'failed';
  /** Names of failures, or the first error. */
  failing: Failing[];
  /** Names of passed tests, if the output has them. */
  passing: string[];
  /** The commands that ran, to compare the coverage of two runs. */
  parts: string[];
  /** What a task runner printed that it runs: `> tsc -p .` */
  inner: string[];
}

/** Checks that print nothing on success. */
const SILENT = /\b(?:build|vet|compile|check|tsc|typecheck|eslint|shellcheck|-c)\b/;
const SHORTENS = /^(?:head|tail|cat|tee|less|more)\b/;
/** Looks for errors in an output: `grep -E "error|FAIL"`. */
const SEARCHES = /^(?:grep|egrep|rg)\b(?!.* -\w*v).*(?:error|fail)/i;
/** What task runners and debuggers print around a program that is silent. */
const BANNER =
  /^(?:> .*|\$ .*|\[[\w:.-]+\] \$ .*|Debugger attached\.|Waiting for the debugger.*|Done in .*|.*\bup to date\b.*)$/gm;
/** How many characters of an output are read from each end. */
const READ = 20_000;
const FAILED_TEXT =
  /^\s*--- FAIL: |^FAIL(?:\s|$)|\bFAILED\b(?! ?[(:=]? ?0\b)|^\s*[✗✕✘×] |\b[1-9]\d* (?:tests? |specs? |examples?,? )?(?:failed|failing|failures?|errors?|fail)\b|\b(?:Failures|Errors|Failed|fail):? +[1-9]|^(?:FAILURES|ERRORS)!$|^\{.*"Action":"fail"|\berror TS\d+|^error(?:\[E\d+\])?: |^(?:\S+: )?panic: |^Traceback \(most|npm (?:ERR!|error)|\bBUILD FAIL|^make: \*\*\*|\bexit status [1-9]|ELIFECYCLE|^Error: |\bERROR task failed|^[\w./-]+\.\w{1,5}:\d+:\d+: (?!warning)|\bcommand not found$|No such file or directory$/m;
const PASSED_TEXT =
  /^ok\s+\S+\s|^PASS$|\b[1-9]\d* (?:tests? |specs? |examples?,? )?(?:passed|passing)\b|\b0 (?:issues|errors|failures|problems|fail)\b|^(?:ℹ|#) fail 0$|^OK \(\d+ tests?|^Passed!|^Checked \d+ files? in|All checks passed|All tests passed|\bBUILD SUCCESS|test result: ok|no issues found|Success: no issues|All matched files use Prettier|Tests?:\s+\d+ passed/im;

/**
 * Reads a run of checks from its command line and its result. The exit status decides, unless another program's
 * status hides it; then the text of the output decides.
 *
 * @param root the workspace: files in it are named relative to it
 */
export function readCheck(
  segments: readonly ShellSegment[],
  outcome: CallOutcome,
  exit: number | undefined,
  output: string,
  root: string,
): CheckRun | undefined {
  if (outcome === 'rejected' || outcome === 'interrupted') return undefined;
  const checks = segments.filter(isCheck);
  const first = checks[0];
  const last = checks.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const text = stripVTControlCharacters(endsOf(output)).replaceAll(`${root}/`, '');
  const after = segments.slice(segments.indexOf(last) + 1);
  // The status of a chain is that of the last command that ran; a pipe or a `;` replaces it with another's.
  const hidden =
    checks.some((check, index) => check.piped || (index > 0 && check.after === ';')) ||
    after.some(({ after: operator }) => operator !== '&&');
  const saysFailed = FAILED_TEXT.test(text);
  const saysPassed = PASSED_TEXT.test(text);
  const failed = exit === undefined ? outcome === 'failed' : exit !== 0;
  const known = exit !== undefined || outcome === 'ok' || outcome === 'failed';
  const isQuiet = known && text.replace(BANNER, '').trim() === '';
  let result: CheckRun['outcome'];
  if (known && !hidden) result = failed ? 'failed' : 'passed';
  else if (saysFailed) result = 'failed';
  else if (saysPassed || (isQuiet && checks.every(showsFailures))) result = 'passed';
  // The status of a pipe is that of its last program: grep fails where it finds nothing.
  else if (known && failed && !checks.some(({ piped }) => piped)) result = 'failed';
  const failing = result === 'failed' ? failingIn(text) : [];
  return {
    command: checks.map((check) => check.text).join(' && '),
    ...(result !== undefined && { outcome: result }),
    failing,
    passing: passingIn(text),
    parts: checks.map((check) => check.text),
    inner: [...text.matchAll(/^(?:> |\$ )(?!.*@\d)(.{1,200})$/gm)].map(([, ran = '']) => ran).slice(0, 8),
  };
}

/** Whether a failure of this command would be seen, so that no output means success. */
function showsFailures({ text, into }: ShellSegment): boolean {
  const isSilent = SILENT.test(text);
  return (
    into.every(
      (stage) =>
        (isSilent && SHORTENS.test(stage)) || (SEARCHES.test(stage) && (isSilent || /fail/i.test(stage))),
    ) &&
    (isSilent || into.length > 0)
  );
}

/** Head and tail of an output, in whole lines: either may show how it ended. */
function endsOf(output: string): string {
  if (output.length <= 2 * READ) return output;
  const tail = output.slice(-READ);
  return `${output.slice(0, READ)}\n${tail.slice(tail.indexOf('\n') + 1)}`;
}
