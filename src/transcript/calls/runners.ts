/** How the output of a runner of tests, of a compiler or of a linter shows how it went. */
interface Runner {
  name: string;
  /** A line that counts what passed and what failed: its numbers decide. */
  totals?: RegExp;
  /** A line that says without numbers that the run failed, or that it passed. */
  failed?: RegExp;
  passed?: RegExp;
  /** The name of one failure. */
  failing?: RegExp;
}

/**
 * The runner's own words. Where two runners write the same line the first one has it; `suites` and `task runner` say
 * less than the others and are told only where nothing else is.
 */
export const RUNNERS: readonly Runner[] = [
  { name: 'suites', totals: /^\s*(?:Test Files {1,2}|Test Suites: +|Snapshots: +)\d/ },
  { name: 'vitest', totals: /^\s*(?:Tests|Errors) {2}\d+ \w/, failing: /^\s*(?:FAIL|❯) +(\S+\.\w+ > .+)$/ },
  { name: 'jest, pest', totals: /^\s*Tests: +\d+ .*(?:\btotal|assertions?\))$/, failing: /^\s*● (.+ › .+)$/ },
  {
    name: 'pytest',
    totals: /^(?:=+ )?\d+ (?:passed|failed|errors?|skipped|warnings?|xfailed|deselected)\b.* in \d[\d.]*s/,
    failing: /^(?:FAILED|ERROR) (\S+::\S.*?|\S+\.py\S*)(?: - .*)?$/,
  },
  {
    name: 'unittest',
    totals: /^FAILED \((?:failures|errors)=/,
    passed: /^OK(?: \(skipped=\d+\))?$/,
    failing: /^(?:ERROR|FAIL): (test\w* \([\w.]+\))/,
  },
  {
    name: 'go',
    failed: /^FAIL\t\S+(?! \[setup)\s|^FAIL$|^\s*--- FAIL: |^\{.*"Action":"fail"/,
    passed: /^ok {2}\t\S|^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)|^PASS$|^\{.*"Action":"pass","Package"/,
    failing: /^(?:\s*--- FAIL: (\S+)|\{.*"Action":"fail".*"Test":"([^"]+)")/,
  },
  { name: 'gotestsum', totals: /^DONE \d+ tests?\b/ },
  {
    name: 'cargo',
    totals: /^test result: |^\s*Summary \[.*\d+ tests? run:/,
    failed: /^error: (?:could not compile|aborting due to)\b/,
    passed: /^\s*Finished (?:`|dev|release|test|\w+ \[)/,
    failing: /^test (\S+) \.\.\. FAILED$/,
  },
  { name: 'mocha, cypress', totals: /^\s*\d+ (?:passing|failing)\b/ },
  { name: 'node', totals: /^(?:ℹ|#) (?:pass|fail) +\d+$/ },
  { name: 'bun', totals: /^\s*\d+ (?:pass|fail)$/, failing: /^\(fail\) (.+)$/ },
  { name: 'deno', totals: /^(?:ok|FAILED) \| \d+ passed/, failing: /^(.+?) => \.?\.?\/\S+:\d+:\d+$/ },
  {
    name: 'playwright',
    totals: /^\s+\d+ (?:passed|failed|flaky)(?: \([\d.]+m?s?\))?$/,
    failing: /^\s*\d+\) (?:\[[\w -]+\] › )?(\S+:\d+:\d+ › .+?)(?: ─+)?$/,
  },
  {
    name: 'ava',
    totals: /^\s*\d+ tests? (?:passed|failed)$/,
    failing: /^\s*✘ \[fail\]: (.+?)(?: Error thrown.*)?$/,
  },
  { name: 'rspec', totals: /^\d+ examples?, \d+ failures?/, failing: /^rspec \S+ # (.+)$/ },
  { name: 'minitest', totals: /^\d+ (?:runs|tests), \d+ assertions, / },
  {
    name: 'mix, bats',
    totals: /^(?:\d+ \w+, )?\d+ tests?, \d+ fail/,
    failing: /^\s*\d+\) (test .+ \([\w.]+\))$/,
  },
  {
    name: 'phpunit',
    totals: /^Tests: \d+, Assertions: /,
    failed: /^(?:FAILURES|ERRORS)!$/,
    passed: /^OK \(\d+ tests?,/,
    failing: /^\d+\) (\w[\w\\]*::\w+.*)$/,
  },
  {
    name: 'dotnet',
    totals: /^\s*(?:Failed!|Passed!) +- Failed: |^Test summary: total: |^\s*\d+ Error\(s\)$/,
    failed: /^Build FAILED\.$/,
    passed: /^Build succeeded\b/,
    failing: /^\s+Failed ([\w.]+(?:\(.*\))?) \[/,
  },
  {
    name: 'maven, gradle',
    totals: /^(?:\[\w+\] +)?Tests run: \d+, Failures: |^\d+ tests completed, /,
    failed: /^(?:\[ERROR\] +)?BUILD FAIL/,
    passed: /^(?:\[INFO\] +)?BUILD SUCCESS/,
    failing: /^(?:\[ERROR\] +([\w.$]+[.#]\w+)(?::\d+| -- Time| +Time)|([\w.$]+ > .+) FAILED$)/,
  },
  { name: 'ctest', totals: /^\d+% tests passed, /, failing: /^\s*\d+ - (\S+) \((?:Failed|Timeout)\)/ },
  {
    name: 'swift',
    totals: /^\s*Executed \d+ tests?, /,
    failed: /^\*\* \w+ FAILED \*/,
    passed: /^\*\* \w+ SUCCEEDED \*/,
  },
  { name: 'dart', failed: /Some tests failed\.$/, passed: /^All tests passed!?$|: All tests passed!$/ },
  { name: 'sbt', totals: /^\[\w+\] Tests: succeeded \d+, failed \d+/ },
  { name: 'eslint, stylelint', totals: /^✖ \d+ problems? \(/ },
  {
    name: 'tsc, biome, mypy, ruff',
    totals: /^Found \d+ (?:errors?|warnings? and \d+ errors?|diagnostics?)\b/,
  },
  { name: 'biome', passed: /^Checked \d+ files? in / },
  { name: 'pyright', totals: /^\d+ errors?, \d+ warnings?/ },
  { name: 'golangci-lint', totals: /^\d+ issues[.:]/ },
  { name: 'rubocop', totals: /^\d+ files? inspected, (?:\d+|no) offenses?/ },
  { name: 'ruff, mypy', passed: /^(?:All checks passed|(?:Success: )?no issues found)/i },
  { name: 'prettier', passed: /^All matched files use Prettier/, failed: /Code style issues (?:found )?in / },
  {
    name: 'builders',
    totals: /^webpack .*compiled with \d+ errors?/,
    failed: /^(?:Failed to compile|error during build|Build failed)\b/,
    passed: /^\s*[✓✔] built in |^\s*(?:✓ )?Compiled successfully|^webpack .*compiled successfully/,
  },
  { name: 'task runner', failed: /^npm (?:ERR!|error) |\bELIFECYCLE\b|^make(?:\[\d+\])?: \*\*\* / },
  { name: 'task runner', failed: /\bERROR task failed|^error: Recipe `.*` failed|^ERROR: .* exited \(\d+\)/ },
];

const MOST = 6;
const LONGEST = 120;
const LONGEST_LINE = 300;
/** A line of a test's result, where there is no list: a mark and its name. */
const MARKED = /^\s*[✗✕✘×✖] (?!\d+ problems?\b|failing tests:|Some errors were)(.+)$/;
/** Numbered failures whose name follows in the next lines: mocha, minitest. */
const NUMBERED = /^\s*\d+\) (.*)$/;
const DURATION = /(?:\s*[([]\d+(?:\.\d+)? ?m?s[)\]]|\s+\d+(?:\.\d+)?m?s)$/;
/** `path:line:column: message`, at the start of a line or after a task runner's prefix. */
const PLACED = /^(?:\[[\w:.-]+\] )?(?:\.\/)?([\w@./()[\]-]+\.[A-Za-z]\w{0,4}):(\d+):\d+:? (?:error:? )?(.+)$/;
const TYPESCRIPT = /^([\w@./()[\]-]+\.[cm]?tsx?)(?:\(|:)(\d+)[,:]\d+\)?:? (?:- )?(error TS\d+: .+)$/;
/** mypy and javac name no column. */
const NO_COLUMN = /^([\w@./()[\]-]+\.[A-Za-z]\w{0,4}):(\d+): (error: .+)$/;
const RUST = /^\s*--> ([\w./-]+\.rs):(\d+):\d+$/;
/** A file on a line by itself, then its problems: eslint, stylelint. */
const FILE_LINE = /^(?:\.\/)?([\w@()[\]/.-]*[\w@()[\]-]\.[A-Za-z]\w{0,4})$/;
const UNDER_FILE = /^\s+(\d+):\d+\s+(?:error|✖)\s+(.+?)\s{2,}(\S+)$/;

/** The failures in a check's output: names of tests, else places in files. */
export function failingIn(output: string): string[] {
  const lines = output.split('\n').map((line) => line.slice(0, LONGEST_LINE).trimEnd());
  for (const find of [summarised, numbered, tapIn, placesIn, markedIn]) {
    const names = namesOf(find(lines));
    if (names.length > 0) return names;
  }
  return [];
}

function namesOf(found: readonly string[]): string[] {
  const names = [...new Set(found.map((name) => name.replace(DURATION, '').trim()))];
  return (
    names
      // Subtests are more specific than their test.
      .filter((name) => name !== '' && !names.some((other) => other.startsWith(`${name}/`)))
      .slice(0, MOST)
      .map((name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name))
  );
}

/** The runners' own lists, one name a line: the summary, not the course of the run. */
function summarised(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    for (const { failing } of RUNNERS) {
      const found = failing?.exec(line);
      if (found) return found[1] ?? found[2] ?? [];
    }
    return [];
  });
}

/** `1) cart`, `gives a discount:` below it, or `1) Failure:` and `CartTest#test_discount [cart_test.rb:4]:`. */
function numbered(lines: readonly string[]): string[] {
  return lines.flatMap((line, at) => {
    const first = NUMBERED.exec(line)?.[1];
    if (first === undefined) return [];
    if (/^(?:Failure|Error):$/.test(first))
      return /^(\w\S*#\S+?)(?: \[.*\])?:$/.exec(lines[at + 1] ?? '')?.[1] ?? [];
    const parts = [first];
    for (const next of lines.slice(at + 1, at + 6)) {
      if (parts.at(-1)?.endsWith(':') || !/^\s{4,}\S/.test(next)) break;
      parts.push(next.trim());
    }
    return parts.length > 1 && parts.at(-1)?.endsWith(':') ? parts.join(' > ').slice(0, -1) : [];
  });
}

/** Failed points of a TAP stream, without the suites around them. */
function tapIn(lines: readonly string[]): string[] {
  return lines.flatMap((line, at) => {
    const name = /^\s*not ok \d+ (?:- )?(.+?)(?: # .*)?$/.exec(line)?.[1];
    if (name === undefined) return [];
    const about = lines.slice(at + 1, at + 8);
    const end = about.findIndex((next) => /^\s*\.\.\.$|^\s*(?:not )?ok /.test(next));
    const isSuite = about
      .slice(0, end === -1 ? undefined : end)
      .some((next) => /^\s+(?:type: 'suite'|failureType: 'subtestsFailed')/.test(next));
    return isSuite ? [] : [name];
  });
}

/** Marked lines; of a list that repeats its failures at the end, that end. */
function markedIn(lines: readonly string[]): string[] {
  const list = lines.findIndex((line) => /^\s*✖ failing tests:$/.test(line));
  return lines.slice(list + 1).flatMap((line) => MARKED.exec(line)?.[1] ?? []);
}

function placesIn(lines: readonly string[]): string[] {
  const places = new Map<string, string>();
  const add = (file: string, line: string, message: string): void => {
    const text = message.replace(/\s*(?:FIXABLE)?\s*━+$/, '').trim();
    if (!/^warning\b/i.test(text)) places.set(`${file}:${line}`, `${file}:${line} ${text}`);
  };
  let file: string | undefined;
  for (const [index, line] of lines.entries()) {
    file = FILE_LINE.exec(line)?.[1] ?? (line === '' ? undefined : file);
    const under = file === undefined ? null : UNDER_FILE.exec(line);
    if (under !== null && file !== undefined) add(file, under[1] ?? '', `${under[2]} (${under[3]})`);
    const rust = RUST.exec(line);
    const found = TYPESCRIPT.exec(line) ?? PLACED.exec(line) ?? NO_COLUMN.exec(line) ?? rust;
    if (found?.[1] !== undefined)
      add(found[1], found[2] ?? '', rust === null ? (found[3] ?? '') : (lines[index - 1] ?? ''));
  }
  return [...places.values()];
}
