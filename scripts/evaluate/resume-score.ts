/**
 * Resume Demand Coverage: the share of the files and commands used again after a compaction or a restart that a
 * text names. Only those that had occurred before count; those named in the person's next words are left out.
 */
import { randomFrom } from '../random.ts';

/** A known file or command. */
export interface Item {
  kind: string;
  value: string;
  /** The shortest suffix of the path that no other known path has. */
  short?: string;
}

/** An item that was used again, and who else named it. */
export interface Demand extends Item {
  inSummary?: boolean;
  inPrompt?: boolean;
  inInstructions?: boolean;
  restored?: boolean;
  restoredLikely?: boolean;
  foundAgain?: boolean;
}

/** A compaction or a restart of a session, with what the agent used next. */
export interface ResumeEvent {
  id: string;
  repo: string;
  session: string;
  kind: 'compaction' | 'restart';
  transcript: string;
  /** Only the lines before it may be read. */
  line: number;
  now: string;
  cwd: string;
  roots: string[];
  branch?: string;
  prompt: string;
  summary: string;
  summaryReadable?: boolean;
  demand: Demand[];
  known: Item[];
  used15: number[];
  used60: number[];
}

/** The counts for one event and one text. */
interface Row {
  session: string;
  tokens: number;
  items: { kind: string; hit: boolean; lost: boolean; strict: boolean; again: boolean }[];
  named: number;
  used15: number;
  used60: number;
}

/** The figures of one arm on some events. Shares are undefined where the denominator is 0. */
export interface Score {
  events: number;
  demand: number;
  lost: number;
  tokens: number;
  file?: number;
  command?: number;
  all?: number;
  allRange?: [number, number];
  lostShare?: number;
  lostRange?: [number, number];
  strict?: number;
  again?: number;
  p15?: number;
  p60?: number;
}

const AFTER = new Set('`\'"),;|&>#]}·—–→=←×✓✗(');
const PROSE = new Set(
  'to and or for in on with passes passed pass failed fails is was which then after before again from ok succeeded exited exit until but shows showed works worked as so at - -> last ran + … ...'.split(
    ' ',
  ),
);

const tokensOf = (text: string): number => Math.floor((text.length + 3) / 4);
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** Each run of blanks becomes one space, and absolute paths in the workspace become relative. */
function prepared(text: string, roots: readonly string[]): string {
  let plain = text.replaceAll('\\', '/');
  for (const root of roots.toSorted((a, b) => b.length - a.length))
    plain = plain.replaceAll(`${root.replaceAll('\\', '/')}/`, '');
  return plain
    .split('\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').trim())
    .join('\n');
}

/** Whether a prepared text names an item: a path in full or by its short form, a command in full. */
export function names(text: string, item: Item): boolean {
  return item.kind === 'file' ? namesFile(text, item) : namesCommand(text, item.value);
}

function namesFile(text: string, item: Item): boolean {
  const value = item.value.replaceAll('\\', '/');
  const short = (item.short || item.value).replaceAll('\\', '/');
  if (!text.includes(short)) return false;
  for (const found of text.matchAll(new RegExp(`(?<![\\w.-])${escaped(short)}(?![\\w-])(?!\\.\\w)`, 'g'))) {
    let begin = found.index;
    while (begin > 0 && /[\w./@~[\]-]/.test(text[begin - 1] ?? '')) begin -= 1;
    // The directories written before the short form must be those of the path.
    const written = text.slice(begin, found.index + short.length).replace(/^[./]+/, '');
    if (value.endsWith(written) || written.endsWith(value) || written === short) return true;
  }
  return false;
}

