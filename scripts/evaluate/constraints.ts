/**
 * Constraints that a person states in passing: are they told again, word for word, after a compaction whose summary
 * lacks them, and in the next session that goes on?
 *
 *   npx tsx scripts/evaluate/constraints.ts DATA [--part seen|unseen] [--every N] [--misses] [--in-process]
 *
 * DATA holds `resume/sessions/*.jsonl.gz`. Each constraint of `constraints.txt` is put at the end of the fourth of
 * twelve or more messages of ten sessions; each of these is told again in a repository of its own, by the built program.
 * The summary quotes every other message word for word and this one without its constraint. `unseen` are the
 * constraints that were written after the words by which rules are found. `--every 4` takes every fourth pair;
 * `--in-process` asks only which messages are chosen, without hooks, which takes a hundredth of the time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { chooseMessages, lineOf, messagesOf, WORDS_TOKENS } from '../../src/handover/messages.ts';
import { type Line, promptOf, quantile, Replay, readSession, recordOf, timeOf } from './replay.ts';
import { bootstrap, mean, pick, show } from './stats.ts';

const SESSIONS = 10;
const MESSAGES = 12;
const FOURTH = 3;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string' },
    every: { type: 'string', default: '1' },
    misses: { type: 'boolean', default: false },
    'in-process': { type: 'boolean', default: false },
  },
});
const [data] = positionals;
if (data === undefined) throw new Error('usage: scripts/evaluate/constraints.ts DATA [--part seen|unseen]');

const constraints = readFileSync(join(import.meta.dirname, 'constraints.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.split(' | '))
  .map(([part = '', kind = '', text = '']) => ({ part, kind, text }))
  .filter(({ part }) => values.part === undefined || part === values.part);
const folder = join(data, 'resume/sessions');
const long = readdirSync(folder)
  .sort()
  .map((name) => ({ name, lines: readSession(join(folder, name)) }))
  .map(({ name, lines }) => ({ name, lines, prompts: promptsOf(lines) }))
  .filter(({ prompts }) => prompts.length >= MESSAGES);
const chosen = Array.from({ length: SESSIONS }, (_, k) => long[Math.floor((k * long.length) / SESSIONS)]);
const results: {
  session: string;
  part: string;
  kind: string;
  next: number;
  compact: number;
  tokens: number;
}[] = [];
let pair = 0;
for (const session of chosen) {
  if (session === undefined) continue;
  for (const { part, kind, text } of constraints) {
    if (pair++ % Number(values.every) !== 0) continue;
    const { next, compact } = await tell(session.lines, session.prompts, text, pair % 2 === 0);
    const isIn = (told: string): number => Number(oneLine(told).includes(oneLine(text)));
    const result = { session: session.name, part, kind, next: isIn(next), compact: isIn(compact) };
    results.push({ ...result, tokens: Math.max(countTokens(wordsIn(next)), countTokens(wordsIn(compact))) });
    if (values.misses && result.next + result.compact < 2)
      console.log(`${session.name} next ${result.next} compact ${result.compact}: ${text}`);
    process.stderr.write(`\r${results.length} pairs`);
  }
}
process.stderr.write('\n');
for (const part of ['seen', 'unseen']) {
  const of = results.filter((result) => result.part === part);
  if (of.length === 0) continue;
  report(`${part}, all kinds`, of);
  for (const kind of new Set(of.map((result) => result.kind)))
    report(
      `${part}, ${kind}`,
      of.filter((result) => result.kind === kind),
    );
}
console.log(
  `tokens of the person's words, at most: ${quantile(
    results.map(({ tokens }) => tokens),
    1,
  )}`,
);

/** Where the person speaks, by the number of the line. */
function promptsOf(lines: readonly Line[]): number[] {
  return lines.flatMap(({ record }, index) => ((promptOf(record) ?? '') === '' ? [] : index));
}

/** @param apart whether the constraint is a paragraph of its own */
async function tell(
  lines: readonly Line[],
  prompts: readonly number[],
  constraint: string,
  apart: boolean,
): Promise<{ next: string; compact: string }> {
  const at = prompts[FOURTH] ?? 0;
  const before = promptOf(lines[at]?.record ?? {})?.trimEnd() ?? '';
  const glue = apart ? '\n\n' : /[.!?:]$/.test(before) ? ' ' : '. ';
  const told = lines.with(at, withText(lines[at]?.record ?? {}, `${before}${glue}${constraint}`));
  const end = told.map(timeOf).findLast((time) => time !== undefined) ?? '2026-01-01T00:00:00.000Z';
  const later = new Date(Date.parse(end) + 3_600_000).toISOString();
  const all = prompts.map((index) => `- "${promptOf(lines[index]?.record ?? {})}"`).join('\n');
  const summary = `This session is being continued from a previous conversation that ran out of context. All user messages:\n${all}`;
  if (values['in-process']) {
    const text = told.map(({ raw }) => `${raw}\n`).join('');
    const said = messagesOf({ record: await recordOf(text), forgotten: [] });
    const choose = (already: string[]): string =>
      chooseMessages(said, WORDS_TOKENS, already).messages.map(lineOf).join('\n');
    return { next: choose([]), compact: choose([summary]) };
  }
  const replay = new Replay();
  try {
    // The branch on which it ended.
    replay.checkout(told.toReversed());
    const session = replay.session('one', told);
    session.write(told);
    session.ask('UserPromptSubmit', end, { prompt: 'go on' });
    const after = replay.session('two', []);
    after.ask('SessionStart', later, { source: 'startup' });
    const next = after.ask('UserPromptSubmit', later, { prompt: 'please go on with it' });
    const { uuid, sessionId, cwd, gitBranch } = told[prompts.at(-1) ?? 0]?.record ?? {};
    session.write([
      withText(
        {
          type: 'user',
          uuid: 'summary',
          parentUuid: uuid,
          sessionId,
          cwd,
          gitBranch,
          timestamp: later,
          isCompactSummary: true,
        },
        summary,
      ),
    ]);
    return { next, compact: session.ask('SessionStart', later, { source: 'compact' }) };
  } finally {
    replay.remove();
  }
}

function withText(record: Record<string, unknown>, text: string): Line {
  const changed = { ...record, message: { role: 'user', content: text } };
  return { raw: JSON.stringify(changed), record: changed };
}

function wordsIn(told: string): string {
  return told
    .split('\n')
    .filter((line) => /^\s*(?:- )?(?:\(.*\) )?“/.test(line))
    .join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function report(title: string, of: typeof results): void {
  const groupOf = (i: number): string => of[i]?.session ?? '';
  const share = (key: 'next' | 'compact'): string =>
    show(
      bootstrap(
        of.length,
        (sample) =>
          mean(
            pick(
              of.map((one) => one[key]),
              sample,
            ),
          ),
        { groupOf },
      ),
    );
  console.log(
    `| ${title} | n ${of.length} | next session ${share('next')} | compaction ${share('compact')} |`,
  );
}
