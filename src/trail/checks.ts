import { stripVTControlCharacters } from 'node:util';
import type { Outcome } from '../transcript/event.ts';
import { isCheck } from './check-command.ts';
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
  segments: readonly Segment[],
  outcome: Outcome,
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
function showsFailures({ text, into }: Segment): boolean {
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
