/** A failure: a test by its name, or a place in a file with the problem. */
export interface Failing {
  name: string;
  /** The kind of check that finds it, and that shows when it is fixed. */
  found: 'test' | 'lint' | 'build';
  /** For a place: the file, as named in the output. */
  file?: string;
}

const MOST_NAMES = 12;
const MOST_PLACES = 6;
const LONGEST_LINE = 300;
const LONGEST_NAME = 160;

/** Test runners' own lists of failures, one name a line: the summary, not the course of the run. */
const SUMMARIES: readonly RegExp[] = [
  // go, go -json
  /^\s*--- FAIL: (\S+)/,
  /^\{.*"Action":"fail".*"Test":"([^"]+)"/,
  // pytest, unittest
  /^(?:FAILED|ERROR) (\S+::\S.*?|\S+\.py\S*)(?: - .*)?$/,
  /^(?:ERROR|FAIL): (test\w* \([\w.]+\))/,
  // cargo
  /^test (\S+) \.\.\. FAILED$/,
  // vitest, jest
  /^\s*(?:FAIL|❯) +(\S+\.\w+ > .+)$/,
  /^\s*● (.+ › .+)$/,
  // rspec, playwright, bun, deno
  /^rspec \S+ # (.+)$/,
  /^\s*\d+\) (?:\[[\w -]+\] › )?(\S+:\d+:\d+ › .+?)(?: ─+)?$/,
  /^\(fail\) (.+)$/,
  /^(.+?) => \.?\.?\/\S+:\d+:\d+$/,
  // phpunit, exunit
  /^\d+\) (\w[\w\\]*::\w+.*)$/,
  /^\s*\d+\) (test .+ \([\w.]+\))$/,
  // surefire, gradle, dotnet
  /^\[ERROR\] +([\w.$]+(?:\.|#)\w+)(?::\d+| -- Time elapsed| +Time elapsed)/,
  /^([\w.$]+ > .+) FAILED$/,
  /^\s+Failed ([\w.]+(?:\(.*\))?) \[/,
  // ava, ctest
  /^\s*✘ \[fail\]: (.+?)(?: Error thrown in test)?$/,
  /^\s*\d+ - (\S+) \((?:Failed|Timeout)\)/,
];
/** A line of a test's result, where there is no list: a mark and its name. */
const MARKED = /^\s*[✗✕✘×✖] (?!\d+ problems?\b|failing tests:)(.+)$/;
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
const FILE_LINE = /^(?:\.\/)?([\w@./()[\]-]*\/?[\w@()[\]-]+\.[A-Za-z]\w{0,4})$/;
const UNDER_FILE = /^\s+(\d+):\d+\s+(?:error|✖)\s+(.+?)\s{2,}(\S+)$/;
/** Linters put the name of the rule behind the message, or before it. */
const RULE = /\s+\(([\w-]+)\)\s*$|^lint\//;
const FIRST_ERROR =
  /^(?:error(?:\[\w+\])?: .+|(?:\w+)?(?:Error|Exception): .+|panic: .+|fatal: .+|ERROR(?!.*task failed) .+)$/;

/** The failures in a check's output: names of tests, else places, else the first line that reports an error. */
export function failingIn(output: string): Failing[] {
  const lines = output.split('\n').map((line) => line.slice(0, LONGEST_LINE).trimEnd());
  for (const find of [summarised, numbered, tapIn]) {
    const names = namesOf(find(lines));
    if (names.length > 0) return names;
  }
  const places = placesIn(lines);
  if (places.length > 0) return places;
  const marked = namesOf(markedIn(lines));
  if (marked.length > 0) return marked;
  const first = lines
    .find((line) => FIRST_ERROR.test(line.trim()) && !/\bunknown\b|\busage\b|\bflags?\b/i.test(line))
    ?.trim();
  return first === undefined ? [] : [{ name: first.slice(0, 140), found: 'build' }];
}

function namesOf(found: readonly string[]): Failing[] {
  const names = [...new Set(found.map((name) => name.replace(DURATION, '').trim()))];
  return (
    names
      .filter((name) => name !== '' && name.length <= LONGEST_NAME)
      // Subtests are more specific than their test.
      .filter((name) => !names.some((other) => other.startsWith(`${name}/`)))
      .slice(0, MOST_NAMES)
      .map((name) => ({ name, found: 'test' }))
  );
}

function summarised(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    for (const pattern of SUMMARIES) {
      const name = pattern.exec(line)?.[1];
      if (name !== undefined) return name;
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

function placesIn(lines: readonly string[]): Failing[] {
  const places = new Map<string, Failing>();
  const add = (file: string, line: string, message: string, found: 'lint' | 'build'): void => {
    const text = message.replace(/\s*(?:FIXABLE)?\s*━+$/, '').trim();
    const name = `${file}:${line} ${text}`.slice(0, 110).trim();
    if (places.size < MOST_PLACES) places.set(`${file}:${line}`, { name, found, file });
  };
  let file: string | undefined;
  for (const [index, line] of lines.entries()) {
    file = FILE_LINE.exec(line)?.[1] ?? (line === '' ? undefined : file);
    const under = file === undefined ? null : UNDER_FILE.exec(line);
    if (under !== null && file !== undefined) add(file, under[1] ?? '', `${under[2]} (${under[3]})`, 'lint');
    const rust = RUST.exec(line);
    const found = TYPESCRIPT.exec(line) ?? PLACED.exec(line) ?? NO_COLUMN.exec(line) ?? rust;
    if (found?.[1] === undefined) continue;
    const message = rust === null ? (found[3] ?? '') : (lines[index - 1] ?? '');
    if (!/^\s*warning\b/i.test(message))
      add(found[1], found[2] ?? '', message, RULE.test(message) ? 'lint' : 'build');
  }
  return [...places.values()];
}

/** Names of passed tests, if the output has them. */
export function passingIn(output: string): string[] {
  return [...output.matchAll(/^\s*(?:--- PASS: (\S+)|(\S+::\S+) PASSED)/gm)]
    .slice(0, 100)
    .map((match) => match[1] ?? match[2] ?? '');
}
