import { readdirSync } from 'node:fs';
import { readNumbers, removeAll, report, start } from './harness.ts';
import { program, Witness } from './witness.ts';

/**
 * Many processes at once in one session: each appends to the notes, and changes shared and own entries. Every
 * acknowledged line must be there exactly once, and whole.
 *
 *     npm run build && npx tsx scripts/chaos/crowd.ts [processes] [changes each]
 */
const [processes = 0, each = 0] = readNumbers(8, 12);
const failures: string[] = [];
const { root, store, entries } = new Witness(failures);
const figures = { processes, tried: 0, acknowledged: 0, refused: 0 };
const [noted, logged]: string[][] = [[], []];
const written = new Map<string, string>();
let outputs = 0;

async function call(...args: string[]): Promise<boolean> {
  figures.tried += 1;
  const { code, stderr } = await start([program, ...args], { cwd: root }).ended;
  figures[code === 0 ? 'acknowledged' : 'refused'] += 1;
  // Others were faster every time: the command says so and changes nothing.
  if (code !== 0 && !stderr.includes('changed by somebody else'))
    failures.push(`${args.slice(0, 2).join(' ')} failed with ${code}: ${stderr.trim()}`);
  return code === 0;
}

async function runAgent(id: number): Promise<void> {
  for (let k = 0; k < each; k += 1) {
    const text = `process ${id} change ${k}`;
    if (await call('notes', 'append', text)) noted?.push(text);
    if (k % 3 === 0) {
      if (await call('entry', 'write', `of ${id}`, text)) written.set(`of ${id}`, text);
    } else if (k % 3 === 1) {
      if (await call('entry', 'write', 'log', '--append', `${text}\n`)) logged?.push(text);
    } else if (await call('run', '--limit', '1', 'echo', text)) outputs += 1;
  }
}

function runOnce(what: string, text: string, lines: readonly string[] = []): void {
  if (text.split('\n').filter(Boolean).sort().join('\n') !== [...lines].sort().join('\n'))
    failures.push(`${what}: not what was appended`);
}

await Promise.all(Array.from({ length: processes }, (_, id) => runAgent(id)));
const { spaces, revision } = await store.read();
runOnce('notes', spaces.notes, noted);
const { revisions, skipped } = await store.history();
const last = revisions.at(-1)?.rev ?? 0;
if (skipped > 0) failures.push(`${skipped} journal lines are torn`);
if (last !== revision || revisions.some(({ rev }, k) => rev !== last - revisions.length + 1 + k))
  failures.push('revision numbers are not in order');
const found = new Map<string, string>();
for (const { name } of await entries.list()) found.set(name, (await entries.read(name)).content);
runOnce('log', found.get('log') ?? '', logged);
for (const [name, text] of written)
  if (found.get(name) !== text) failures.push(`${name} is ${found.get(name)}, not ${text}`);
const kept = [...found.keys()].filter((name) => name.startsWith('execute_command_')).length;
if (kept !== outputs) failures.push(`${outputs} outputs were kept, and ${kept} are there`);
const left = readdirSync(store.paths.dir).filter((file) => /^lock|\.tmp$/.test(file));
if (left.length > 0) failures.push(`left behind: ${left.join(' ')}`);
report('many processes at once', figures, failures);
removeAll();
