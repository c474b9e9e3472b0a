/**
 * What the model is told over whole real sessions: replays them through the hook of Claude Code, prompt by prompt,
 * in a process each, and counts what remains in the context window.
 *
 *   npx tsx scripts/evaluate/moments.ts DATA [--sessions N] [--say always] [--bare] [--dump FILE]
 *
 * DATA holds `sessions/*.jsonl.gz`, transcripts of Claude Code. The sessions follow each other in one repository, each
 * on its own branch, with daily notes made from the last words of earlier sessions, and, unless `--bare` is given,
 * with a plan of five steps and ten notes each. Build the package first. `--dump` writes what was said at each
 * prompt for judging, one JSON object per line. None of the data is kept.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { claudeWords } from '../../src/transcript/formats/claude-words.ts';
import { bootstrap, mean } from './stats.ts';

const BIN = join(import.meta.dirname, '../../bin/scratchpad.js');
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

/** The longest time that a hook took to answer, in milliseconds. */
const SAYING_MS = 2000;

interface Line {
  raw: string;
  record: Record<string, unknown>;
}

interface Window {
  session: number;
  /** Tokens of the first full view in the window. */
  whole: number;
  /** Tokens added after it. */
  later: number;
  prompts: number;
  lines: Set<string>;
  text: string;
}

interface Count {
  session: number;
  said: boolean;
  tokens: number;
  repeated: number;
  planThere: boolean;
}

const [, , data = '', ...options] = process.argv;
const value = (name: string): string | undefined => {
  const at = options.indexOf(`--${name}`);
  return at === -1 ? undefined : options[at + 1];
};
const folder = join(data, 'sessions');
const dump = value('dump');
if (dump !== undefined) writeFileSync(dump, '');

const sessions = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl.gz'))
  .map((name) => ({ name, lines: linesOf(gunzipSync(readFileSync(join(folder, name))).toString('utf8')) }))
  .map((session) => ({ ...session, began: timeOf(session.lines) }))
  .sort((a, b) => a.began.localeCompare(b.began));
const windows: Window[] = [];
const counts: Count[] = [];
let clocks = 0;
let wrongClocks = 0;
let gaps = 0;
let wrongGaps = 0;
const ms: number[] = [];

