/**
 * Moments of real sessions with what the model is told at each, and how the session before really ended: for a reader who
 * judges whether each line is true, new and needed.
 *
 *   npx tsx scripts/evaluate/starts.ts DATA [--seed N] [--each N] [--kinds restart,cut] > starts.md
 *
 * `restart` and `compaction` are events of DATA's `resume/events.jsonl.gz`; `cut` are sessions cut off at one of the
 * person's later prompts, which then begins a new session; `found` are cut off within an edit after eight calls of looking, and
 * are asked to go on; `other` are those of `cut` with a prompt of another session, or of another workspace. Edits and
 * commits are made again in a repository, so that git answers as it did, except for what the person committed by hand.
 * Build the package first.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRandom } from '../random.ts';
import { drawOrder, readArguments } from '../script.ts';
import { readGzippedRows } from '../train/rows.ts';
import {
  type Block,
  type Line,
  listSessions,
  makeLine,
  Replay,
  readPrompt,
  readTime,
  splitBlocks,
} from './replay.ts';

interface Start {
  id: string;
  lines: Line[];
  now: string;
  prompt: string;
  /** Of a compaction: what the host writes at it. */
  summary?: Line[] | undefined;
}
interface Call {
  name: string;
  input: Record<string, unknown>;
  result: string;
  at: string;
}

const usage = 'DATA [--seed N] [--each N] [--kinds restart,cut]';
const [[data = ''], options] = readArguments(usage, 1, { seed: 1, each: 30, kinds: 'restart,cut' });
const random = createRandom(options.seed);
const sessions = listSessions(data);
const draw: Record<string, () => Start[]> = {
  restart: () => readEvents('restart'),
  compaction: () => readEvents('compaction'),
  cut: cutOff,
  found: listFoundOut,
  other: listOtherWork,
};
const starts = options.kinds.split(',').flatMap((kind) => draw[kind]?.() ?? []);
for (const [index, start] of starts.entries()) {
  console.log(await tell(start, index + 1));
  process.stderr.write(`\r${index + 1} of ${starts.length}`);
}

/** As many of a list as asked for, in an order of their own. */
function some<T>(of: readonly T[]): T[] {
  return drawOrder(of, random).slice(0, options.each);
}

function readEvents(of: 'restart' | 'compaction'): Start[] {
  type Event = Omit<Start, 'summary'> & { kind: string; transcript: string; line: number };
  const all = readGzippedRows<Event>(join(data, 'resume/events.jsonl.gz'));
  return some(all.filter(({ kind, prompt }) => kind === of && prompt !== '')).map((event) => {
    const whole = sessions.find(({ name }) => event.transcript.endsWith(name))?.lines ?? [];
    const after = whole.slice(event.line);
    const end = after.findIndex(({ record }) => record.isCompactSummary === true) + 1;
    const summary = of === 'compaction' ? after.slice(0, end) : undefined;
    return { ...event, lines: whole.slice(0, event.line), summary };
  });
}

/** Cut off at the first change after eight calls that changed nothing. */
function listFoundOut(): Start[] {
  const all = sessions.flatMap(({ name, lines }) => {
    let looked = 0;
    const at = lines.findIndex((line) => {
      const calls = splitBlocks(line).filter(({ type }) => type === 'tool_use');
      const edits = calls.some((call) => /^(?:Edit|Write|MultiEdit|NotebookEdit)$/.test(call.name ?? ''));
      if (edits && looked >= 8) return true;
      looked = edits ? 0 : looked + calls.length;
      return false;
    });
    const cutAt = readTime(lines[at] ?? makeLine({}));
    if (cutAt === undefined) return [];
    const now = new Date(Date.parse(cutAt) + 3_600_000).toISOString();
    return [{ id: `${name} cut at ${at}`, lines: lines.slice(0, at + 1), now, prompt: 'continue' }];
  });
  return some(all);
}

/** Every other prompt is one of another workspace. */
function listOtherWork(): Start[] {
  type Row = { text: string; prev: string };
  const rows = readGzippedRows<Row>(join(data, 'agent-chat/dev.jsonl.gz'));
  const elsewhere = some(rows.filter(({ text, prev }) => prev === '' && text.trim() !== ''));
  const here = some(
    sessions.map(({ name, lines }) => ({ name, text: lines.map(readPrompt).find(Boolean) ?? '' })),
  );
  return cutOff().map((start, at) => {
    const session = here.find(({ name, text }) => text !== '' && name.slice(0, 27) !== start.id.slice(0, 27));
    if (session !== undefined) here.splice(here.indexOf(session), 1);
    const prompt = at % 2 === 0 ? elsewhere[at]?.text : session?.text;
    return { ...start, prompt: prompt ?? '' };
  });
}

function cutOff(): Start[] {
  const all = sessions.map(({ name, lines }) => {
    const prompts = lines.flatMap((line, at) => (readPrompt(line) && readTime(line) ? at : []));
    return { name, lines, later: prompts.slice(1) };
  });
  return some(all.filter(({ later }) => later.length > 0)).flatMap(({ name, lines, later }) => {
    const at = later[Math.floor(random() * later.length)] ?? 0;
    const line = lines[at];
    if (line === undefined) return [];
    const [prompt = '', now = ''] = [readPrompt(line), readTime(line)];
    return [{ id: `${name} cut at ${at}`, lines: lines.slice(0, at), now, prompt }];
  });
}

