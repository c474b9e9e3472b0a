import type { CheckRun } from './checks.ts';
import type { Failing } from './failures.ts';

/** Options that select some tests or packages. */
const SELECTS =
  /^(?:-run|-k|-t|--grep|-g|--filter|--testNamePattern|--testPathPattern|-m|-p|-w|--workspace|--package|--lib|--test|--project)$/;
/** A path or a test that is named, but not "everything below". */
const NAMED =
  /^(?!-)(?!\.{1,2}\/?(?:\.\.\.)?$|\.\/\.\.\.$).*(?:\/|::|\.(?:[cm]?[jt]sx?|py|rb|go|rs|php|java|kt|exs?|cs|swift)$)/;

/** Programs that check the same language: only these find each other's failures again. */
const FAMILIES: readonly RegExp[] = [
  /^(?:npm|pnpm|yarn|bun|bunx|npx|node|deno|tsx|vitest|jest|mocha|ava|tap|tsc|tsgo|vue-tsc|eslint|biome|prettier|oxlint|stylelint|turbo|nx|lerna|playwright|cypress)$/,
  /^(?:pytest|py\.test|python[\d.]*|unittest|tox|nox|mypy|ruff|flake8|pylint|pyright|basedpyright|bandit|poetry|uv|uvx|pdm|hatch|pipenv)$/,
  /^(?:go|golangci-lint|staticcheck|govulncheck)$/,
  /^(?:cargo|rustc)$/,
  /^(?:bundle|rake|rails|rspec|ruby|rubocop|standardrb)$/,
  /^(?:php|composer|phpunit|pest)$/,
  /^(?:gradle|gradlew|mvn|mvnw|sbt|kotlinc|ktlint|detekt)$/,
  /^(?:dotnet)$/,
  /^(?:swift|xcodebuild|swiftlint)$/,
  /^(?:mix|elixir)$/,
];
/** Run whatever a project puts behind a name. */
const TASK_RUNNERS =
  /^(?:npm|pnpm|yarn|bun|make|gmake|just|mise|task|composer|rake|tox|nox|pre-commit|lefthook|bazel|nx|turbo)$/;

/** Whether a run shows that a failure of an earlier one is gone. */
export function clears(run: CheckRun, failure: Failing, parts: readonly string[]): boolean {
  if (run.outcome === undefined) return false;
  if (run.passing.includes(failure.name) || run.passing.includes(failure.name.split('/')[0] ?? ''))
    return true;
  // In a failed run that names its failures, the rest has passed.
  if (
    run.outcome === 'failed' &&
    !(failure.found === 'test' && run.failing.some(({ found }) => found === 'test'))
  )
    return false;
  return run.parts.some(
    (part) =>
      parts.some((earlier) => part === earlier || isWider(part, earlier)) ||
      (parts.some((earlier) => isRelated(part, earlier)) &&
        ((failure.found === 'test' && selected(part, failure.name)) ||
          (finds([part, ...run.inner], failure.found, parts) && !selects(part) && reachesAll(part, parts)))),
  );
}

/** Whether two commands check the same language, as far as their programs show. */
function isRelated(one: string, other: string): boolean {
  const [a, b] = [familyOf(one), familyOf(other)];
  return a === undefined || b === undefined || a === b;
}

function familyOf(command: string): number | undefined {
  for (const word of programsIn(command)) {
    const family = FAMILIES.findIndex((programs) => programs.test(word));
    if (family !== -1) return family;
  }
  return undefined;
}

/** The words that may be the program: a container's or a runner's own name stands before it. */
const programsIn = (command: string): string[] =>
  command
    .split(/\s+/)
    .slice(0, 6)
    .map((word) => word.replace(/^.*[\\/]/, ''));

/**
 * Whether commands would find such a failure: tests are found by tests, and what a type check finds by a type check or
 * by a compiler of a language that has no other.
 */
function finds(commands: readonly string[], found: Failing['found'], earlier: readonly string[]): boolean {
  return commands.some((command) => {
    if (
      programsIn(command).some((word) => TASK_RUNNERS.test(word)) &&
      /\b(?:ci|check|checks|verify|validate|all)\b|\bpre-commit\b/.test(command)
    )
      return true;
    const tests = /test|spec|vitest|jest|mocha/.test(command);
    if (found === 'lint') return /lint|clippy|ruff|flake8|biome|rubocop|staticcheck|\bvet\b/.test(command);
    if (found === 'test') return tests && !/\s-c(?:\s|$)|--no-run/.test(command);
    if (/compile|tsc|tsgo|typecheck|types|mypy|pyright|golangci|\bvet\b|clippy|cargo check/.test(command))
      return true;
    const typed = earlier.some((one) => /tsc|tsgo|type|mypy|pyright/.test(one));
    return !typed && (tests || /build/.test(command));
  });
}

/** A run without certain build tags or a specific target does not see failures of those. */
function reachesAll(command: string, earlier: readonly string[]): boolean {
  const special = (text: string): string[] =>
    text.match(/-tags[= ]\S+|\b(?:integration|e2e|acceptance|smoke)\b/g) ?? [];
  const wide = /\bci\b|\ball\b/.test(command);
  return (
    wide ||
    earlier.every((part) => special(part).every((word) => command.includes(word.replace(/-tags[= ]/, ''))))
  );
}

function selects(command: string): boolean {
  return command
    .split(/\s+/)
    .slice(1)
    .some((word) => SELECTS.test(word.split('=')[0] ?? '') || NAMED.test(word));
}

/** Whether a run selects tests by a pattern that this one matches: `-run "TestCart|TestTotal"`. */
function selected(command: string, name: string): boolean {
  const pattern = /\s(?:-run|-k|-t|--grep|-g|--filter|--testNamePattern)[= ]("[^"]*"|'[^']*'|\S+)/.exec(
    command,
  )?.[1];
  const parts = name.split(/[/#>›]|::/).map((part) => part.trim());
  return (pattern ?? '')
    .replace(/^["']|["']$/g, '')
    .split(/\||\bor\b/)
    .map((one) => one.replace(/[\^$()\s]|\.\*/g, ''))
    .some((one) => one.length > 3 && parts.some((part) => part.includes(one)));
}

/** `go test ./...` is wider than `go test ./cmd -run X`, `mise run test` than `mise run test -- -run X`. */
function isWider(wide: string, narrow: string): boolean {
  const plain = (text: string): string[] =>
    text.split(/\s+/).filter((word) => word !== '--' && !/^-(?:v|count=\d+|race|x|q)$/.test(word));
  const [a, b] = [plain(wide), plain(narrow)];
  if (a.some((word) => SELECTS.test(word.split('=')[0] ?? ''))) return false;
  const scopes = (words: string[]): string[] =>
    words
      .slice(1)
      .filter((word, index) => !word.startsWith('-') && !SELECTS.test(words[index] ?? ''))
      .slice(1);
  if (a[0] !== b[0] || a[1] !== b[1]) return false;
  const flagsOf = (words: string[]): string[] => words.filter((word) => /^-tags/.test(word));
  if (flagsOf(b).some((flag) => !a.includes(flag))) return false;
  const reach = scopes(a);
  if (reach.length === 0) return true;
  return scopes(b).length > 0 && scopes(b).every((scope) => reach.some((whole) => holds(whole, scope)));
}

function holds(whole: string, part: string): boolean {
  if (whole === part) return true;
  const root = whole.replace(/\/?\.\.\.$/, '').replace(/\/$/, '');
  return (
    whole.endsWith('...') && (root === '.' || part.startsWith(`${root}/`) || part.replace(/\/$/, '') === root)
  );
}