const some = sessions.slice(0, Number(value('sessions') ?? sessions.length));
const root = mkdtempSync(join(tmpdir(), 'scratchpad-replay-'));
const workspace = join(root, 'workspace');
try {
  setUp();
  some.forEach((session, index) => {
    replay(session.lines, index);
    const words = lastAnswer(session.lines);
    if (words !== undefined)
      appendFileSync(join(workspace, 'memory', `${session.began.slice(0, 10)}.md`), `${words}\n\n`);
    process.stderr.write(`\r${index + 1} of ${some.length} sessions`);
  });
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.stderr.write('\n');
report();

function setUp(): void {
  mkdirSync(join(workspace, 'memory'), { recursive: true });
  spawnSync('git', ['init', '-q', workspace]);
  scratchpad(['init']);
  if (value('say') === 'always') scratchpad(['config', 'set', 'hook.say', 'always']);
  if (options.includes('--bare')) return;
  scratchpad(['notes', 'set', NOTES.map((note) => `- ${note}`).join('\n')]);
}

/** The folder in which a session began and the branch that it was on, so that the files it names are in the workspace. */
function placeOf(lines: readonly Line[]): { cwd: string | undefined; branch: string } {
  const record = lines.find((line) => typeof line.record.cwd === 'string')?.record;
  const branch = typeof record?.gitBranch === 'string' && record.gitBranch !== '' ? record.gitBranch : 'main';
  return { cwd: typeof record?.cwd === 'string' ? record.cwd : undefined, branch };
}

function replay(lines: readonly Line[], session: number): void {
  const transcript = join(root, `session-${session}.jsonl`);
  const { cwd, branch } = placeOf(lines);
  writeFileSync(transcript, '');
  writeFileSync(join(workspace, '.git/HEAD'), `ref: refs/heads/${branch}\n`);
  if (!options.includes('--bare')) {
    // The plan is this session's: the plan of another branch would only be mentioned in one line.
    const now = ['--now', timeOf(lines)];
    scratchpad(['plan', 'clear', ...now]);
    scratchpad(['plan', 'set', PLAN.map((step, at) => `${at + 1}. ${step}`).join('\n'), ...now]);
  }
  let window: Window | undefined;
  let lastSpoken: number | undefined;
  let pending = '';
  const id = `replay-${session}`;
  const ask = (event: string, at: string, more: Record<string, unknown>): string => {
    appendFileSync(transcript, pending);
    pending = '';
    const input = {
      session_id: id,
      transcript_path: transcript,
      cwd: workspace,
      hook_event_name: event,
      ...more,
    };
    const from = performance.now();
    const out = scratchpad(['hook', 'claude-code', event, '--now', at], JSON.stringify(input));
    ms.push(performance.now() - from);
    if (out.trim() === '') return '';
    const answer = JSON.parse(out) as { hookSpecificOutput: { additionalContext?: string } };
    return answer.hookSpecificOutput.additionalContext ?? '';
  };
  const begin = (source: string, at: string): void => {
    const text = ask('SessionStart', at, { source });
    checkClock(text, at, lastSpoken);
    window = { session, whole: countTokens(text), later: 0, prompts: 0, lines: new Set(newsOf(text)), text };
    windows.push(window);
    tell({ id, event: source, at, prompt: '', text });
  };
  for (const { raw, record } of lines) {
    const at = typeof record.timestamp === 'string' ? record.timestamp : undefined;
    const prompt = promptOf(record);
    if (window === undefined && at !== undefined) begin('startup', at);
    if (prompt !== undefined && at !== undefined && window !== undefined) {
      const text = ask('UserPromptSubmit', at, { prompt });
      checkClock(text, at, lastSpoken);
      const news = newsOf(text);
      const repeated = news
        .filter((line) => window?.lines.has(line))
        .reduce((sum, line) => sum + countTokens(line), 0);
      const tokens = countTokens(text);
      window.later += tokens;
      window.prompts += 1;
      window.text += `\n${text}`;
      for (const line of news) window.lines.add(line);
      counts.push({
        session,
        said: text !== '',
        tokens,
        repeated,
        planThere: PLAN.every((step) => window?.text.includes(step)),
      });
      tell({ id, event: 'prompt', at, prompt, text });
      lastSpoken = Date.parse(at);
    }
    pending += `${cwd === undefined ? raw : raw.replaceAll(cwd, workspace)}\n`;
    if (record.isCompactSummary === true && at !== undefined) begin('compact', at);
  }
  // The last turn, which no prompt follows.
  appendFileSync(transcript, pending);
}

function tell(entry: Record<string, unknown>): void {
  if (dump !== undefined) appendFileSync(dump, `${JSON.stringify(entry)}\n`);
}

/** Whether the clock and the gap in a text agree with the time of the prompt, to the minute. */
function checkClock(text: string, at: string, lastSpoken: number | undefined): void {
  const clock = /^(?:\[Scratchpad\] )?Now: .*?(\d\d:\d\d) UTC.*$/m.exec(text);
  if (!clock) return;
  clocks += 1;
  const now = new Date(at);
  // A hook that runs just after the event may already be in the next minute.
  const minutes = [0, SAYING_MS].map((later) => new Date(now.getTime() + later).toISOString().slice(11, 16));
  if (!minutes.includes(clock[1] ?? '')) wrongClocks += 1;
  if (!clock[0].includes('after their last message')) return;
  gaps += 1;
  if (lastSpoken === undefined || now.getTime() - lastSpoken < 59 * 60_000) wrongGaps += 1;
}

/** The lines of a text that carry information, without its frame and its headings. */
function newsOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(?:\[(?:Session|End) Scratchpad|## )/.test(line));
}

function scratchpad(args: readonly string[], input = ''): string {
  const { PATH, HOME } = process.env;
  const done = spawnSync(process.execPath, [BIN, ...args], {
    cwd: workspace,
    input,
    encoding: 'utf8',
    env: {
      PATH,
      HOME,
      TZ: 'UTC',
      XDG_CONFIG_HOME: join(root, 'config'),
      XDG_STATE_HOME: join(root, 'state'),
    },
  });
  return done.stdout;
}

function linesOf(text: string): Line[] {
  return text.split('\n').flatMap((raw) => {
    try {
      return [{ raw, record: JSON.parse(raw) as Record<string, unknown> }];
    } catch {
      return [];
    }
  });
}

/** What a person typed, as the hook receives it. */
function promptOf(record: Record<string, unknown>): string | undefined {
  if (record.type !== 'user' || record.isSidechain === true || record.isMeta === true) return undefined;
  if (record.isCompactSummary === true || record.isVisibleInTranscriptOnly === true) return undefined;
  const content = (record.message as { content?: unknown } | undefined)?.content;
  const texts = (Array.isArray(content) ? content : [content]).map((block: unknown) =>
    typeof block === 'string' ? block : ((block as { type?: string; text?: string } | null)?.text ?? ''),
  );
  const found = claudeWords(texts.filter((text) => text !== '').join('\n'));
  return 'words' in found ? found.words : undefined;
}

function timeOf(lines: readonly Line[]): string {
  const found = lines.find(({ record }) => typeof record.timestamp === 'string')?.record.timestamp;
  return typeof found === 'string' ? found : '';
}

function lastAnswer(lines: readonly Line[]): string | undefined {
  for (const { record } of [...lines].reverse()) {
    if (record.type !== 'assistant' || record.isSidechain === true) continue;
    const content = (record.message as { content?: { type?: string; text?: string }[] } | undefined)?.content;
    const text = Array.isArray(content) ? content.find(({ type }) => type === 'text')?.text : undefined;
    if (text !== undefined) return text.slice(0, 3000);
  }
  return undefined;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function report(): void {
  const used = windows.filter(({ prompts }) => prompts > 0);
  const perPrompt = used.map(({ later, prompts }) => later / prompts);
  const said = counts.map((count) => (count.said ? 1 : 0));
  const interval = (of: (count: Count) => number): string => {
    const names = [...new Set(counts.map(({ session }) => session))];
    const { low, high } = bootstrap(names.length, (sample) => {
      const drawn = sample.flatMap((at) => counts.filter(({ session }) => session === names[at]));
      return mean(drawn.map(of));
    });
    return `[${low.toFixed(3)}, ${high.toFixed(3)}]`;
  };
  const tokens = counts.reduce((sum, count) => sum + count.tokens, 0);
  const repeated = counts.reduce((sum, count) => sum + count.repeated, 0);
  const rows: [string, string][] = [
    ['sessions / windows / prompts', `${some.length} / ${used.length} / ${counts.length}`],
    [
      'prompts at which nothing is said',
      `${(1 - mean(said)).toFixed(3)} ${interval(({ said: any }) => (any ? 0 : 1))}`,
    ],
    [
      'tokens said after the first view, for each prompt of a window: median / p90 / most',
      [quantile(perPrompt, 0.5), quantile(perPrompt, 0.9), Math.max(...perPrompt)]
        .map((n) => n.toFixed(1))
        .join(' / '),
    ],
    [
      'tokens said at a prompt: mean / most',
      `${mean(counts.map((count) => count.tokens)).toFixed(1)} / ${Math.max(...counts.map((count) => count.tokens))}`,
    ],
    [
      'tokens of the first view: median',
      String(
        quantile(
          used.map(({ whole }) => whole),
          0.5,
        ),
      ),
    ],
    ['share of tokens that repeat the window', (tokens === 0 ? 0 : repeated / tokens).toFixed(3)],
    [
      'prompts with the plan in the window',
      mean(counts.map(({ planThere }) => (planThere ? 1 : 0))).toFixed(3),
    ],
    ['clocks / wrong', `${clocks} / ${wrongClocks}`],
    ['gaps / false', `${gaps} / ${wrongGaps}`],
    [
      'milliseconds of a hook: median / p90',
      `${quantile(ms, 0.5).toFixed(0)} / ${quantile(ms, 0.9).toFixed(0)}`,
    ],
  ];
  for (const [name, figure] of rows) console.log(`| ${name} | ${figure} |`);
}
