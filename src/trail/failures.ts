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

const NAMED: readonly RegExp[] = [
  /^\s*--- FAIL: (\S+)/,
  /^FAILED (\S+::\S+|\S+\.py\S*)/,
  /^test (\S+) \.\.\. FAILED$/,
  /^\s*[✗✕✘×] (.+?)(?: \(?\d+(?:\.\d+)? ?m?s\)?)?$/,
  /^\s*(?:FAIL|❯) +(\S+\.\w+ > .+)$/,
  /^\s*● (.+ › .+)$/,
  /^not ok \d+ -? ?(.+)$/,
  /^(?:ERROR|FAIL): (test\w* \([\w.]+\))/,
  /^\s*\d+\) (.+ (?:#|::).+)$/,
];
/** `path:line:column: message`, at the start of a line or after a task runner's prefix. */
const PLACED = /^(?:\[[\w:.-]+\] )?(?:\.\/)?([\w@./-]+\.[A-Za-z]\w{0,4}):(\d+):\d+:? (?:error:? )?(.+)$/;
const TYPESCRIPT = /^([\w@./-]+\.[cm]?tsx?)(?:\(|:)(\d+)[,:]\d+\)?:? (?:- )?(error TS\d+: .+)$/;
const RUST = /^\s*--> ([\w./-]+\.rs):(\d+):\d+$/;
/** Linters put the name of the rule behind the message. */
const RULE = /\s+\(([\w-]+)\)\s*$/;
const FIRST_ERROR =
  /^(?:error(?:\[\w+\])?: .+|(?:\w+)?(?:Error|Exception): .+|panic: .+|fatal: .+|ERROR(?!.*task failed) .+)$/;

/** The failures in a check's output: names of tests, else places, else the first line that reports an error. */
export function failingIn(output: string): Failing[] {
  const lines = output.split('\n').map((line) => line.slice(0, LONGEST_LINE));
  const names = new Set<string>();
  for (const line of lines) {
    for (const pattern of NAMED) {
      const name = pattern.exec(line)?.[1]?.trim();
      if (name !== undefined && name.length <= 160) names.add(name);
    }
    if (names.size >= MOST_NAMES) break;
  }
  // Subtests are more specific than their test.
  const telling = [...names].filter((name) => ![...names].some((other) => other.startsWith(`${name}/`)));
  if (telling.length > 0) return telling.map((name) => ({ name, found: 'test' }));
  const places = placesIn(lines);
  if (places.length > 0) return places;
  const first = lines
    .find((line) => FIRST_ERROR.test(line.trim()) && !/\bunknown\b|\busage\b|\bflags?\b/i.test(line))
    ?.trim();
  return first === undefined ? [] : [{ name: first.slice(0, 140), found: 'build' }];
}

function placesIn(lines: readonly string[]): Failing[] {
  const places = new Map<string, Failing>();
  for (const [index, line] of lines.entries()) {
    const rust = RUST.exec(line);
    const found = TYPESCRIPT.exec(line) ?? PLACED.exec(line) ?? rust;
    const file = found?.[1];
    if (found === null || file === undefined) continue;
    const message = rust === null ? (found[3] ?? '') : (lines[index - 1] ?? '');
    if (/^warning\b/i.test(message) || /^\s*warning/.test(message)) continue;
    const name = `${file}:${found[2]} ${message.trim()}`.slice(0, 110).trim();
    places.set(`${file}:${found[2]}`, { name, found: RULE.test(message) ? 'lint' : 'build', file });
    if (places.size >= MOST_PLACES) break;
  }
  return [...places.values()];
}

/** Names of passed tests, if the output has them. */
export function passingIn(output: string): string[] {
  return [...output.matchAll(/^\s*(?:--- PASS: (\S+)|(\S+::\S+) PASSED)/gm)]
    .slice(0, 100)
    .map((match) => match[1] ?? match[2] ?? '');
}
