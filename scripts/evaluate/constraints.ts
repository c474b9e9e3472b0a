/**
 * Constraints that a person states in passing: are they told again, word for word, after a compaction whose summary
 * lacks them, and in the next session that goes on?
 *
 *   npx tsx scripts/evaluate/constraints.ts DATA [--every N] [--misses]
 *
 * Each constraint of `constraints.txt` is put at the end of the fourth of twelve or more messages of ten sessions; each of
 * these is told again in a repository of its own. The summary quotes every other message word for word and this one
 * without its constraint. `unseen` are the constraints that were written after the words by which rules are found.
 * `--every 4` takes every fourth pair. Build the package first.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '../script.ts';
import { type Line, listSessions, makeLine, Replay, readPrompt, readTime } from './replay.ts';
import { mean, pick, runBootstrap, show } from './stats.ts';

const SESSIONS = 10;
const MESSAGES = 12;
const FOURTH = 3;

interface Result {
  session: string;
  part: string;
  kind: string;
  next: number;
  compact: number;
}

const [[data = ''], options] = readArguments('DATA [--every N] [--misses]', 1, { every: 1, misses: false });

const constraints = readFileSync(join(import.meta.dirname, 'constraints.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.split(' | '));
const long = listSessions(data)
  .map(({ name, lines }) => ({
    name,
    lines,
    prompts: lines.flatMap((line, at) => (readPrompt(line) ? at : [])),
  }))
  .filter(({ prompts }) => prompts.length >= MESSAGES);
const pairs = Array.from({ length: SESSIONS }, (_, k) => long[Math.floor((k * long.length) / SESSIONS)])
  .flatMap((session) => constraints.map((constraint) => ({ session, constraint })))
  .map((pair, at) => ({ ...pair, at }))
  .filter(({ at }) => at % options.every === 0);
const results: Result[] = [];
for (const { session, constraint, at } of pairs) {
  if (session === undefined) continue;
  const { name, lines, prompts } = session;
  const [part = '', kind = '', text = ''] = constraint;
  // Every other one is a paragraph of its own.
  const { next, compact } = await tell(lines, prompts, text, at % 2 === 1);
  const isToldIn = (told: string): number => Number(joinLines(told).includes(joinLines(text)));
  const result = { session: name, part, kind, next: isToldIn(next), compact: isToldIn(compact) };
  results.push(result);
  if (options.misses && result.next + result.compact < 2)
    console.log(`${name} next ${result.next} compact ${result.compact}: ${text}`);
  process.stderr.write(`\r${results.length} pairs`);
}
process.stderr.write('\n');
report('all', results);
for (const part of ['seen', 'unseen']) {
  const of = results.filter((result) => result.part === part);
  for (const kind of new Set(of.map((result) => result.kind)))
    report(
      `${part}, ${kind}`,
      of.filter((result) => result.kind === kind),
    );
}

async function tell(
  lines: readonly Line[],
  prompts: readonly number[],
  constraint: string,
  apart: boolean,
): Promise<{ next: string; compact: string }> {
  const readSaid = (at: number): string => readPrompt(lines[at] ?? makeLine({})) ?? '';
  const fourth = prompts[FOURTH] ?? 0;
  const before = readSaid(fourth).trimEnd();
  const ending = /[.!?:]$/.test(before) ? ' ' : '. ';
  const glue = apart ? '\n\n' : ending;
  const told = lines.with(fourth, withText(lines[fourth], `${before}${glue}${constraint}`));
  const end = told.map(readTime).findLast((time) => time !== undefined) ?? '2026-01-01T00:00:00.000Z';
  const later = new Date(Date.parse(end) + 3_600_000).toISOString();
  const all = prompts.map((at) => `- "${readSaid(at)}"`).join('\n');
  const summary = `This session is being continued from a previous conversation that ran out of context. All user messages:\n${all}`;
  return Replay.in(async (replay) => {
    replay.checkout(told, 'end');
    const session = replay.session('one', told);
    session.write(told);
    await session.ask('UserPromptSubmit', end, { prompt: 'go on' });
    const after = replay.session('two', []);
    await after.ask('SessionStart', later, { source: 'startup' });
    const next = await after.ask('UserPromptSubmit', later, { prompt: 'please go on with it' });
    const { uuid, sessionId, cwd, gitBranch } = told[prompts.at(-1) ?? 0]?.record ?? {};
    const compacted = { type: 'user', uuid: 'summary', parentUuid: uuid, isCompactSummary: true };
    session.write([
      withText(makeLine({ ...compacted, sessionId, cwd, gitBranch, timestamp: later }), summary),
    ]);
    return { next, compact: await session.ask('SessionStart', later, { source: 'compact' }) };
  });
}

function withText(line: Line | undefined, content: string): Line {
  return makeLine({ ...line?.record, message: { role: 'user', content } });
}

function joinLines(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/["“”]/g, "'");
}

function report(title: string, of: readonly Result[]): void {
  const chooseGroup = (i: number): string => of[i]?.session ?? '';
  const share = (key: 'next' | 'compact'): string => {
    const told = of.map((one) => one[key]);
    return show(runBootstrap(of.length, (sample) => mean(pick(told, sample)), { groupOf: chooseGroup }));
  };
  console.log(
    `| ${title} | n ${of.length} | next session ${share('next')} | compaction ${share('compact')} |`,
  );
}
