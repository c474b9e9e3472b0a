/**
 * What the model is told at real compactions and restarts, and at the prompt after each, to be read and judged.
 *
 *   npx tsx scripts/evaluate/resume.ts DATA [--kind restart|compaction] [--events N] [--quiet]
 *
 * DATA holds `resume/events.jsonl.gz` and the sessions that it names. Each event has a repository of its own: the
 * session up to the event, with our hook at its last prompt, then the hooks of what comes next. Build the package
 * first. `--quiet` prints only the figures.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { gzippedRows } from '../train/rows.ts';
import { print, promptOf, quantile, Replay, readSession, timeOf } from './replay.ts';
import { bootstrap, mean, pick, show } from './stats.ts';

interface ResumeEvent {
  id: string;
  session: string;
  kind: 'compaction' | 'restart';
  transcript: string;
  /** Only the lines before it had been written. */
  line: number;
  now: string;
  /** The person's next words. */
  prompt: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: 'string' },
    events: { type: 'string' },
    quiet: { type: 'boolean', default: false },
  },
});
const [data] = positionals;
if (data === undefined) throw new Error('usage: scripts/evaluate/resume.ts DATA [--kind restart|compaction]');
const folder = join(data, 'resume');
const events = gzippedRows<ResumeEvent>(join(folder, 'events.jsonl.gz'))
  .filter(({ kind }) => values.kind === undefined || kind === values.kind)
  .slice(0, Number(values.events ?? Number.POSITIVE_INFINITY));
const told = events.map((event) => {
  const replay = new Replay();
  try {
    const lines = readSession(join(folder, event.transcript)).slice(0, event.line);
    replay.checkout(lines);
    const before = replay.session(event.session, lines);
    const last = lines.findLastIndex(
      (line) => promptOf(line.record) !== undefined && timeOf(line) !== undefined,
    );
    const asked = lines[last];
    before.write(lines.slice(0, Math.max(0, last)));
    const prompt = asked && promptOf(asked.record);
    if (asked && prompt) before.ask('UserPromptSubmit', timeOf(asked) ?? event.now, { prompt });
    before.write(lines.slice(Math.max(0, last)));
    const next = event.kind === 'restart' ? replay.session(`${event.session}-next`, []) : before;
    const source = event.kind === 'restart' ? 'startup' : 'compact';
    const start = next.ask('SessionStart', event.now, { source });
    const { prompt: words } = event;
    const answer = words === '' ? '' : next.ask('UserPromptSubmit', event.now, { prompt: words });
    if (!values.quiet) {
      print(`${event.id}, ${event.kind}: the start`, '', start);
      print(`${event.id}, ${event.kind}: the prompt`, event.prompt, answer);
    }
    return { event, start: countTokens(start), prompt: countTokens(answer) };
  } finally {
    replay.remove();
  }
});
for (const kind of ['restart', 'compaction'] as const) {
  const of = told.filter(({ event }) => event.kind === kind);
  if (of.length === 0) continue;
  const groupOf = (i: number): string => of[i]?.event.session ?? '';
  for (const when of ['start', 'prompt'] as const) {
    const tokens = of.map((each) => each[when]);
    const silent = tokens.map((count) => Number(count === 0));
    const share = bootstrap(silent.length, (sample) => mean(pick(silent, sample)), { groupOf });
    const [middle, most] = [quantile(tokens, 0.5), Math.max(...tokens)];
    console.log(
      `| ${kind}, ${when} | n ${of.length} | silent ${show(share)} | tokens ${middle}, at most ${most} |`,
    );
  }
}
