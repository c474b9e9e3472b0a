/**
 * What the trail contributes when a session continues: Resume Demand Coverage over real compactions and restarts.
 *
 *   npx tsx scripts/evaluate/resume.ts DATA [--texts DIR] [--write FILE] [--half tune|check]
 *
 * DATA holds `events.jsonl.gz` (see `ResumeEvent`) and the sessions that it names. `--texts` writes the texts of
 * each arm, one JSONL file per arm with `{id, text}`, so that another scorer can check them. `--half` takes half of
 * the sessions by their ids: tune on one half, report the other. `--write` puts the table into a page, between its
 * `made` markers.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openTrail, type Trail, trailFor } from '../../src/trail/index.ts';
import { type ResumeEvent, type Score, score } from './resume-score.ts';

const args = process.argv.slice(2);
const data = args[0];
if (data === undefined)
  throw new Error('usage: tsx scripts/evaluate/resume.ts DATA [--texts DIR] [--write FILE]');
const option = (name: string): string | undefined => {
  const at = args.indexOf(name);
  return at === -1 ? undefined : args[at + 1];
};

/** The budgets at which the trail is measured. */
const START = 150;
const COMPACTION = 60;

interface Arm {
  name: string;
  say(event: ResumeEvent, trail: Trail): string;
}

const lines = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');
/** The last files and commands, or those most used. */
const listOf = (trail: Trail, most: number, by: 'last' | 'uses'): string => {
  const chosen = <Used extends { last: number; uses: number }>(used: readonly Used[]): Used[] =>
    used
      .toReversed()
      .toSorted((a, b) => (by === 'uses' ? b.uses - a.uses : 0))
      .slice(0, most);
  const { file, command } = trail.fold.states;
  return lines([...chosen(file).map(({ path }) => path), ...chosen(command).map(({ text }) => text)]);
};

const ARMS: readonly Arm[] = [
  { name: 'nothing', say: () => '' },
  { name: "the host's summary", say: ({ summary }) => summary },
  { name: 'last 8 + 8', say: (_, trail) => listOf(trail, 8, 'last') },
  { name: 'last 16 + 16', say: (_, trail) => listOf(trail, 16, 'last') },
  { name: 'most used 8 + 8', say: (_, trail) => listOf(trail, 8, 'uses') },
  {
    name: 'task list',
    say: (_, trail) =>
      lines(trail.facts.filter(({ kind, open }) => kind === 'task' && open).map(({ text }) => text)),
  },
  {
    name: 'edited files',
    say: (_, trail) =>
      lines(trail.facts.filter(({ kind, open }) => kind === 'edited' && open).map(({ text }) => text)),
  },
  { name: 'the trail', say: (event, trail) => lines(said(event, trail)) },
];

function said(event: ResumeEvent, trail: Trail): string[] {
  const options =
    event.kind === 'restart'
      ? ({ event: 'start', budgetTokens: START } as const)
      : ({
          event: 'compact',
          budgetTokens: COMPACTION,
          summary: event.summaryReadable === false ? null : event.summary,
        } as const);
  return trailFor(trail, options).map(({ text }) => text);
}

