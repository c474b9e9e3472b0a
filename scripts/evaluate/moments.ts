/**
 * What the model is told over whole real sessions, replayed through the hook of Claude Code, and what remains of it in
 * the context window.
 *
 *   npx tsx scripts/evaluate/moments.ts DATA [--sessions N] [--say always] [--bare] [--print]
 *
 * DATA holds `resume/sessions/*.jsonl.gz`, transcripts of Claude Code. The sessions follow each other in one
 * repository, each on its own branch, with daily notes made from the last words of earlier sessions, and, unless
 * `--bare` is given, with a plan of five steps and ten notes each. Build the package first. `--print` prints what was
 * said at each start and prompt.
 */
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { type Line, print, promptOf, quantile, Replay, readSession, timeOf } from './replay.ts';
import { bootstrap, mean, pick, show } from './stats.ts';

const PLAN = [
  'Read how the session state is stored',
  'Write the failing test for the merge case',
  'Move the state into one file',
  'Run the integration tests twice',
  'Write up what changed for the pull request',
];
const NOTES = [
  'The state file is written by the post-commit hook, not by the agent',
  'Integration tests need a git identity in the environment',
  'The shadow branch is deleted when the session ends',
  'Condensation runs before the push, never after',
  'Windows paths are not supported in trailers',
  'The strategy is read from settings.json at each start',
  'Checkpoint ids have twelve characters',
  'The lock is taken per repository, not per worktree',
  'Transcripts can be larger than the prompt cache',
  'Reviewers asked for table tests where there are more than three cases',
];

interface Window {
  /** Tokens of the first full view in the window, and those added after it. */
  whole: number;
  later: number;
  prompts: number;
  lines: Set<string>;
  text: string;
}

interface Count {
  session: number;
  tokens: number;
  /** Tokens of lines that were in the window already. */
  repeated: number;
  planThere: boolean;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sessions: { type: 'string' },
    say: { type: 'string' },
    bare: { type: 'boolean', default: false },
    print: { type: 'boolean', default: false },
  },
});
const [data] = positionals;
if (data === undefined) throw new Error('usage: scripts/evaluate/moments.ts DATA [--sessions N] [--print]');
const folder = join(data, 'resume/sessions');
const sessions = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl.gz'))
  .map((name) => readSession(join(folder, name)))
  .map((lines) => ({ lines, began: lines.map(timeOf).find((at) => at !== undefined) ?? '' }))
  .sort((a, b) => a.began.localeCompare(b.began))
  .slice(0, Number(values.sessions ?? Number.POSITIVE_INFINITY));
const windows: Window[] = [];
const counts: Count[] = [];
const replay = new Replay();
try {
  if (values.say !== undefined) replay.scratchpad(['config', 'set', 'hook.say', values.say]);
  if (!values.bare) replay.scratchpad(['notes', 'set', NOTES.map((note) => `- ${note}`).join('\n')]);
  sessions.forEach(({ lines, began }, index) => {
    tell(lines, began, index);
    const words = lastAnswer(lines);
    const note = join(replay.workspace, 'memory', `${began.slice(0, 10)}.md`);
    if (words !== undefined) appendFileSync(note, `${words}\n\n`);
    process.stderr.write(`\r${index + 1} of ${sessions.length} sessions`);
  });
} finally {
  replay.remove();
}
process.stderr.write('\n');
report();

