import { wordSet } from '../../base/text/strings.ts';
import { baseOf, type Command, ranBy } from './shell.ts';

/** A run of tests, a linter, a build: a command whose output has the words of a runner about its own run. */
export interface Check {
  command: string;
  /** Names of what failed: tests, or places in files. */
  failing: string[];
  /** The runner's own words for a failure, on one line: "3 failed, 41 passed". */
  totals?: string;
}

/** How a runner counts what failed: "2 failed", "1 error", "3 offenses"; "Failures: 1", "errors=2", "fail 2". */
const COUNTS: readonly RegExp[] = [
  /\b(\d+) (?:(?:tests?|specs?|lint) )?(?:failed|failing|failures?|errors?|fail|offenses?|issues)\b(?!\S*\/)/gi,
  /\b(?:failures?|errors?|failed|fail)(?:[:=] *| +)(\d+)\b(?![.:/\d])/gi,
  /\b(\d+) Error\(s\)/g,
];
/** A runner's words stand at the beginning of a line that is about nothing else. */
const COUNTED_WITHIN = 60;
/** Lines that say without numbers that a run failed. */
const FAILED =
  /^FAIL\t\S+(?! \[setup)\s|^error: (?:could not compile|aborting due to)\b|^(?:\[\w+\] +)?BUILD FAIL/;
/** And that it passed. */
const PASSED =
  /\b\d+ (?:tests? )?pass(?:ed|ing)?\b|^\W*pass \d|^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)|^PASS$|BUILD SUCCESS/;
/** What a task runner puts before each line of a task: mise, turbo. */
const PREFIX = /^(?:\[[\w.-]+:[\w:.-]+\]|[@\w/.-]{1,60}:[a-z][\w-]{1,20}:) (?=\S| {2})/;

