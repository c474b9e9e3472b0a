/**
 * Starts of real sessions with what the model is told at each, and how the session before really ended: for a reader who
 * judges whether each line is true, new and useful.
 *
 *   npx tsx scripts/evaluate/starts.ts DATA [--seed N] [--half N] > starts.md
 *
 * The first half are restarts of DATA's `resume/events.jsonl.gz`; the second are sessions cut off at one of the person's
 * later prompts, which then begins a new session. Edits and commits are made again in a repository, so that git answers as
 * it did, except for what the person committed by hand. Build the package first.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomFrom } from '../random.ts';
import { gzippedRows } from '../train/rows.ts';
import { type Line, promptOf, Replay, sessionsIn, timeOf } from './replay.ts';

interface Start {
  id: string;
  lines: Line[];
  now: string;
  prompt: string;
}
interface Call {
  name: string;
  input: Record<string, unknown>;
  result: string;
  at: string;
}
interface Block {
  type?: string;
  text?: string;
  name?: string;
  id?: string;
  tool_use_id?: string;
  is_error?: boolean;
  input?: Record<string, unknown>;
  content?: unknown;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, half: { type: 'string', default: '30' } },
});
const [data = ''] = positionals;
const random = randomFrom(Number(values.seed));
const sessions = sessionsIn(data);
const starts = [...restarts(), ...cutOff()];
for (const [index, start] of starts.entries()) {
  console.log(await tell(start, index + 1));
  process.stderr.write(`\r${index + 1} of ${starts.length}`);
}

/** As many of a list as asked for, in an order of their own. */
function some<T>(of: readonly T[]): T[] {
  return of
    .map((one) => ({ one, by: random() }))
    .sort((a, b) => a.by - b.by)
    .slice(0, Number(values.half))
    .map(({ one }) => one);
}

function restarts(): Start[] {
  type Event = Start & { kind: string; transcript: string; line: number };
  const events = gzippedRows<Event>(join(data, 'resume/events.jsonl.gz'));
  return some(events.filter(({ kind, prompt }) => kind === 'restart' && prompt !== '')).map((event) => {
    const whole = sessions.find(({ name }) => event.transcript.endsWith(name));
    return { ...event, lines: whole?.lines.slice(0, event.line) ?? [] };
  });
}

function cutOff(): Start[] {
  const all = sessions.map(({ name, lines }) => {
    const prompts = lines.flatMap((line, at) => (promptOf(line) && timeOf(line) ? at : []));
    return { name, lines, later: prompts.slice(1) };
  });
  return some(all.filter(({ later }) => later.length > 0)).flatMap(({ name, lines, later }) => {
    const at = later[Math.floor(random() * later.length)] ?? 0;
    const line = lines[at];
    if (line === undefined) return [];
    const [prompt = '', now = ''] = [promptOf(line), timeOf(line)];
    return [{ id: `${name} cut at ${at}`, lines: lines.slice(0, at), now, prompt }];
  });
}

function tell({ id, lines, now, prompt }: Start, number: number): Promise<string> {
  return Replay.in(async (replay) => {
    replay.checkout(lines, 'end');
    const status = workAgain(replay.workspace, lines);
    const before = replay.session('before', lines);
    const last = Math.max(
      0,
      lines.findLastIndex((line) => promptOf(line) && timeOf(line)),
    );
    before.write(lines.slice(0, last));
    const asked = lines[last];
    if (asked !== undefined)
      await before.ask('UserPromptSubmit', timeOf(asked) ?? now, { prompt: promptOf(asked) });
    before.write(lines.slice(last));
    const next = replay.session('next', []);
    const start = await next.ask('SessionStart', now, { source: 'startup' });
    const told = await next.ask('UserPromptSubmit', now, { prompt });
    const said = lines.flatMap((line) => {
      const words = promptOf(line);
      return words ? `${timeOf(line)}: ${cut(words, 500)}` : [];
    });
    const parts = [
      `# Start ${number}: ${id}`,
      `The new session begins at ${now}.`,
      `## Its first prompt\n${quoted(cut(prompt, 2500))}`,
      `## What we said\n${quoted([start, told].filter((text) => text !== '').join('\n') || '(nothing)')}`,
      `## The session before\nThe person's messages, all:\n${quoted(said.join('\n'))}`,
      `Its last events:\n${quoted(lines.flatMap(eventOf).slice(-40).join('\n'))}`,
      `\`git status --short\` by its calls (what the person committed by hand is not known):\n${quoted(status)}`,
    ];
    return `${parts.join('\n\n')}\n`;
  });
}

