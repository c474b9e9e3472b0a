import { wordSet } from '../../base/text/word-list.ts';
import { baseOf, type Command } from './shell.ts';

/** A run of tests, a linter, a build: a command whose output has the words of a runner about its own run. */
export interface Check {
  command: string;
  /** Names of what failed: tests, or places in files. */
  failing: string[];
  /** The runner's own words for a failure, on one line: "3 failed, 41 passed". */
  totals?: string;
}

/** Lines in which a runner counts what passed and what failed; the numbers decide. */
const TOTALS: readonly RegExp[] = [
  /^\s*(?:Tests|Errors) {2}\d+ \w/, // vitest
  /^\s*Tests: +\d+ .*(?:\btotal|assertions?\))$/, // jest, pest
  /^(?:=+ )?\d+ (?:passed|failed|errors?|skipped|warnings?|xfailed|deselected)\b.* in \d[\d.]*s/, // pytest
  /^FAILED \((?:failures|errors)=/, // unittest
  /^DONE \d+ tests?\b/, // gotestsum
  /^test result: |^\s*Summary \[.*\d+ tests? run:/, // cargo
  /^\s*\d+ (?:passing|failing)\b/, // mocha, cypress
  /^(?:ℹ|#) (?:pass|fail) +\d+$/, // node
  /^\s*\d+ (?:pass|fail)$/, // bun
  /^(?:ok|FAILED) \| \d+ passed/, // deno
  /^\s+\d+ (?:passed|failed|flaky)(?: \([\d.]+m?s?\))?$/, // playwright
  /^\s*\d+ tests? (?:passed|failed)$/, // ava
  /^\d+ examples?, \d+ failures?/, // rspec
  /^\d+ (?:runs|tests), \d+ assertions, /, // minitest
  /^(?:\d+ \w+, )?\d+ tests?, \d+ fail/, // mix, bats
  /^Tests: \d+, Assertions: |^OK \(\d+ tests?,/, // phpunit
  /^\s*(?:Failed!|Passed!) +- Failed: |^Test summary: total: |^\s*\d+ Error\(s\)$/, // dotnet
  /^(?:\[\w+\] +)?Tests run: \d+, Failures: |^\d+ tests completed, /, // maven, gradle
  /^\d+% tests passed, |^\s*Executed \d+ tests?, |^\[\w+\] Tests: succeeded \d+, failed \d+/, // ctest, swift, sbt
  /^✖ \d+ problems? \(/, // eslint, stylelint
  /^Found \d+ (?:errors?|warnings? and \d+ errors?|diagnostics?)\b/, // tsc, biome, mypy, ruff
  /^\d+ errors?, \d+ warnings?|^\d+ issues[.:]|^\d+ files? inspected, (?:\d+|no) offenses?/, // linters
];
/** Lines that say without numbers that a run failed. */
const FAILED =
  /^FAIL\t\S+(?! \[setup)\s|^error: (?:could not compile|aborting due to)\b|^(?:\[\w+\] +)?BUILD FAIL/;
/** And that it passed. */
const PASSED =
  /^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)|^PASS$|BUILD SUCCESS|^Build succeeded|[Cc]ompiled successfully/;
/** "2 failed", "1 error", "3 offenses"; "Failures: 1", "errors=2", "fail 2", "1 Error(s)". */
const COUNTS: readonly RegExp[] = [
  /\b(\d+) (?:(?:tests?|specs?|lint) )?(?:failed|failing|failures?|errors?|fail|offenses?|issues)\b/gi,
  /\b(?:failures?|errors?|failed|fail)(?:[:=] *| +)(\d+)\b/gi,
  /\b(\d+) Error\(s\)/g,
];
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
const NO_RUNNERS = wordSet(`
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
  const runners = commands.filter(({ words }) => !NO_RUNNERS.has(baseOf(words[0] ?? '')));
  if (runners.length === 0) return undefined;
  const lines = output.split('\n').map((line) => line.slice(0, LONGEST_LINE).replace(PREFIX, '').trimEnd());
  const told = lines.flatMap((line) => {
    const isCounted = TOTALS.some((pattern) => pattern.test(line));
    const failed = isCounted ? failuresIn(line) > 0 : FAILED.test(line);
    return isCounted || failed || PASSED.test(line) ? [{ line, isCounted, failed }] : [];
  });
  const names = told.length === 0 || told.some((one) => one.failed) ? failingIn(lines) : [];
  const isCertain = lines.some((line) => CERTAIN.test(line));
  if (told.length === 0 && (names.length === 0 || (!failed && !isCertain))) return undefined;
  const command = runners.map(({ wrapper, words }) => `${wrapper} ${words.join(' ')}`.trim()).join(' && ');
  return { command: command.slice(0, LONGEST_COMMAND), failing: names, totals: totalsOf(told) };
}

const failuresIn = (line: string): number =>
  COUNTS.flatMap((pattern) => [...line.matchAll(pattern)]).reduce((sum, [, count]) => sum + Number(count), 0);

/** The runner's own words for a failure: the last of its lines, or the two short ones that belong together. */
function totalsOf(
  told: readonly { line: string; isCounted: boolean; failed: boolean }[],
): string | undefined {
  const counted = told.filter(({ isCounted }) => isCounted);
  const of = counted.some((one) => one.failed) ? counted : told;
  const last = of.findLastIndex((one) => one.failed);
  if (last === -1) return undefined;
  const isShort = (at: number): boolean => of[at]?.isCounted === true && of[at].line.trim().length < 30;
  const words = of
    .filter((_, at) => at === last || (Math.abs(at - last) === 1 && isShort(last) && isShort(at)))
    .map(({ line }) => line.replace(/^[\s=#ℹ✖*]+|[\s=*.:]+$/g, '').replace(/\s+/g, ' '));
  return words.join(', ').slice(0, LONGEST);
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

/** The groups of the first pattern that a line has. */
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
