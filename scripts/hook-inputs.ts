import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A source that a hook reads, in any size. */
export interface Input {
  name: string;
  /** The smallest size; the others are ten and a hundred times larger. */
  from: number;
  unit: string;
  /** Writes files of a workspace; returns additional fields of the hook's input. */
  make(workspace: string, size: number): Record<string, unknown>;
}

const line = (k: number): string => `- line ${k} of what somebody pasted about the upload test\n`;
const lines = (count: number): string => Array.from({ length: count }, (_, k) => line(k)).join('');
const pad = (notes: string, head = ''): string =>
  `${head}# Pad\n\n## Plan\n<!-- scratchpad:plan -->\n1. Find the leak\n<!-- /scratchpad:plan -->\n\n## Notes\n<!-- scratchpad:notes -->\n${notes}<!-- /scratchpad:notes -->\n`;
const message = (k: number, text = line(k)): string =>
  `${JSON.stringify({
    type: k % 2 === 0 ? 'user' : 'assistant',
    uuid: `u${k}`,
    parentUuid: k === 0 ? null : `u${k - 1}`,
    sessionId: 's1',
    timestamp: new Date(Date.UTC(2026, 1, 6) + k * 1000).toISOString(),
    message: { role: k % 2 === 0 ? 'user' : 'assistant', content: text },
  })}\n`;
const revision = (k: number): string =>
  `${JSON.stringify({
    type: 'custom',
    customType: 'openclaw:scratchpad:notes',
    data: line(k),
    id: `id${k}`,
    parentId: null,
    timestamp: '2026-02-06T00:00:00Z',
    scratchpad: { rev: k + 1, op: 'set', by: 'cli', digests: {} },
  })}\n`;