function tell({ id, lines, now, prompt, summary }: Start, number: number): Promise<string> {
  return Replay.in(async (replay) => {
    replay.checkout(lines, 'end');
    const status = listWorkAgain(replay.workspace, lines);
    const before = replay.session('before', lines);
    const last = Math.max(
      0,
      lines.findLastIndex((line) => readPrompt(line) && readTime(line)),
    );
    before.write(lines.slice(0, last));
    const asked = lines[last];
    if (asked !== undefined)
      await before.ask('UserPromptSubmit', readTime(asked) ?? now, { prompt: readPrompt(asked) });
    before.write(lines.slice(last));
    const next = summary === undefined ? replay.session('next', []) : before;
    next.write(summary ?? []);
    const source = summary === undefined ? 'startup' : 'compact';
    const start = await next.ask('SessionStart', now, { source });
    const told = prompt === undefined ? '' : await next.ask('UserPromptSubmit', now, { prompt });
    const said = lines.flatMap((line) => {
      const words = readPrompt(line);
      return words ? `${readTime(line)}: ${cut(words, 500)}` : [];
    });
    const held = (summary ?? []).flatMap(splitBlocks).map(({ text }) => text ?? '');
    const parts = [
      `# Start ${number}: ${id}`,
      `The new session begins at ${now}.`,
      `## Its first prompt\n${listQuoted(cut(prompt ?? '', 2500))}`,
      ...(held.length === 0 ? [] : [`## The summary\n${listQuoted(held.join('\n'))}`]),
      `## What we said\n${listQuoted([start, told].filter((text) => text !== '').join('\n') || '(nothing)')}`,
      `## The session before\nThe person's messages, all:\n${listQuoted(said.join('\n'))}`,
      `Its last events:\n${listQuoted(lines.flatMap(readEvent).slice(-40).join('\n'))}`,
      `\`git status --short\` by its calls (what the person committed by hand is not known):\n${listQuoted(status)}`,
    ];
    return `${parts.join('\n\n')}\n`;
  });
}

/** Makes edits and commits again. @returns git's status at the end */
function listWorkAgain(workspace: string, lines: readonly Line[]): string {
  const runGit = (args: string[], at = '2020-01-01T00:00:00Z'): string =>
    spawnSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
      cwd: workspace,
      encoding: 'utf8',
      env: { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at },
    }).stdout;
  const commit = (subject: string, at?: string): void => {
    runGit(['add', '-A']);
    runGit(['commit', '-qm', subject, '--allow-empty'], at);
  };
  const edit = (path: string, at: string): void => {
    const file = join(workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${at}\n`);
    utimesSync(file, new Date(at), new Date(at));
  };
  const cwd = String(lines.find(({ record }) => record.cwd !== undefined)?.record.cwd);
  const calls = listCalls(lines).map((call) => ({ ...call, edited: listEdits(call, cwd) }));
  for (const { edited } of calls) if (edited !== undefined) edit(edited, '2020-01-01T00:00:00Z');
  commit('Before');
  for (const { edited, input, result, at } of calls) {
    if (edited !== undefined) edit(edited, at);
    const [, subject] = /^\[\S+(?: \([^)]*\))? [0-9a-f]{7,}\] (.*)$/m.exec(result) ?? [];
    if (subject !== undefined && /\bcommit\b/.test(String(input.command))) commit(subject, at);
  }
  return runGit(['status', '--short']).trim() || '(clean)';
}

/** The calls with what they brought; of those that failed, nothing. */
function listCalls(lines: readonly Line[]): Call[] {
  const calls = new Map<string, Call>();
  for (const line of lines) {
    for (const { type, id = '', name = '', input = {}, tool_use_id = '', ...block } of splitBlocks(line)) {
      if (type === 'tool_use') calls.set(id, { name, input, result: '', at: readTime(line) ?? '' });
      const call = calls.get(tool_use_id);
      if (call !== undefined && block.is_error !== true) call.result = extractText(block.content);
    }
  }
  return [...calls.values()];
}

function listEdits({ name, input, result }: Call, cwd: string): string | undefined {
  const path = String(input.file_path ?? input.notebook_path);
  const isEdit = /^(?:Edit|Write|MultiEdit|NotebookEdit)$/.test(name) && result !== '';
  return isEdit && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : undefined;
}

function readEvent(line: Line): string[] {
  const at = readTime(line);
  const words = readPrompt(line);
  if (words) return [`${at} PERSON: ${cut(words, 600)}`];
  return splitBlocks(line).flatMap(({ type, text = '', name, input, content }) => {
    if (type === 'text') return `${at} ${String(line.record.type)}: ${cut(text, 1500)}`;
    if (type === 'tool_use') return `${at} CALL ${name} ${cut(JSON.stringify(input), 300)}`;
    return type === 'tool_result' ? `${at} RESULT ${cut(extractText(content), 300)}` : [];
  });
}

function extractText(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block: Block) => block.text ?? '').join('\n') : '';
}

function listQuoted(text: string): string {
  return text.replace(/^/gm, '> ');
}

/** The beginning and the end. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most / 2)} […] ${text.slice(-most / 2)}`;
}