/** Makes edits and commits again. @returns git's status at the end */
function workAgain(workspace: string, lines: readonly Line[]): string {
  const git = (args: string[], at = '2020-01-01T00:00:00Z'): string =>
    spawnSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
      cwd: workspace,
      encoding: 'utf8',
      env: { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at },
    }).stdout;
  const commit = (subject: string, at?: string): void => {
    git(['add', '-A']);
    git(['commit', '-qm', subject, '--allow-empty'], at);
  };
  const edit = (path: string, at: string): void => {
    const file = join(workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${at}\n`);
    utimesSync(file, new Date(at), new Date(at));
  };
  const cwd = String(lines.find(({ record }) => record.cwd !== undefined)?.record.cwd);
  const calls = callsOf(lines).map((call) => ({ ...call, edited: editedBy(call, cwd) }));
  for (const { edited } of calls) if (edited !== undefined) edit(edited, '2020-01-01T00:00:00Z');
  commit('Before');
  for (const { edited, input, result, at } of calls) {
    if (edited !== undefined) edit(edited, at);
    const [, subject] = /^\[\S+(?: \([^)]*\))? [0-9a-f]{7,}\] (.*)$/m.exec(result) ?? [];
    if (subject !== undefined && /\bcommit\b/.test(String(input.command))) commit(subject, at);
  }
  return git(['status', '--short']).trim() || '(clean)';
}

/** The calls with what they brought; of those that failed, nothing. */
function callsOf(lines: readonly Line[]): Call[] {
  const calls = new Map<string, Call>();
  for (const line of lines) {
    for (const { type, id = '', name = '', input = {}, tool_use_id = '', ...block } of blocksOf(line)) {
      if (type === 'tool_use') calls.set(id, { name, input, result: '', at: timeOf(line) ?? '' });
      const call = calls.get(tool_use_id);
      if (call !== undefined && block.is_error !== true) call.result = textOf(block.content);
    }
  }
  return [...calls.values()];
}

function editedBy({ name, input, result }: Call, cwd: string): string | undefined {
  const path = String(input.file_path ?? input.notebook_path);
  const isEdit = /^(?:Edit|Write|MultiEdit|NotebookEdit)$/.test(name) && result !== '';
  return isEdit && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : undefined;
}

function eventOf(line: Line): string[] {
  const at = timeOf(line);
  const words = promptOf(line);
  if (words) return [`${at} PERSON: ${cut(words, 600)}`];
  return blocksOf(line).flatMap(({ type, text = '', name, input, content }) => {
    if (type === 'text') return `${at} ${String(line.record.type)}: ${cut(text, 1500)}`;
    if (type === 'tool_use') return `${at} CALL ${name} ${cut(JSON.stringify(input), 300)}`;
    return type === 'tool_result' ? `${at} RESULT ${cut(textOf(content), 300)}` : [];
  });
}

function blocksOf({ record }: Line): Block[] {
  const { content } = (record.isSidechain === true ? {} : (record.message ?? {})) as { content?: unknown };
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as Block[]) : [];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block: Block) => block.text ?? '').join('\n') : '';
}

function quoted(text: string): string {
  return text.replace(/^/gm, '> ');
}

/** The beginning and the end. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most / 2)} […] ${text.slice(-most / 2)}`;
}
