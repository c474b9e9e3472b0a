/**
 * Starts of real sessions with what the model is told at each, and how the session before really ended: for a reader who
 * judges whether each line is true, new and useful.
 *
 *   npx tsx scripts/evaluate/starts.ts DATA [--seed N] [--half N] > starts.md
 *
 * DATA holds `resume/`. The first half are restarts of `events.jsonl.gz`; the second are sessions cut off at one of the
 * person's later prompts, which then begins a new session. Edits and commits are made again in a repository, so that git
 * answers as it did. What the person committed by hand is known only where the agent asks for `git status` afterwards,
 * which each start says. Build the package first.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomFrom } from '../random.ts';
import { gzippedRows } from '../train/rows.ts';
import { type Line, promptOf, Replay, readSession, timeOf } from './replay.ts';

interface Start {
  id: string;
  lines: Line[];
  now: string;
  prompt: string;
  /** What followed in truth, as far as it is known. */
  later: Line[];
}
interface Call {
  name: string;
  input: Record<string, unknown>;
  result: string;
  at: string;
}
type Block = { type?: string; text?: string; name?: string; id?: string; tool_use_id?: string } & {
  input?: Record<string, unknown>;
  content?: unknown;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, half: { type: 'string', default: '30' } },
});
const folder = join(positionals[0] ?? '', 'resume');
const random = randomFrom(Number(values.seed));
const half = Number(values.half);
const starts = [...restarts(), ...cutOff()];
for (const [index, start] of starts.entries()) {
  console.log(tell(start, index + 1));
  process.stderr.write(`\r${index + 1} of ${starts.length}`);
}

/** As many of a list as asked for, in an order of their own. */
function some<T>(of: readonly T[]): T[] {
  return of
    .map((one) => ({ one, by: random() }))
    .sort((a, b) => a.by - b.by)
    .slice(0, half)
    .map(({ one }) => one);
}

function restarts(): Start[] {
  type Event = Start & { kind: string; transcript: string; line: number; next: string };
  const names = readdirSync(join(folder, 'sessions'));
  const events = gzippedRows<Event>(join(folder, 'events.jsonl.gz'));
  return some(events.filter(({ kind, prompt }) => kind === 'restart' && prompt !== '')).map((event) => ({
    ...event,
    lines: readSession(join(folder, event.transcript)).slice(0, event.line),
    later: names
      .filter((name) => name.includes(event.next.slice(0, 13)))
      .flatMap((name) => readSession(join(folder, 'sessions', name)))
      .filter((line) => (timeOf(line) ?? '') >= event.now),
  }));
}

function cutOff(): Start[] {
  const all = readdirSync(join(folder, 'sessions'))
    .sort()
    .map((name) => ({ name, lines: readSession(join(folder, 'sessions', name)) }))
    .map(({ name, lines }) => ({
      name,
      lines,
      later: lines.flatMap((line, at) => (promptOf(line.record) && timeOf(line) ? [at] : [])).slice(1),
    }));
  return some(all.filter(({ later }) => later.length > 0)).flatMap(({ name, lines, later }) => {
    const at = later[Math.floor(random() * later.length)] ?? 0;
    const line = lines[at];
    if (line === undefined) return [];
    const prompt = promptOf(line.record) ?? '';
    const now = timeOf(line) ?? '';
    return [{ id: `${name} cut at ${at}`, lines: lines.slice(0, at), now, prompt, later: lines.slice(at) }];
  });
}

function tell({ id, lines, now, prompt, later }: Start, number: number): string {
  const replay = new Replay();
  try {
    replay.checkout(lines.toReversed());
    const calls = callsOf(lines);
    const cwd = String(lines.find(({ record }) => record.cwd !== undefined)?.record.cwd);
    const listed = listedIn(callsOf(later));
    const since = new Set(listed && callsOf(later).flatMap((call) => editIn(call, cwd)));
    const status = workAgain(replay, calls, cwd, listed, since);
    const before = replay.session('before', lines);
    const last = lines.findLastIndex((line) => promptOf(line.record) && timeOf(line));
    const asked = lines[last];
    before.write(lines.slice(0, Math.max(0, last)));
    if (asked !== undefined)
      before.ask('UserPromptSubmit', timeOf(asked) ?? now, { prompt: promptOf(asked.record) });
    before.write(lines.slice(Math.max(0, last)));
    const next = replay.session('next', []);
    const start = next.ask('SessionStart', now, { source: 'startup' });
    const told = next.ask('UserPromptSubmit', now, { prompt });
    const said = lines.flatMap((line) => {
      const words = promptOf(line.record);
      return words === undefined || words === '' ? [] : [`${timeOf(line)}: ${cut(words, 500)}`];
    });
    const parts = [
      `# Start ${number}: ${id}`,
      `The new session begins at ${now}.`,
      `## Its first prompt\n${quoted(cut(prompt, 2500))}`,
      `## What we said\n${quoted([start, told].filter((text) => text !== '').join('\n') || '(nothing)')}`,
      `## The session before\nThe person's messages, all:\n${quoted(said.join('\n'))}`,
      `Its edits and commits, the last 25:\n${quoted(changes(calls, cwd).slice(-25).join('\n'))}`,
      `\`git status --short\` when the new session begins (${listed === undefined ? 'by its calls; whether the person committed by hand is not known' : 'as the agent saw it afterwards'}):\n${quoted(status)}`,
      `Its last events:\n${quoted(lines.flatMap(eventOf).slice(-16).join('\n'))}`,
    ];
    return `${parts.join('\n\n')}\n`;
  } finally {
    replay.remove();
  }
}