/** Everything that a hook reads, in the most expensive forms. */
export const INPUTS: readonly Input[] = [
  {
    name: 'pasted lines in Notes',
    from: 150,
    unit: 'lines',
    make: (root, size) => write(root, 'SCRATCHPAD.md', pad(lines(size))),
  },
  {
    name: 'refs',
    from: 150,
    unit: 'refs',
    make: (root, size) =>
      write(
        root,
        'SCRATCHPAD.md',
        `${pad('')}\n## Refs\n<!-- scratchpad:refs -->\n${lines(size)}<!-- /scratchpad:refs -->\n`,
      ),
  },
  {
    name: 'one long line in Notes',
    from: 10_000,
    unit: 'characters',
    make: (root, size) => write(root, 'SCRATCHPAD.md', pad(`${'word '.repeat(size / 5)}\n`)),
  },
  {
    name: 'marker lines',
    from: 390,
    unit: 'lines',
    make: (root, size) => write(root, 'SCRATCHPAD.md', '<!-- scratchpad:notes -->\n'.repeat(size)),
  },
  {
    name: 'closing marker lines',
    from: 390,
    unit: 'lines',
    make: (root, size) => write(root, 'SCRATCHPAD.md', '<!-- /scratchpad:plan -->\n'.repeat(size)),
  },
  {
    name: 'headings of a space',
    from: 1000,
    unit: 'lines',
    make: (root, size) => write(root, 'SCRATCHPAD.md', '## Notes\n'.repeat(size)),
  },
  {
    name: 'front matter, plain keys',
    from: 300,
    unit: 'keys',
    make: (root, size) =>
      write(
        root,
        'SCRATCHPAD.md',
        pad('', `---\n${Array.from({ length: size }, (_, k) => `key${k}: v\n`).join('')}---\n`),
      ),
  },
  {
    name: 'front matter, nested lists',
    from: 300,
    unit: 'brackets',
    make: (root, size) =>
      write(root, 'SCRATCHPAD.md', pad('', `---\na: ${'['.repeat(size)}${']'.repeat(size)}\n---\n`)),
  },
  {
    name: 'front matter, anchors',
    from: 100,
    unit: 'keys',
    make: (root, size) =>
      write(
        root,
        'SCRATCHPAD.md',
        pad(
          '',
          `---\n${Array.from({ length: size }, (_, k) => `k${k}: &a${k} [*a${Math.max(0, k - 1)}, x]\n`).join('')}---\n`,
        ),
      ),
  },
  {
    name: 'front matter without an end',
    from: 800,
    unit: 'lines',
    make: (root, size) => write(root, 'SCRATCHPAD.md', `---\n${'key: value\n'.repeat(size)}`),
  },
  {
    name: 'unknown config keys',
    from: 50,
    unit: 'keys',
    make: (root, size) =>
      write(
        root,
        '.scratchpad/config.yaml',
        Array.from({ length: size }, (_, k) => `limit${k}: 1\n`).join(''),
      ),
  },
  {
    name: 'nested config keys',
    from: 50,
    unit: 'keys',
    make: (root, size) =>
      write(
        root,
        '.scratchpad/config.yaml',
        `routing:\n${Array.from({ length: size }, (_, k) => `  lo${k}: 1\n`).join('')}`,
      ),
  },
  {
    name: 'MEMORY.md',
    from: 30_000,
    unit: 'bytes',
    make: (root, size) => write(root, 'MEMORY.md', lines(Math.ceil(size / line(0).length))),
  },
  {
    name: 'MEMORY.md, one paragraph',
    from: 30_000,
    unit: 'bytes',
    make: (root, size) => write(root, 'MEMORY.md', 'The upload test leaks. '.repeat(size / 23)),
  },
  {
    name: 'MEMORY.md, headings',
    from: 30_000,
    unit: 'bytes',
    make: (root, size) => write(root, 'MEMORY.md', '## upload test\n'.repeat(size / 15)),
  },
  {
    name: 'memory files',
    from: 100,
    unit: 'files',
    make: (root, size) => {
      for (let k = 0; k < size; k += 1)
        write(root, `memory/note-${k}.md`, `# Note ${k}\n${line(k)}${line(k + 1)}`);
      return {};
    },
  },
  {
    name: "today's note",
    from: 10_000,
    unit: 'bytes',
    make: (root, size) => write(root, 'memory/2026-02-06.md', lines(size / 55)),
  },
  {
    name: 'tasks in HEARTBEAT.md',
    from: 300,
    unit: 'tasks',
    make: (root, size) => write(root, 'HEARTBEAT.md', '- [ ] call the bank (due 2026-02-06)\n'.repeat(size)),
  },
  {
    name: 'transcript',
    from: 1000,
    unit: 'messages',
    make: (root, size) => {
      write(root, '../t.jsonl', Array.from({ length: size }, (_, k) => message(k)).join(''));
      return { transcript_path: join(root, '../t.jsonl') };
    },
  },
  {
    name: 'transcript, one line',
    from: 100_000,
    unit: 'bytes',
    make: (root, size) => {
      write(root, '../t.jsonl', message(0, 'the upload test is flaky, fix it. '.repeat(size / 34)));
      return { transcript_path: join(root, '../t.jsonl') };
    },
  },
  {
    name: 'transcript, long messages',
    from: 10_000,
    unit: 'bytes each',
    make: (root, size) => {
      const text = 'the upload test is flaky, fix it. '.repeat(size / 34);
      write(root, '../t.jsonl', Array.from({ length: 20 }, (_, k) => message(k, text)).join(''));
      return { transcript_path: join(root, '../t.jsonl') };
    },
  },
  {
    name: 'prompt',
    from: 10_000,
    unit: 'bytes',
    make: (_, size) => ({ prompt: 'is the upload test fixed? '.repeat(size / 26) }),
  },
  {
    name: 'prompt, one word',
    from: 10_000,
    unit: 'bytes',
    make: (_, size) => ({ prompt: 'a'.repeat(size) }),
  },
  {
    name: 'prompt, pasted log',
    from: 300,
    unit: 'lines',
    make: (_, size) => ({
      prompt: `what is this?\n${'2026-02-06T01:02:03Z ERROR at Foo.bar (foo.ts:12) x=1\n'.repeat(size)}`,
    }),
  },
  {
    name: 'journal',
    from: 300,
    unit: 'revisions',
    make: (root, size) => {
      write(root, 'SCRATCHPAD.md', pad('- by hand\n'));
      return write(
        root,
        '.scratchpad/sessions/main/journal.jsonl',
        Array.from({ length: size }, (_, k) => revision(k)).join(''),
      );
    },
  },
  {
    name: 'journal without a revision',
    from: 3000,
    unit: 'lines',
    make: (root, size) =>
      write(root, '.scratchpad/sessions/main/journal.jsonl', '{"type":"custom"}\n'.repeat(size)),
  },
  {
    name: 'remarks in feedback.json',
    from: 100,
    unit: 'remarks',
    make: (root, size) =>
      write(
        root,
        '.scratchpad/feedback.json',
        JSON.stringify({
          events: Array.from({ length: size }, (_, k) => ({
            at: new Date(Date.UTC(2026, 1, 1) + k).toISOString(),
            person: '',
            kind: 'too-long',
            source: 'noticed',
            mark: `m${k}`,
            text: line(k),
          })),
          forgotten: {},
        }),
      ),
  },
  {
    name: 'sessions',
    from: 30,
    unit: 'sessions',
    make: (root, size) => {
      for (let k = 0; k < size; k += 1) write(root, `.scratchpad/sessions/s${k}/SCRATCHPAD.md`, pad(line(k)));
      return {};
    },
  },
  {
    name: 'calendar',
    from: 30,
    unit: 'events',
    make: (root, size) => {
      const events = Array.from(
        { length: size },
        (_, k) =>
          `BEGIN:VEVENT\r\nUID:${k}\r\nDTSTART:20260206T0${k % 10}0000Z\r\nSUMMARY:Stand-up ${k}\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\n`,
      );
      return write(
        root,
        'calendar.ics',
        `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('')}END:VCALENDAR\r\n`,
      );
    },
  },
  {
    name: 'git index',
    from: 1000,
    unit: 'files',
    make: (root, size) => {
      spawnSync('git', ['init', '-q'], { cwd: root });
      const entries = Array.from(
        { length: size },
        (_, k) => `100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0\tsrc/file-${k}.ts\n`,
      );
      spawnSync('git', ['update-index', '--index-info'], { cwd: root, input: entries.join('') });
      return {};
    },
  },
];

