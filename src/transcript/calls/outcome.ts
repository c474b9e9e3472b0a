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
  /** Names of failures. */
  failing: string[];
}

/** How a call ended. */
export interface Ending {
  /** Undefined where the host does not say. */
  failed?: boolean;
  exit?: number;
  output: string;
}

const LONGEST_COMMAND = 300;
const LONGEST_TOTALS = 120;
/** What failed counts: "2 failed", "1 error", "due to 3 previous errors", "3 offenses". */
const COUNTED =
  /\b(\d+) (?:(?:tests?|specs?|previous|lint) )?(?:failed|failing|failures?|errors?|fail|offenses?|issues)\b/gi;
/** "Failures: 1", "errors=2", "fail 2", "1 Error(s)". */
const NAMED = /\b(?:failures?|errors?|failed|fail)(?:[:=] *| +)(\d+)\b|\b(\d+) Error\(s\)/gi;
/** Lines that report an error, where no runner counts. */
const STRAY: readonly RegExp[] = [
  /\berror TS\d+|^error(?:\[E\d+\])?: |^Error: |^(?:\S+: )?panic: |^Traceback \(most|^not ok \d/,
  /\bFAILED\b(?! ?[(:=]? ?0\b)|^\s*[✗✕✘×] |\b[1-9]\d* (?:failed|failing|failures?|errors?)\b/,
  /^\S*?[\w./-]+\.\w{1,5}:\d+:\d+: (?!warning|note)|\bexit status [1-9]/,
];
/** Checks that print nothing on success. */
const SILENT = /\b(?:build|vet|compile|check|tsc|typecheck|eslint|shellcheck|lint|-c)\b/;
const SHORTENS = new Set(['head', 'tail', 'cat', 'tee', 'less', 'more', 'sort', 'uniq']);
/** What task runners and debuggers print around a program that is silent. */
const BANNER =
  /^(?:> .*|\$ .*|\[[\w:.-]+\] \$ .*|Debugger attached\.|Waiting for the debugger.*|Done in .*|.*\bup to date\b.*)$/gm;
/** Commands before a check that do not fail. */
const HARMLESS = new Set([
  'echo',
  'export',
  'sleep',
  'mkdir',
  'rm',
  'source',
  '.',
  'true',
  'printf',
  'date',
  'pwd',
  'ls',
]);
/** Statuses of a command that was stopped. */
const STOPPED = new Set([124, 130, 137, 143]);

/** Reads a run of checks from its commands and its result; undefined if its outcome does not show. */
export function checkOf(commands: readonly Command[], ending: Ending): Check | undefined {
  const checks = commands.filter(isCheck);
  const first = checks[0];
  const last = checks.at(-1);
  if (first === undefined || last === undefined || last.background) return undefined;
  const lines = ending.output.split('\n').map((line) => line.trimEnd());
  const own = runnersIn(lines);
  const outcome = outcomeOf(commands, checks, ending, own, lines);
  if (outcome === undefined) return undefined;
  const totals = totalsOf(own, outcome);
  return {
    command: checks
      .map(({ typed }) => typed)
      .join(' && ')
      .slice(0, LONGEST_COMMAND),
    outcome,
    ...(totals !== undefined && { totals }),
    failing: outcome === 'failed' ? failingIn(ending.output) : [],
  };
}

function outcomeOf(
  commands: readonly Command[],
  checks: readonly Command[],
  ending: Ending,
  own: readonly Said[],
  lines: readonly string[],
): Check['outcome'] | undefined {
  const from = commands.indexOf(checks[0] as Command);
  const to = commands.indexOf(checks.at(-1) as Command);
  const said = saidBy(own);
  const told = toldStatus(commands, to, ending.output);
  if (told !== undefined) return said === 'failed' || told !== 0 ? 'failed' : 'passed';
  // The status of a chain is that of the last command that ran; a pipe or a `;` replaces it with another's.
  const hidden =
    checks.some(
      (check, index) => (check.into.length > 0 && !check.pipefail) || (index > 0 && check.after === ';'),
    ) || commands.slice(to + 1).some(({ after }) => after !== '&&');
  const { failed, exit } = ending;
  if (!hidden && failed === false) return 'passed';
  if (said !== undefined)
    return said === 'passed' && !hidden && failed && to === commands.length - 1 ? 'failed' : said;
  if (exit !== undefined && STOPPED.has(exit)) return undefined;
  if (!hidden && failed) {
    const strays = lines.some(isStray);
    const alone = commands.slice(0, from).every(({ words }) => HARMLESS.has(words[0] ?? ''));
    return strays || (alone && to === commands.length - 1) ? 'failed' : undefined;
  }
  if (failed === undefined) return lines.some(isStray) ? 'failed' : undefined;
  if (lines.some(isStray)) return 'failed';
  const quiet = ending.output.replace(BANNER, '').trim() === '';
  if (quiet && checks.every(showsFailures)) return 'passed';
  // The status of a pipe is that of its last program: grep fails where it finds nothing.
  return failed && !checks.some(({ into }) => into.length > 0) ? 'failed' : undefined;
}

const isStray = (line: string): boolean => STRAY.some((pattern) => pattern.test(line));

/** A line of a runner about its own run. */
interface Said {
  runner: string;
  line: string;
  outcome: 'passed' | 'failed';
  /** Has numbers. */
  counted: boolean;
}

function runnersIn(lines: readonly string[]): Said[] {
  return lines.flatMap((line): Said[] => {
    if (line === '' || line.length > 1000) return [];
    for (const { name: runner, totals, failed, passed } of RUNNERS) {
      if (totals?.test(line))
        return [{ runner, line, counted: true, outcome: failuresIn(line) > 0 ? 'failed' : 'passed' }];
      if (failed?.test(line)) return [{ runner, line, counted: false, outcome: 'failed' }];
      if (passed?.test(line)) return [{ runner, line, counted: false, outcome: 'passed' }];
    }
    return [];
  });
}

function saidBy(own: readonly Said[]): Check['outcome'] | undefined {
  if (own.length === 0) return undefined;
  return own.some(({ outcome }) => outcome === 'failed') ? 'failed' : 'passed';
}

function failuresIn(line: string): number {
  const counts = [...line.matchAll(COUNTED), ...line.matchAll(NAMED)];
  return counts.reduce((sum, [, one, other]) => sum + Number(one ?? other ?? 0), 0);
}

/** The runner's own words for this outcome, on one line. */
function totalsOf(own: readonly Said[], outcome: Check['outcome']): string | undefined {
  const useful = own.filter(
    ({ runner, line }) => runner !== 'task runner' && !/^\{|--- FAIL|^(?:FAIL|PASS)$/.test(line),
  );
  const best = useful.filter(({ counted, runner }) => counted && runner !== 'suites');
  const told = [best, useful.filter(({ counted }) => counted), useful].find((some) =>
    some.some((one) => one.outcome === outcome),
  );
  const last = told?.findLast((one) => one.outcome === outcome);
  if (told === undefined || last === undefined) return undefined;
  const at = told.indexOf(last);
  // Numbers on several lines: "2 passing", "1 failing".
  const beside = [told[at - 1], last, told[at + 1]].filter(
    (one) =>
      one === last ||
      (one?.runner === last.runner && last.counted && /^\W*(?:\w+ )?\d+(?: \w+)?[^\d]*/.test(one.line)),
  );
  const short = last.line.trim().length < 30 ? beside : [last];
  return short
    .map((one) => (one?.line ?? '').replace(/^[\s=#ℹ✖*]+|[\s=*.]+$/g, '').replace(/\s+/g, ' '))
    .join(', ')
    .slice(0, LONGEST_TOTALS);
}

/** `npm test; echo "exit: $?"` prints the status itself. */
function toldStatus(commands: readonly Command[], check: number, output: string): number | undefined {
  const next = commands[check + 1];
  const text = next?.words[0] === 'echo' ? next.words.slice(1).join(' ') : '';
  const found = /^([^$]*)\$(\?|\{PIPESTATUS\[0\]\})/.exec(text);
  if (found === null || (found[2] === '?' && (commands[check]?.into.length ?? 0) > 0)) return undefined;
  const label = found[1] ?? '';
  const at = output.lastIndexOf(label);
  const status = at === -1 ? undefined : /^\d{1,3}\b/.exec(output.slice(at + label.length))?.[0];
  return status === undefined ? undefined : Number(status);
}

/** Whether a failure of this command would be seen, so that no output means success. */
function showsFailures({ typed, into }: Command): boolean {
  const isSilent = SILENT.test(typed);
  return (
    (isSilent || into.length > 0) &&
    into.every((stage) => {
      const [program = ''] = stage;
      if (SHORTENS.has(program)) return isSilent;
      if (!/^(?:[ef]?grep|rg)$/.test(program)) return false;
      const wanted = stage.slice(1).join(' ');
      const inverted = stage.some((word) => /^-[a-zA-Z]*v[a-zA-Z]*$/.test(word));
      if (inverted) return isSilent && !/error|fail|ts\d/i.test(wanted);
      return /fail/i.test(wanted) || (isSilent && /error/i.test(wanted));
    })
  );
}