/**
 * Makes edits and commits again, and commits by hand what is not listed afterwards.
 * @returns git's status at the end
 */
function workAgain(
  { workspace }: Replay,
  calls: readonly Call[],
  cwd: string,
  listed: readonly string[] | undefined,
  since: ReadonlySet<string>,
): string {
  const git = (args: string[], at = '2020-01-01T00:00:00Z'): string =>
    spawnSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
      cwd: workspace,
      encoding: 'utf8',
      env: { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at },
    }).stdout;
  const edit = (path: string, at: string): void => {
    const file = join(workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${at}\n`);
    const time = new Date(at);
    utimesSync(file, time, time);
  };
  const edits = calls.flatMap((call) => editIn(call, cwd));
  for (const path of edits) edit(path, '2020-01-01T00:00:00Z');
  git(['add', '-A']);
  git(['commit', '-qm', 'Before', '--allow-empty']);
  for (const call of calls) {
    for (const path of editIn(call, cwd)) edit(path, call.at);
    const subject = commitIn(call)?.subject;
    if (subject === undefined) continue;
    git(['add', '-A']);
    git(['commit', '-qm', subject, '--allow-empty'], call.at);
  }
  const dirty = git(['diff', '--name-only', 'HEAD']).split('\n').filter(Boolean);
  const isListed = (path: string): boolean =>
    listed?.some((one) => one === path || (one.endsWith('/') && path.startsWith(one))) ?? true;
  // What the next session had changed by then is as what it had not.
  const left = listed === undefined || dirty.filter((path) => !since.has(path)).some(isListed);
  for (const path of dirty)
    if (!(since.has(path) ? left : isListed(path))) git(['commit', '-qm', 'By hand', '--', path]);
  return git(['status', '--short']).trim() || '(clean)';
}

/** The files in the first answer of `git status`, before anything is committed, stashed or taken back. */
function listedIn(calls: readonly Call[]): string[] | undefined {
  for (const { input, result } of calls) {
    const command = String(input.command);
    if (/^\s*(?:Changes (?:not staged|to be committed)|Untracked files:|nothing to commit)/m.test(result))
      return [...result.matchAll(/^\t(?:[a-z ]+: +)?(\S.*)$/gm)].map(([, path = '']) => path);
    if (/\bgit (?:commit|stash|checkout|restore|reset|switch|merge|rebase|pull)\b/.test(command))
      return undefined;
  }
  return undefined;
}

function callsOf(lines: readonly Line[]): Call[] {
  const calls = new Map<string, Call>();
  for (const line of lines) {
    for (const block of blocksOf(line)) {
      if (block.type === 'tool_use')
        calls.set(block.id ?? '', {
          name: block.name ?? '',
          input: block.input ?? {},
          result: '',
          at: timeOf(line) ?? '',
        });
      const call = calls.get(block.tool_use_id ?? '');
      if (block.type === 'tool_result' && call !== undefined) {
        const failed = (block as { is_error?: boolean }).is_error === true;
        call.result = `${failed ? 'FAILED ' : ''}${textOf(block.content)}`;
      }
    }
  }
  return [...calls.values()];
}

function editIn({ name, input, result }: Call, cwd: string): string[] {
  const path = input.file_path ?? input.notebook_path;
  const isEdit = /^(?:Edit|Write|MultiEdit|NotebookEdit)$/.test(name) && !/^FAILED|^$/.test(result);
  return isEdit && typeof path === 'string' && path.startsWith(`${cwd}/`) ? [path.slice(cwd.length + 1)] : [];
}

function commitIn({ input, result }: Call): { sha: string; subject: string } | undefined {
  if (!/\bcommit\b/.test(String(input.command))) return undefined;
  const [, sha, subject] = /^\[\S+(?: \([^)]*\))? ([0-9a-f]{7,})\] (.*)$/m.exec(result) ?? [];
  return sha === undefined || subject === undefined ? undefined : { sha, subject };
}

function changes(calls: readonly Call[], cwd: string): string[] {
  return calls.flatMap((call) => {
    const commit = commitIn(call);
    const pushed = /\bgit push\b/.test(String(call.input.command))
      ? [`${call.at} push: ${cut(call.result, 150)}`]
      : [];
    return [
      ...editIn(call, cwd).map((path) => `${call.at} edited ${path}`),
      ...(commit === undefined ? [] : [`${call.at} commit ${commit.sha} ${commit.subject}`]),
      ...pushed,
    ];
  });
}

function eventOf(line: Line): string[] {
  const at = timeOf(line);
  const words = promptOf(line.record);
  if (words) return [`${at} PERSON: ${cut(words, 600)}`];
  return blocksOf(line).flatMap((block) => {
    if (block.type === 'text') return [`${at} ${String(line.record.type)}: ${cut(block.text ?? '', 1500)}`];
    if (block.type === 'tool_use')
      return [`${at} CALL ${block.name} ${cut(JSON.stringify(block.input), 300)}`];
    if (block.type === 'tool_result') return [`${at} RESULT ${cut(textOf(block.content), 300)}`];
    return [];
  });
}

function blocksOf({ record }: Line): Block[] {
  const content =
    record.isSidechain === true ? [] : (record.message as { content?: unknown } | undefined)?.content;
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