const folder = mkdtempSync(join(tmpdir(), 'resume-'));
try {
  const half = option('--half');
  const events = readEvents(join(data, 'events.jsonl.gz')).filter(
    ({ session }) => half === undefined || halfOf(session) === half,
  );
  const texts = new Map<Arm, Map<string, string>>(ARMS.map((arm) => [arm, new Map()]));
  for (const event of events) {
    const trail = await trailBefore(event);
    for (const arm of ARMS) texts.get(arm)?.set(event.id, arm.say(event, trail));
  }
  const out = option('--texts');
  if (out !== undefined) {
    mkdirSync(out, { recursive: true });
    for (const [{ name }, said] of texts)
      writeFileSync(
        join(out, `${name.replace(/[^a-z0-9]+/g, '-')}.jsonl`),
        [...said].map(([id, text]) => `${JSON.stringify({ id, text })}\n`).join(''),
      );
  }
  const tables = (['restart', 'compaction'] as const).map((kind) => {
    const some = events.filter((event) => event.kind === kind);
    return table(
      kind,
      ARMS.map((arm) => [arm.name, score(some, ({ id }) => texts.get(arm)?.get(id) ?? '')] as const),
    );
  });
  tables.push(await kindsAfterCompaction(events.filter(({ kind }) => kind === 'compaction')));
  console.log(tables.join('\n\n'));
  const page = option('--write');
  if (page !== undefined) writePart(page, tables.join('\n\n'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function readEvents(path: string): ResumeEvent[] {
  return gunzipSync(readFileSync(path))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ResumeEvent);
}

/** The trail of a session as it stood before an event. */
async function trailBefore(event: ResumeEvent): Promise<Trail> {
  const packed = gunzipSync(readFileSync(join(data ?? '', event.transcript))).toString();
  const transcript = join(folder, 'session.jsonl');
  writeFileSync(transcript, `${packed.split('\n').slice(0, event.line).join('\n')}\n`);
  return openTrail({
    root: event.cwd,
    session: event.session,
    transcript,
    ...(event.branch !== undefined && { branch: event.branch }),
    now: Date.parse(event.now),
    config: { trail: { kinds: [] }, transcript: { paths: [] } },
    env: { HOME: folder },
  });
}

/**
 * For each kind of fact at a compaction: in how many windows the trail knows it, the summary names it, and we say
 * it.
 */
async function kindsAfterCompaction(events: readonly ResumeEvent[]): Promise<string> {
  const counts = new Map<string, { known: number; said: number }>();
  for (const event of events) {
    const trail = await trailBefore(event);
    const kinds = new Set(
      trailFor(trail, { event: 'compact', budgetTokens: COMPACTION, summary: event.summary }).map(
        ({ kind }) => kind as string,
      ),
    );
    for (const kind of new Set(trail.facts.filter(({ open }) => open).map((fact) => fact.kind))) {
      const count = counts.get(kind) ?? { known: 0, said: 0 };
      counts.set(kind, { known: count.known + 1, said: count.said + (kinds.has(kind) ? 1 : 0) });
    }
  }
  return [
    `What the trail holds at the ${events.length} compactions, and how often a line of it is said because the summary has not all of it:`,
    '',
    '| kind | windows that hold it | said after the compaction |',
    '|---|---|---|',
    ...[...counts].map(([kind, { known, said }]) => `| ${kind} | ${known} | ${said} |`),
  ].join('\n');
}

function halfOf(session: string): 'tune' | 'check' {
  return (createHash('sha256').update(session).digest()[0] ?? 0) % 2 === 0 ? 'tune' : 'check';
}

function table(kind: string, rows: readonly (readonly [string, Score])[]): string {
  const number = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(2));
  const ranged = (value: number | undefined, range: [number, number] | undefined): string =>
    value === undefined || range === undefined
      ? number(value)
      : `${number(value)} [${number(range[0])}-${number(range[1])}]`;
  const first = rows[0]?.[1];
  return [
    `${first?.events ?? 0} ${kind}s, ${first?.demand ?? 0} files and commands used again, ${first?.lost ?? 0} of them not in a summary:`,
    '',
    '| what is said | tokens | files | commands | all | not in the summary | nowhere else | looked up again | used within 15 | within 60 |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map(
      ([name, s]) =>
        `| ${name} | ${s.tokens} | ${number(s.file)} | ${number(s.command)} | ${ranged(s.all, s.allRange)} | ${ranged(s.lostShare, s.lostRange)} | ${number(s.strict)} | ${number(s.again)} | ${number(s.p15)} | ${number(s.p60)} |`,
    ),
  ].join('\n');
}

function writePart(page: string, part: string): void {
  const text = readFileSync(page, 'utf8');
  const [open, close] = ['<!-- made: coverage -->', '<!-- /made: coverage -->'];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`${page}: expected ${open} and ${close}`);
  writeFileSync(page, `${text.slice(0, start + open.length)}\n\n${part}\n\n${text.slice(end)}`);
}