/** The name of one failure, in the runners' own lists. */
const NAMES: readonly RegExp[] = [
  /^\s*(?:FAIL|❯) +(\S+\.\w+ > .+)$/, // vitest
  /^\s*● (.+ › .+)$/, // jest, pest
  /^(?:FAILED|ERROR) (\S+::\S.*?|\S+\.py\S*)(?: - .*)?$/, // pytest
  /^(?:ERROR|FAIL): (test\w* \([\w.]+\))/, // unittest
  /^\s*--- FAIL: (\S+)|^\{.*"Action":"fail".*"Test":"([^"]+)"/, // go
  /^test (\S+) \.\.\. FAILED$/, // cargo
  /^\(fail\) (.+)$/, // bun
  /^(.+?) => \.?\.?\/\S+:\d+:\d+$/, // deno
  /^\s*\d+\) (?:\[[\w -]+\] › )?(\S+:\d+:\d+ › .+?)(?: ─+)?$/, // playwright
  /^\s*✘ \[fail\]: (.+?)(?: Error thrown.*)?$/, // ava
  /^rspec \S+ # (.+)$/, // rspec
  /^\s*\d+\) (test .+ \([\w.]+\))$/, // mix
  /^\d+\) (\w[\w\\]*::\w+.*)$/, // phpunit
  /^\s+Failed ([\w.]+(?:\(.*\))?) \[/, // dotnet
  /^(?:\[ERROR\] +([\w.$]+[.#]\w+)(?::\d+| -- Time| +Time)|([\w.$]+ > .+) FAILED$)/, // maven, gradle
  /^\s*\d+ - (\S+) \((?:Failed|Timeout)\)/, // ctest
  /^(\w\S*#\S+?)(?: \[.*\])?:$/, // minitest
];
/** Where there is no list: a mark and a name. */
const MARKED =
  /^\s*(?:[✗✕✘×✖]|not ok \d+ -?) (?!\d+ problems?\b|failing tests:|Some errors were)(.+?)(?: # .*)?$/;
/** Places in files: `path:line:column: message`, TypeScript's, those of mypy and javac, Rust's. */
const PLACES: readonly RegExp[] = [
  /^([\w@./()[\]-]+\.[cm]?tsx?)(?:\(|:)(\d+)[,:]\d+\)?:? (?:- )?(error TS\d+: .+)$/,
  /^(?:\[[\w:.-]+\] )?(?:\.\/)?([\w@./()[\]-]+\.[A-Za-z]\w{0,4}):(\d+):\d+:? (?:error:? )?(.+)$/,
  /^([\w@./()[\]-]+\.[A-Za-z]\w{0,4}):(\d+): (error: .+)$/,
  /^\s*--> ([\w./-]+\.rs):(\d+):\d+$/,
];
/** Nobody but a compiler or a runner writes these, so that they tell behind a pipe as well. */
const CERTAIN = /\berror TS\d+: |^\s*--- FAIL: |^\{.*"Action":"fail"/;
const DURATION = /(?:\s*[([]\d+(?:\.\d+)? ?m?s[)\]]|\s+\d+(?:\.\d+)?m?s)$/;
/** Programs that only print, or change what is there: another one's words in their output are no run. */
export const NO_RUNNERS = wordSet(`
  cat head tail less more grep rg ag egrep find fd ls tree wc sort uniq diff jq echo printf sed awk cut xargs tee git gh
  glab jj cd mkdir rm mv cp touch chmod sleep true false pwd which type export kill curl date test [ ps
`);
const MOST_NAMES = 6;
const LONGEST = 120;
const LONGEST_LINE = 300;
const LONGEST_COMMAND = 300;

/**
 * Reads a run of checks from its commands and its result; undefined if there is none. Pipes and later commands hide the
 * status: the runner's own numbers decide, and without them the names of what failed.
 */
export function checkOf(commands: readonly Command[], output: string, failed: boolean): Check | undefined {
  const runners = commands
    .filter(({ after }) => after !== '|')
    .map(({ words }) => ranBy(words))
    .filter(([program = '']) => !NO_RUNNERS.has(baseOf(program)));
  if (runners.length === 0) return undefined;
  const lines = output.split('\n').map((line) => line.slice(0, LONGEST_LINE).replace(PREFIX, '').trimEnd());
  const counts = lines.map(failuresIn);
  const counted = counts.findLastIndex((count) => count !== undefined && count > 0);
  const told = counted === -1 ? lines.findLastIndex((line) => FAILED.test(line)) : counted;
  const passed = told === -1 && lines.some((line, at) => counts[at] === 0 || PASSED.test(line));
  const failing = passed ? [] : failingIn(lines);
  const isNamed = failing.length > 0 && (failed || lines.some((line) => CERTAIN.test(line)));
  if (told === -1 && !passed && !isNamed) return undefined;
  const command = runners.map((words) => words.join(' ')).join(' && ');
  const totals = told === -1 ? undefined : totalsAt(lines, told);
  return { command: command.slice(0, LONGEST_COMMAND), failing, totals };
}

/** How many failures a line counts; undefined if it counts none of any kind. */
function failuresIn(line: string): number | undefined {
  const text = line.trimStart();
  const found = COUNTS.flatMap((pattern) => [...text.slice(0, LONGEST).matchAll(pattern)]);
  return found.some(({ index }) => index < COUNTED_WITHIN)
    ? found.reduce((sum, [, count]) => sum + Number(count), 0)
    : undefined;
}

/** The runner's own words for a failure, with the short line beside it that belongs to it: "1 passing", "2 failing". */
function totalsAt(lines: readonly string[], at: number): string {
  const isShort = (line = ''): boolean => line.length < 30;
  const near = [lines[at - 1], lines[at], lines[at + 1]].filter(
    (line, k) => k === 1 || (isShort(lines[at]) && isShort(line) && PASSED.test(line ?? '')),
  );
  return near
    .map((line = '') => line.replace(/^[\s=#ℹ✖*]+|[\s=*.:]+$/g, '').replace(/\s+/g, ' '))
    .join(', ')
    .slice(0, LONGEST);
}

/** The failures in a check's output: names of tests, else places in files. */
function failingIn(lines: readonly string[]): string[] {
  const list = lines.findIndex((line) => /^\s*✖ failing tests:$/.test(line));
  for (const found of [
    lines.flatMap((line) => matchOf(NAMES, line).slice(0, 1)),
    placesIn(lines),
    lines.slice(list + 1).flatMap((line) => MARKED.exec(line)?.[1] ?? []),
  ]) {
    const names = [...new Set(found.map((name) => name.replace(DURATION, '').trim()))];
    const most = names
      // Subtests are more specific than their test.
      .filter((name) => name !== '' && !names.some((other) => other.startsWith(`${name}/`)))
      .slice(0, MOST_NAMES);
    if (most.length > 0)
      return most.map((name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name));
  }
  return [];
}

function matchOf(patterns: readonly RegExp[], line: string): string[] {
  for (const pattern of patterns) {
    const found = pattern.exec(line);
    if (found !== null) return found.slice(1).filter((group) => group !== undefined);
  }
  return [];
}

function placesIn(lines: readonly string[]): string[] {
  return lines.flatMap((line, at) => {
    const [file, row, message = lines[at - 1] ?? ''] = matchOf(PLACES, line);
    const text = message.replace(/\s*(?:FIXABLE)?\s*━+$/, '').trim();
    return file === undefined || /^warning\b/i.test(text) ? [] : [`${file}:${row} ${text}`];
  });
}
