import type { Outcome } from '../transcript/event.ts';
import { type Failing, failingIn, passingIn } from './failures.ts';
import type { Segment } from './shell.ts';

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
}

/** Targets of task runners that are checks. */
const TARGET =
  /(?:^|[:\-_.])(?:test|tests|spec|lint|check|checks|build|ci|typecheck|types|tsc|verify|e2e|vet|validate|coverage|compile|unit|integration|clippy)(?:$|[:\-_.\d])/i;
const RUNNER =
  /^(?:npm|pnpm|yarn|bun|mise|just|task|make|gmake|nx|turbo|moon|lerna|rush|poe|hatch|pdm|rake|invoke|inv|gradle|gradlew|\.\/gradlew|mvn|mvnw|\.\/mvnw|composer|deno|cargo|go|dotnet|swift|mix|sbt|bazel|bazelisk|buck2|zig|flutter|dart|stack|cabal|dune|lein|npx|bunx|pnpx|uv|uvx|poetry|pipenv|bundle|tox|nox)$/;
const DIRECT =
  /^(?:pytest|py\.test|jest|vitest|mocha|ava|tap|karma|cypress|playwright|rspec|phpunit|pest|ctest|prove|bats|eslint|biome|prettier|stylelint|oxlint|tsc|vue-tsc|tsgo|ruff|flake8|pylint|mypy|pyright|basedpyright|bandit|golangci-lint|staticcheck|shellcheck|hadolint|rubocop|standardrb|ktlint|detekt|swiftlint|swiftformat|clang-tidy|clang-format|cppcheck|markdownlint|markdownlint-cli2|yamllint|actionlint|buf|sqlfluff|terraform|tflint|ninja|cmake|xcodebuild|pre-commit|lefthook|knip|publint|attw|tox|nox|deadcode|govulncheck)$/;
/** Words before the program that actually runs. */
const WRAPPERS = new Set([
  'npx',
  'bunx',
  'pnpx',
  'uvx',
  'time',
  'timeout',
  'nice',
  'sudo',
  'xvfb-run',
  'dotenv',
]);
const RUN_WORDS = new Set(['run', 'exec', 'x', 'r', 'dlx', '--']);
/** Checks that print nothing on success. */
const SILENT = /\b(?:build|vet|compile|check|tsc|typecheck|eslint|shellcheck|-c)\b/;
/** How many characters of an output are read from each end. */
const READ = 20_000;
/** Forms of a program that are not checks. */
const NO_CHECK =
  /^(?:terraform (?:init|apply|destroy|output|state)|cmake -E|.* --?(?:version|help)\b|.* -h$)/;

const FAILED_TEXT =
  /^\s*--- FAIL: |^FAIL(?:\s|$)|\bFAILED\b(?! ?[(:=]? ?0\b)|^\s*[✗✕✘×] |\b[1-9]\d* (?:tests? |specs? |examples?,? )?(?:failed|failing|failures?|errors?)\b|\berror TS\d+|^error(?:\[E\d+\])?: |^(?:\S+: )?panic: |^Traceback \(most|npm (?:ERR!|error)|\bBUILD FAIL|^make: \*\*\*|\bexit status [1-9]|ELIFECYCLE|^Error: |\bERROR task failed|^[\w./-]+\.\w{1,5}:\d+:\d+: (?!warning)|\bcommand not found$|No such file or directory$/m;
const PASSED_TEXT =
  /^ok\s+\S+\s|^PASS$|\b[1-9]\d* (?:tests? |specs? |examples?,? )?(?:passed|passing)\b|\b0 (?:issues|errors|failures|problems)\b|All checks passed|All tests passed|\bBUILD SUCCESS|test result: ok|no issues found|Success: no issues|All matched files use Prettier|Tests?:\s+\d+ passed/im;

/** Whether a simple command tests, lints, builds or checks. */
export function isCheck({ words, text }: Pick<Segment, 'words' | 'text'>): boolean {
  if (NO_CHECK.test(text)) return false;
  let at = 0;
  while (at < words.length && (WRAPPERS.has(words[at] ?? '') || /^(?:\d+[smh]?|-\w+)$/.test(words[at] ?? '')))
    at += 1;
  const program = (words[at] ?? '').replace(/^.*\//, (path) => (path === './' ? path : ''));
  const rest = words.slice(at + 1).filter((word) => !RUN_WORDS.has(word));
  if (DIRECT.test(program)) return true;
  if (/^python[\d.]*$/.test(program))
    return (
      rest[0] === '-m' &&
      /^(?:pytest|unittest|mypy|ruff|flake8|compileall|build|tox|nox)$/.test(rest[1] ?? '')
    );
  if (program === 'node') return rest.includes('--test') || rest.includes('--check');
  if (!RUNNER.test(words[at] ?? '') && !RUNNER.test(program)) return false;
  const target = rest.find((word) => !word.startsWith('-')) ?? '';
  return (
    TARGET.test(target) ||
    DIRECT.test(target) ||
    (/^(?:make|gmake|tox|nox|mvn)$/.test(program) && target === '')
  );
}

/**
 * Reads a run of checks from its command line and its result. The exit status decides, unless another program's
 * status hides it; then the text of the output decides.
 */
export function readCheck(
  segments: readonly Segment[],
  outcome: Outcome,
  exit: number | undefined,
  output: string,
): CheckRun | undefined {
  if (outcome === 'rejected' || outcome === 'interrupted') return undefined;
  const checks = segments.filter(isCheck);
  const first = checks[0];
  const last = checks.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const text = endsOf(output);
  const after = segments.slice(segments.indexOf(last) + 1);
  // The status of a chain is that of the last command that ran; a pipe or a `;` replaces it with another's.
  const hidden =
    checks.some((check, index) => check.piped || (index > 0 && check.after === ';')) ||
    after.some(({ after: operator }) => operator !== '&&');
  const saysFailed = FAILED_TEXT.test(text);
  const saysPassed = PASSED_TEXT.test(text);
  const failed = exit === undefined ? outcome === 'failed' : exit !== 0;
  const known = exit !== undefined || outcome === 'ok' || outcome === 'failed';
  let result: CheckRun['outcome'];
  if (known && !hidden) result = failed ? 'failed' : 'passed';
  else if (saysFailed) result = 'failed';
  else if (saysPassed) result = 'passed';
  else if (known && failed) result = 'failed';
  // A compiler or linter without findings prints nothing.
  else if (
    known &&
    text.trim() === '' &&
    checks.every((check) => SILENT.test(check.text) && (!check.piped || check.shortened))
  )
    result = 'passed';
  const failing = result === 'failed' ? failingIn(text) : [];
  return {
    command: checks.map((check) => check.text).join(' && '),
    ...(result !== undefined && { outcome: result }),
    failing,
    passing: passingIn(text),
    parts: checks.map((check) => check.text),
  };
}

/** Head and tail of an output, in whole lines: either may show how it ended. */
function endsOf(output: string): string {
  if (output.length <= 2 * READ) return output;
  const tail = output.slice(-READ);
  return `${output.slice(0, READ)}\n${tail.slice(tail.indexOf('\n') + 1)}`;
}
