import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A source that a hook reads, in any size. */
export interface Input {
  name: string;
  /** The smallest size; the others are larger. */
  from: number;
  /** Writes files of a workspace; returns additional fields of the hook's input. */
  make(workspace: string, size: number): Record<string, unknown>;
}

const makeLine = (k: number): string => `- line ${k} of what somebody pasted about the upload test\n`;
const makeMany = (size: number, of: (k: number) => string): string =>
  Array.from({ length: size }, (_, k) => of(k)).join('');
const makeLines = (count: number): string => makeMany(count, makeLine);
const pad = (notes: string, head = ''): string =>
  `${head}# Pad\n\n## Plan\n<!-- scratchpad:plan -->\n1. Find the leak\n<!-- /scratchpad:plan -->\n\n## Notes\n<!-- scratchpad:notes -->\n${notes}<!-- /scratchpad:notes -->\n`;
const makeMessage = (k: number, text = makeLine(k)): string =>
  `${JSON.stringify({
    type: k % 2 === 0 ? 'user' : 'assistant',
    uuid: `u${k}`,
    parentUuid: k === 0 ? null : `u${k - 1}`,
    sessionId: 's1',
    timestamp: new Date(Date.UTC(2026, 1, 6) + k * 1000).toISOString(),
    message: { role: k % 2 === 0 ? 'user' : 'assistant', content: text },
  })}\n`;
const makeRevision = (k: number): string =>
  `${JSON.stringify({
    ...{ type: 'custom', customType: 'openclaw:scratchpad:notes', data: makeLine(k) },
    ...{ id: `id${k}`, parentId: null, timestamp: '2026-02-06T00:00:00Z' },
    scratchpad: { rev: k + 1, op: 'set', by: 'cli', digests: {} },
  })}\n`;
const makeRemark = (k: number): object => ({
  at: new Date(Date.UTC(2026, 1, 1) + k).toISOString(),
  ...{ person: '', kind: 'too-long', source: 'noticed', mark: `m${k}`, text: makeLine(k) },
});
const makeEvent = (k: number): string =>
  `BEGIN:VEVENT\r\nUID:${k}\r\nDTSTART:20260206T0${k % 10}0000Z\r\nSUMMARY:Stand-up ${k}\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\n`;
const FIX = 'the upload test is flaky, fix it. ';

/** One file, by its text at a size. */
const makeFile = (name: string, from: number, path: string, text: (size: number) => string): Input => ({
  name,
  from,
  make: (root, size) => write(root, path, text(size)),
});
const writeInPad = (name: string, from: number, text: (size: number) => string): Input =>
  makeFile(name, from, 'SCRATCHPAD.md', text);
const JOURNAL = '.scratchpad/sessions/main/journal.jsonl';
const CONFIG = '.scratchpad/config.yaml';
const makeSpoken = (name: string, from: number, text: (size: number) => string): Input => ({
  name,
  from,
  make: (root, size) => {
    write(root, '../t.jsonl', text(size));
    return { transcript_path: join(root, '../t.jsonl') };
  },
});
const makeTyped = (name: string, from: number, prompt: (size: number) => string): Input => ({
  name,
  from,
  make: (_, size) => ({ prompt: prompt(size) }),
});

/** So many files of one kind. */
const files = (
  name: string,
  from: number,
  path: (k: number) => string,
  text: (k: number) => string,
): Input => ({
  name,
  from,
  make: (root, size) => {
    for (let k = 0; k < size; k += 1) write(root, path(k), text(k));
    return {};
  },
});

/** Everything that a hook reads, in the most expensive forms. */
export const INPUTS: readonly Input[] = [
  writeInPad('pasted lines in Notes', 150, (n) => pad(makeLines(n))),
  writeInPad('one long line in Notes', 10_000, (n) => pad(`${'word '.repeat(n / 5)}\n`)),
  writeInPad('marker lines', 390, (n) => '<!-- scratchpad:notes -->\n'.repeat(n)),
  writeInPad('front matter, nested lists', 300, (n) =>
    pad('', `---\na: ${'['.repeat(n)}${']'.repeat(n)}\n---\n`),
  ),
  writeInPad('front matter, anchors', 100, (n) =>
    pad('', `---\n${makeMany(n, (k) => `k${k}: &a${k} [*a${Math.max(0, k - 1)}, x]\n`)}---\n`),
  ),
  makeFile('unknown config keys', 50, CONFIG, (n) => makeMany(n, (k) => `limit${k}: 1\n`)),
  makeFile('MEMORY.md', 30_000, 'MEMORY.md', (n) => makeLines(Math.ceil(n / makeLine(0).length))),
  files(
    'memory files',
    100,
    (k) => `memory/note-${k}.md`,
    (k) => `# Note ${k}\n${makeLine(k)}${makeLine(k + 1)}`,
  ),
  makeFile("today's note", 10_000, 'memory/2026-02-06.md', (n) => makeLines(n / 55)),
  makeFile('tasks in HEARTBEAT.md', 300, 'HEARTBEAT.md', (n) =>
    '- [ ] call the bank (due 2026-02-06)\n'.repeat(n),
  ),
  makeSpoken('transcript', 1000, (n) => makeMany(n, makeMessage)),
  makeSpoken('transcript, one line', 100_000, (n) => makeMessage(0, FIX.repeat(n / 34))),
  makeTyped('prompt', 10_000, (n) => 'is the upload test fixed? '.repeat(n / 26)),
  makeTyped(
    'prompt, pasted log',
    300,
    (n) => `what is this?\n${'2026-02-06T01:02:03Z ERROR at Foo.bar (foo.ts:12) x=1\n'.repeat(n)}`,
  ),
  makeFile('journal', 300, JOURNAL, (n) => makeMany(n, makeRevision)),
  makeFile('remarks in feedback.json', 100, '.scratchpad/feedback.json', (n) =>
    JSON.stringify({ events: Array.from({ length: n }, (_, k) => makeRemark(k)), forgotten: {} }),
  ),
  files(
    'sessions',
    30,
    (k) => `.scratchpad/sessions/s${k}/SCRATCHPAD.md`,
    (k) => pad(makeLine(k)),
  ),
  makeFile(
    'calendar',
    30,
    'calendar.ics',
    (n) => `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${makeMany(n, makeEvent)}END:VCALENDAR\r\n`,
  ),
  {
    name: 'git index',
    from: 1000,
    make: (root, size) => {
      const makeEntry = (k: number): string =>
        `100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0\tsrc/file-${k}.ts\n`;
      spawnSync('git', ['init', '-q'], { cwd: root });
      spawnSync('git', ['update-index', '--index-info'], { cwd: root, input: makeMany(size, makeEntry) });
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