function namesCommand(text: string, command: string): boolean {
  const value = command.replaceAll('\\', '/');
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (at > 0 && /[\w./-]/.test(text[at - 1] ?? '')) continue;
    const rest = text.slice(at + value.length, at + value.length + 40);
    const next = rest[0];
    if (next === undefined || next === '\n' || AFTER.has(next)) return true;
    if ('.:?!'.includes(next) && (rest.length === 1 || ' \n'.includes(rest[1] ?? ''))) return true;
    if (next !== ' ') continue;
    const word = /^\S*/.exec(rest.slice(1))?.[0] ?? '';
    if (word === '' || AFTER.has(word[0] ?? '') || /^\d?>/.test(word)) return true;
    if (PROSE.has(word.replace(/[.,;:]+$/, '').toLowerCase())) return true;
  }
  return false;
}

function rowOf(event: ResumeEvent, text: string): Row {
  const plain = prepared(text, event.roots);
  const items = event.demand
    .filter((item) => (item.kind === 'file' || item.kind === 'command') && item.inPrompt !== true)
    .map((item) => {
      const lost = event.kind === 'restart' || (event.summaryReadable !== false && item.inSummary !== true);
      const strict = lost && !item.restored && !item.restoredLikely && !item.inInstructions;
      return { kind: item.kind, hit: names(plain, item), lost, strict, again: item.foundAgain === true };
    });
  const named =
    plain === '' ? [] : [...event.known.keys()].filter((index) => names(plain, event.known[index] as Item));
  const [used15, used60] = [new Set(event.used15), new Set(event.used60)];
  return {
    session: event.session,
    tokens: tokensOf(text),
    items,
    named: named.length,
    used15: named.filter((index) => used15.has(index)).length,
    used60: named.filter((index) => used60.has(index)).length,
  };
}

type Pick = (item: Row['items'][number]) => boolean;

function share(rows: readonly Row[], pick: Pick): number | undefined {
  const items = rows.flatMap((row) => row.items.filter(pick));
  return items.length === 0 ? undefined : items.filter(({ hit }) => hit).length / items.length;
}

/** The middle 95 % of the share over bootstrap samples of sessions. */
function range(rows: readonly Row[], pick: Pick, times: number): [number, number] | undefined {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.session, [...(groups.get(row.session) ?? []), row]);
  const bySession = [...groups.values()];
  const random = randomFrom(7);
  const shares = Array.from({ length: times }, () =>
    share(
      bySession.flatMap(() => bySession[Math.floor(random() * bySession.length)] ?? []),
      pick,
    ),
  ).filter((value) => value !== undefined);
  shares.sort((a, b) => a - b);
  const [low, high] = [shares[Math.floor(0.025 * shares.length)], shares[Math.floor(0.975 * shares.length)]];
  return low === undefined || high === undefined ? undefined : [low, high];
}

/** The figures of one arm. @param textOf what it says at an event */
export function score(
  events: readonly ResumeEvent[],
  textOf: (event: ResumeEvent) => string,
  times = 400,
): Score {
  const rows = events.map((event) => rowOf(event, textOf(event)));
  const all: Pick = () => true;
  const lost: Pick = (item) => item.lost;
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const named = sum((row) => row.named);
  const tokens = rows.map((row) => row.tokens).sort((a, b) => a - b);
  const middle = tokens.length >> 1;
  const found: { [key in keyof Score]: Score[key] | undefined } = {
    events: rows.length,
    demand: sum((row) => row.items.length),
    lost: sum((row) => row.items.filter(lost).length),
    tokens:
      tokens.length % 2 === 1
        ? (tokens[middle] ?? 0)
        : ((tokens[middle - 1] ?? 0) + (tokens[middle] ?? 0)) / 2,
    file: share(rows, ({ kind }) => kind === 'file'),
    command: share(rows, ({ kind }) => kind === 'command'),
    all: share(rows, all),
    allRange: range(rows, all, times),
    lostShare: share(rows, lost),
    lostRange: range(rows, lost, times),
    strict: share(rows, (item) => item.strict),
    again: share(rows, (item) => item.strict && item.again),
    p15: named === 0 ? undefined : sum((row) => row.used15) / named,
    p60: named === 0 ? undefined : sum((row) => row.used60) / named,
  };
  return Object.fromEntries(
    Object.entries(found).filter(([, value]) => value !== undefined),
  ) as unknown as Score;
}
