import type { CheckRun } from './checks.ts';
import type { Failing } from './failures.ts';

/** Options that select some tests or packages. */
const SELECTS =
  /^(?:-run|-k|-t|--grep|-g|--filter|--testNamePattern|--testPathPattern|-m|-p|--package|--lib|--test|--project)$/;

/** Whether a passed run shows that a failure of an earlier run is fixed. */
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
      (failure.found === 'test' && selected(part, failure.name)) ||
      (finds(part, failure.found) && !selects(part) && reachesAll(part, parts)),
  );
}

/** Whether a command would find such a failure, as any compilation finds compile errors. */
function finds(command: string, found: Failing['found']): boolean {
  if (/\b(?:ci|check|checks|verify|validate|pre-commit)\b/.test(command)) return true;
  const lints = /lint|clippy|ruff|flake8|biome|rubocop|staticcheck|\bvet\b/.test(command);
  const tests = /test|spec|vitest|jest|mocha/.test(command);
  if (found === 'lint') return lints;
  if (found === 'test') return tests && !/\s-c(?:\s|$)|--no-run/.test(command);
  return tests || /build|compile|tsc|typecheck|\bcheck\b|types|golangci|\bvet\b|clippy/.test(command);
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
  return command.split(/\s+/).some((word) => SELECTS.test(word.split('=')[0] ?? ''));
}

/** Whether a run selects tests by a pattern that this one matches: `-run "TestCart|TestTotal"`. */
function selected(command: string, name: string): boolean {
  const pattern = /\s(?:-run|-k|-t|--grep|-g|--filter|--testNamePattern)[= ]("[^"]*"|'[^']*'|\S+)/.exec(
    command,
  )?.[1];
  const [test = name] = name.split('/');
  return (pattern ?? '')
    .replace(/^["']|["']$/g, '')
    .split(/\||\bor\b/)
    .map((one) => one.replace(/[\^$()\s]|\.\*/g, ''))
    .some((one) => one.length > 3 && test.includes(one));
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