/** Writes a file of a workspace. */
export function write(root: string, path: string, text: string): Record<string, unknown> {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return {};
}

/**
 * The time of one hook in milliseconds, and its processor time, which other work on the machine does not
 * affect.
 */
export interface Took {
  wall: number;
  /** Infinite if the run had to be ended, since its time is unknown. */
  cpu: number;
  /** Whether it was ended after a minute. */
  ended: boolean;
}

/** Runs one hook of the built program. */
export function timedHook(
  program: string,
  root: string,
  home: string,
  host: string,
  event: { hook_event_name: string },
): Took {
  const input = JSON.stringify(event);
  const usage = join(home, 'usage.json');
  const preload = join(home, 'usage.cjs');
  writeFileSync(
    preload,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.cpuUsage())));`,
  );
  rmSync(usage, { force: true });
  const begun = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--require', preload, program, 'hook', host, event.hook_event_name],
    {
      cwd: root,
      input,
      env: { PATH: process.env.PATH, HOME: home, TZ: 'UTC' },
      timeout: 60_000,
      maxBuffer: 1e9,
    },
  );
  const wall = performance.now() - begun;
  if (status !== 0 || String(stderr) !== '')
    console.log(`  exit ${status} ${String(stderr).trim().split('\n').at(-1)?.slice(0, 100)}`);
  const { user, system } = existsSync(usage)
    ? (JSON.parse(readFileSync(usage, 'utf8')) as NodeJS.CpuUsage)
    : { user: 0, system: 0 };
  const ended = status === null;
  return { wall, cpu: ended ? Number.POSITIVE_INFINITY : (user + system) / 1000, ended };
}
