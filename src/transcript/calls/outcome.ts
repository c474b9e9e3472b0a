import { wordList, wordSet } from '../../base/text/word-list.ts';
import { isCheck } from './checks.ts';
import { failingIn } from './failing.ts';
import { RUNNERS } from './runners.ts';
import type { Command } from './shell.ts';

/** A run of tests, a linter, a build or another check, whose result is known. */
export interface Check {
  command: string;
  outcome: 'passed' | 'failed';
  /** The runner's own words on one line: "3 failed, 41 passed". */
  totals?: string;
  failing: string[];
}

/** How a call ended; `failed` is undefined where the host does not say. */
export interface Ending {
  failed?: boolean;
  exit?: number;
  output: string;
}

/** A line of a runner about its own run. */
interface Said {
  runner: string;
  line: string;
  outcome: Check['outcome'];
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
/** Lines that report an error, where no runner counts. */
const STRAY: readonly RegExp[] = [
  /\berror TS\d+|^error(?:\[E\d+\])?: |^Error: |^(?:\S+: )?panic: |^Traceback \(most|^not ok \d/,
  /\bFAILED\b(?! ?[(:=]? ?0\b)|^\s*[✗✕✘×] |\b[1-9]\d* (?:failed|failing|failures?|errors?)\b/,
  /^\S*?[\w./-]+\.\w{1,5}:\d+:\d+: (?!warning|note)|\bexit status [1-9]/,
];
/** Checks that print nothing on success. */
const SILENT = /\b(?:build|vet|compile|check|tsc|typecheck|eslint|shellcheck|lint|-c)\b/;
/** What task runners and debuggers print around a program that is silent. */
const BANNER =
  /^(?:[>$] .*|\[[\w:.-]+\] \$ .*|Debugger attached\.|Waiting for the debugger.*|Done in .*|.*\bup to date\b.*)$/gm;
/** What a task runner puts before each line of a task: mise, turbo. */
const PREFIX = /^(?:\[[\w.-]+:[\w:.-]+\]|[@\w/.-]{1,60}:[a-z][\w-]{1,20}:) (?=\S| {2})/;
const SHORTENS = wordSet('head tail cat tee less more sort uniq');
/** Commands before a check that do not fail. */
const HARMLESS = wordSet('echo export sleep mkdir rm source . true printf date pwd ls');
/** Commands behind a check that only show what it printed. */
const SHOWS = new Set([...HARMLESS, ...SHORTENS, 'grep', 'wc', 'exit']);
/** Statuses of a command that was stopped. */
const STOPPED = new Set([124, 130, 137, 143]);

/** Reads a run of checks from its commands and its result; undefined if its outcome does not show. */
export function checkOf(commands: readonly Command[], ending: Ending): Check | undefined {
  const checks = commands.filter(isCheck);
  if (checks.length === 0 || checks.at(-1)?.background === true) return undefined;
  const lines = ending.output
    .split('\n')
    .map((line) => line.slice(0, LONGEST_LINE).replace(PREFIX, '').trimEnd());
  const own = saidIn(lines);
  const outcome = outcomeOf(commands, checks, ending, own, lines);
  if (outcome === undefined) return undefined;
  const command = checks
    .map(({ typed }) => typed)
    .join(' && ')
    .slice(0, LONGEST_COMMAND);
  const totals = totalsOf(own, outcome);
  const failing = outcome === 'failed' ? failingIn(ending.output) : [];
  return { command, outcome, ...(totals !== undefined && { totals }), failing };
}

function outcomeOf(
  commands: readonly Command[],
  checks: readonly Command[],
  { failed, exit, output }: Ending,
  own: readonly Said[],
  lines: readonly string[],
): Check['outcome'] | undefined {
  const before = commands.slice(0, commands.findIndex(isCheck));
  const behind = commands.slice(commands.findLastIndex(isCheck) + 1);
  const said = own.find((one) => one.outcome === 'failed')?.outcome ?? own[0]?.outcome;
  const told = toldStatus(checks.at(-1), behind[0], output);
  if (told !== undefined) return said === 'failed' || told !== 0 ? 'failed' : 'passed';
  const piped = checks.some(({ into }) => into.length > 0);
  // The status of a chain is that of the last command that ran; a pipe or a `;` replaces it with another's.
  const hidden =
    (piped && !checks.every(({ into, pipefail }) => pipefail || into.length === 0)) ||
    [...checks.slice(1), ...behind].some(({ after }, at) =>
      at < checks.length - 1 ? after === ';' : after !== '&&',
    );
  if (!hidden && failed === false) return 'passed';
  const ran = !hidden && failed === true && behind.length === 0;
  if (said !== undefined) return ran ? 'failed' : said;
  if (exit !== undefined && STOPPED.has(exit)) return undefined;
  // What other commands behind the check print may report errors of their own.
  if (
    behind.every(({ words }) => SHOWS.has(words[0] ?? '')) &&
    lines.some((line) => STRAY.some((one) => one.test(line)))
  )
    return 'failed';
  if (!hidden || failed === undefined)
    return ran && before.every(({ words }) => HARMLESS.has(words[0] ?? '')) ? 'failed' : undefined;
  if (output.replace(BANNER, '').trim() === '' && checks.every(showsFailures)) return 'passed';
  // The status of a pipe is that of its last program: grep fails where it finds nothing.
  return failed && !piped ? 'failed' : undefined;
}

/** A line with none of these is not a runner's about its run: most lines of an output need no closer look. */
const TELLS = new RegExp(
  wordList(
    'pass fail error ok test succe finish found issue offens problem built compil check match summary snapshot flaky skip warn deselect assertion DONE ELIFECYCLE recipe exited \\*\\*\\*',
  ).join('|'),
  'i',
);

function saidIn(lines: readonly string[]): Said[] {
  return lines.flatMap((line): Said[] => {
    if (!TELLS.test(line)) return [];
    for (const { name: runner, totals, failed, passed } of RUNNERS) {
      const counted = totals?.test(line) ?? false;
      if (counted) return [{ runner, line, counted, outcome: failuresIn(line) > 0 ? 'failed' : 'passed' }];
      if (failed?.test(line)) return [{ runner, line, counted, outcome: 'failed' }];
      if (passed?.test(line)) return [{ runner, line, counted, outcome: 'passed' }];
    }
    return [];
  });
}

const failuresIn = (line: string): number =>
  COUNTS.flatMap((pattern) => [...line.matchAll(pattern)]).reduce((sum, [, count]) => sum + Number(count), 0);

/** The runner's own words for this outcome, on one line. */
function totalsOf(own: readonly Said[], outcome: Check['outcome']): string | undefined {
  const useful = own.filter(
    ({ runner, line, counted }) =>
      runner !== 'task runner' && (counted || outcome === 'failed') && !/^\{|--- FAIL|^FAIL$/.test(line),
  );
  const counted = useful.filter((one) => one.counted);
  const told = [counted.filter(({ runner }) => runner !== 'suites'), counted, useful].find((some) =>
    some.some((one) => one.outcome === outcome),
  );
  const last = told?.findLastIndex((one) => one.outcome === outcome) ?? -1;
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

/** `npm test; echo "exit: $?"` prints the status itself. */
function toldStatus(
  check: Command | undefined,
  next: Command | undefined,
  output: string,
): number | undefined {
  const [, label = '', which] =
    /^echo ([^$]*)\$(\?|\{PIPESTATUS\[0\]\})/.exec(next?.words.join(' ') ?? '') ?? [];
  const at = output.lastIndexOf(label);
  if (which === undefined || at === -1 || (which === '?' && check !== undefined && check.into.length > 0))
    return undefined;
  const status = /^\d{1,3}\b/.exec(output.slice(at + label.length))?.[0];
  return status === undefined ? undefined : Number(status);
}

/** Whether a failure of this command would be seen, so that no output means success. */
function showsFailures({ typed, into }: Command): boolean {
  const silent = SILENT.test(typed);
  const shows = ([program = '', ...words]: readonly string[]): boolean => {
    if (SHORTENS.has(program)) return silent;
    if (!/^(?:[ef]?grep|rg)$/.test(program)) return false;
    const wanted = words.join(' ');
    if (words.some((word) => /^-[a-zA-Z]*v[a-zA-Z]*$/.test(word)))
      return silent && !/error|fail|ts\d/i.test(wanted);
    return /fail/i.test(wanted) || (silent && /error/i.test(wanted));
  };
  return (silent || into.length > 0) && into.every(shows);
}