function tell(lines: readonly Line[], began: string, session: number): void {
  replay.checkout(lines);
  if (!values.bare) {
    // The plan is this session's: the plan of another branch would only be mentioned in one line.
    replay.scratchpad(['plan', 'clear', '--now', began]);
    replay.scratchpad(['plan', 'set', PLAN.map((step, k) => `${k + 1}. ${step}`).join('\n'), '--now', began]);
  }
  const told = replay.session(`replay-${session}`, lines);
  let pending: Line[] = [];
  let window: Window | undefined;
  const hear = (
    event: 'SessionStart' | 'UserPromptSubmit',
    at: string,
    more: Record<string, string>,
  ): string => {
    told.write(pending);
    pending = [];
    const text = told.ask(event, at, more);
    if (values.print) print(`session ${session}, ${more.source ?? 'prompt'}, ${at}`, more.prompt ?? '', text);
    return text;
  };
  const begin = (source: string, at: string): void => {
    const text = hear('SessionStart', at, { source });
    window = { whole: countTokens(text), later: 0, prompts: 0, lines: new Set(newsOf(text)), text };
    windows.push(window);
  };
  for (const line of lines) {
    const at = timeOf(line);
    const prompt = promptOf(line.record);
    if (window === undefined && at !== undefined) begin('startup', at);
    if (prompt !== undefined && at !== undefined && window !== undefined) {
      const { lines: before } = window;
      const text = hear('UserPromptSubmit', at, { prompt });
      const news = newsOf(text);
      const tokens = countTokens(text);
      const again = news.filter((each) => before.has(each));
      window.later += tokens;
      window.prompts += 1;
      window.text += `\n${text}`;
      for (const each of news) before.add(each);
      const { text: all } = window;
      const repeated = again.reduce((sum, each) => sum + countTokens(each), 0);
      counts.push({ session, tokens, repeated, planThere: PLAN.every((step) => all.includes(step)) });
    }
    pending.push(line);
    if (line.record.isCompactSummary === true && at !== undefined) begin('compact', at);
  }
  // The last turn, which no prompt follows.
  told.write(pending);
}

/** The lines of a text that carry information, without its frame and its headings. */
function newsOf(text: string): string[] {
  const frame = /^(?:\[(?:Session|End) Scratchpad|## )/;
  return text.split('\n').filter((line) => line.trim() !== '' && !frame.test(line));
}

function lastAnswer(lines: readonly Line[]): string | undefined {
  for (const { record } of lines.toReversed()) {
    if (record.type !== 'assistant' || record.isSidechain === true) continue;
    const content = (record.message as { content?: { type?: string; text?: string }[] } | undefined)?.content;
    const text = Array.isArray(content) ? content.find(({ type }) => type === 'text')?.text : undefined;
    if (text !== undefined) return text.slice(0, 3000);
  }
  return undefined;
}

function report(): void {
  const used = windows.filter(({ prompts }) => prompts > 0);
  const perPrompt = used.map(({ later, prompts }) => later / prompts);
  const silent = counts.map(({ tokens }) => Number(tokens === 0));
  const groupOf = (i: number): number => counts[i]?.session ?? 0;
  const share = bootstrap(silent.length, (sample) => mean(pick(silent, sample)), { groupOf });
  const all = counts.map(({ tokens }) => tokens);
  const sum = (xs: readonly number[]): number => xs.reduce((total, x) => total + x, 0);
  const repeated = sum(counts.map((count) => count.repeated)) / Math.max(1, sum(all));
  const three = (xs: readonly number[]): string =>
    [quantile(xs, 0.5), quantile(xs, 0.9), Math.max(...xs)].map((x) => x.toFixed(1)).join(' / ');
  const rows: [string, string][] = [
    ['sessions / windows / prompts', `${sessions.length} / ${used.length} / ${counts.length}`],
    ['prompts at which nothing is said', show(share)],
    ['tokens after the first view, for each prompt of a window: median / p90 / most', three(perPrompt)],
    ['tokens said at a prompt: mean', mean(all).toFixed(1)],
    ['tokens said at a prompt: median / p90 / most', three(all)],
    ['tokens of the first view: median / p90 / most', three(used.map(({ whole }) => whole))],
    ['share of tokens that repeat the window', repeated.toFixed(3)],
    ['prompts with the plan in the window', mean(counts.map((count) => Number(count.planThere))).toFixed(3)],
    ['milliseconds of a hook: median / p90 / most', three(replay.ms)],
  ];
  for (const [name, figure] of rows) console.log(`| ${name} | ${figure} |`);
}
