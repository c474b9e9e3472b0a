/**
 * What the model is told over whole real sessions, replayed through the hook of Claude Code, and what remains of it in
 * the context window.
 *
 *   npx tsx scripts/evaluate/moments.ts DATA [--sessions N] [--calls N] [--print]
 *
 * The sessions follow each other in one repository, each on its own branch, with daily notes made from the last words of
 * earlier sessions, a plan of five steps and ten notes. Build the package first. `--print` prints what was said at each
 * start and prompt. `--calls` replays so many tool calls of each session, too.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { readArguments } from '../script.ts';
import { type Line, listSessions, Replay, readPrompt, readTime, splitBlocks } from './replay.ts';
import { computeQuantile, mean, pick, runBootstrap, show } from './stats.ts';

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

const usage = 'DATA [--sessions N] [--calls N] [--print]';
const [[data = ''], options] = readArguments(usage, 1, {
  sessions: Number.POSITIVE_INFINITY,
  calls: 0,
  print: false,
});
const sessions = listSessions(data)
  .map(({ lines }) => ({ lines, began: lines.map(readTime).find((at) => at !== undefined) ?? '' }))
  .sort((a, b) => a.began.localeCompare(b.began))
  .slice(0, options.sessions);
const windows: Window[] = [];
const counts: Count[] = [];
const calls: ReturnType<typeof listAdded>[] = [];
await Replay.in(async (replay) => {
  await replay.scratchpad(['notes', 'set', NOTES.map((note) => `- ${note}`).join('\n')]);
  for (const [index, { lines, began }] of sessions.entries()) {
    await tell(replay, lines, began, index);
    const words = findLastAnswer(lines);
    const note = join(replay.workspace, 'memory', `${began.slice(0, 10)}.md`);
    if (words !== undefined) appendFileSync(note, `${words}\n\n`);
    process.stderr.write(`\r${index + 1} of ${sessions.length} sessions`);
  }
});
process.stderr.write('\n');
report();

async function tell(replay: Replay, lines: readonly Line[], began: string, session: number): Promise<void> {
  replay.checkout(lines, 'start');
  // The plan is this session's: the plan of another branch would only be mentioned in one line.
  const plan = PLAN.map((step, k) => `${k + 1}. ${step}`).join('\n');
  for (const words of [['clear'], ['set', plan]]) await replay.scratchpad(['plan', ...words, '--now', began]);
  const told = replay.session(`replay-${session}`, lines);
  let pending: Line[] = [];
  let window: Window | undefined;
  let heard = 0;
  const hear: typeof told.ask = async (event, at, more) => {
    told.write(pending);
    pending = [];
    const text = await told.ask(event, at, more);
    if (options.print)
      console.log(`## session ${session}, ${at}\n${more.source ?? more.prompt}\ntold:\n${text || '-'}\n`);
    return text;
  };
  const begin = async (source: string, at: string): Promise<void> => {
    const text = await hear('SessionStart', at, { source });
    window = { whole: countTokens(text), later: 0, prompts: 0, lines: new Set(extractNews(text)), text };
    windows.push(window);
  };
  for (const line of lines) {
    const at = readTime(line);
    const prompt = readPrompt(line);
    if (window === undefined && at !== undefined) await begin('startup', at);
    if (prompt !== undefined && at !== undefined && window !== undefined) {
      const text = await hear('UserPromptSubmit', at, { prompt });
      counts.push({ session, ...listAdded(window, text) });
    }
    pending.push(line);
    const results = at === undefined || window === undefined ? [] : listToolResults(line);
    for (const more of results.slice(0, Math.max(0, options.calls - heard))) {
      heard += 1;
      if (window && at) calls.push(listAdded(window, await hear('PostToolUse', at, more)));
    }
    if (line.record.isCompactSummary === true && at !== undefined) await begin('compact', at);
  }
  // The last turn, which no prompt follows.
  told.write(pending);
}

/** Counts what was said at a prompt, and takes it into the window. */
function listAdded(window: Window, text: string): Omit<Count, 'session'> {
  const news = extractNews(text);
  const again = news.filter((each) => window.lines.has(each));
  const tokens = countTokens(text);
  window.later += tokens;
  window.prompts += 1;
  window.text += `\n${text}`;
  for (const each of news) window.lines.add(each);
  const repeated = again.reduce((sum, each) => sum + countTokens(each), 0);
  return { tokens, repeated, planThere: PLAN.every((step) => window.text.includes(step)) };
}

/** The lines of a text that carry information, without its frame and its headings. */
function extractNews(text: string): string[] {
  const frame = /^(?:\[(?:Session|End) Scratchpad|## )/;
  return text.split('\n').filter((line) => line.trim() !== '' && !frame.test(line));
}

/** The results of tools in a line, as a hook gets them. */
function listToolResults(line: Line): Record<string, unknown>[] {
  const tool_response = line.record.toolUseResult ?? {};
  return splitBlocks(line)
    .filter(({ type }) => type === 'tool_result')
    .map(({ tool_use_id }) => ({ ...{ tool_name: 'Bash', tool_input: {} }, tool_use_id, tool_response }));
}

function findLastAnswer(lines: readonly Line[]): string | undefined {
  const answers = lines.filter(({ record }) => record.type === 'assistant').toReversed();
  const texts = answers.flatMap((line) => splitBlocks(line).find(({ type }) => type === 'text')?.text ?? []);
  return texts[0]?.slice(0, 3000);
}

function countCalls(): string {
  const spoken = calls.filter(({ tokens }) => tokens > 0).length;
  return `${calls.length}, ${spoken}, ${calls.filter(({ repeated }) => repeated > 0).length}`;
}

function report(): void {
  const used = windows.filter(({ prompts }) => prompts > 0);
  const perPrompt = used.map(({ later, prompts }) => later / prompts);
  const silent = counts.map(({ tokens }) => Number(tokens === 0));
  const chooseGroup = (i: number): number => counts[i]?.session ?? 0;
  const share = runBootstrap(silent.length, (sample) => mean(pick(silent, sample)), { groupOf: chooseGroup });
  const all = counts.map(({ tokens }) => tokens);
  const sum = (xs: readonly number[]): number => xs.reduce((total, x) => total + x, 0);
  const repeated = sum(counts.map((count) => count.repeated)) / Math.max(1, sum(all));
  const takeThree = (xs: readonly number[]): string =>
    [computeQuantile(xs, 0.5), computeQuantile(xs, 0.9), Math.max(...xs)]
      .map((x) => x.toFixed(1))
      .join(' / ');
  const rows: [string, string][] = [
    ['sessions / windows / prompts', `${sessions.length} / ${used.length} / ${counts.length}`],
    ['tool calls: replayed, with something said, lines said twice', countCalls()],
    ['prompts at which nothing is said', show(share)],
    ['tokens after the first view, for each prompt of a window: median / p90 / most', takeThree(perPrompt)],
    ['tokens said at a prompt: mean', mean(all).toFixed(1)],
    ['tokens said at a prompt: median / p90 / most', takeThree(all)],
    ['tokens of the first view: median / p90 / most', takeThree(used.map(({ whole }) => whole))],
    ['share of tokens that repeat the window', repeated.toFixed(3)],
    ['prompts with the plan in the window', mean(counts.map((count) => Number(count.planThere))).toFixed(3)],
  ];
  for (const [name, figure] of rows) console.log(`| ${name} | ${figure} |`);
}
