/**
 * Endurance of the memory index. `tsx scripts/chaos/memory-index.ts [--kills 100] [--flips 2000] [--files 2000]`.
 * Kills writers at random times, flips random bytes, searches from 64 processes during rebuilds, and indexes many
 * files of arbitrary content; prints what was tried and what failed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { searchMemory } from '../../src/memory/search.ts';
import { indexStatus } from '../../src/memory/status.ts';
import { updateIndex } from '../../src/memory/update.ts';
import { PROGRAM, QUERIES, QUERY, word, writeNotes } from '../workload/notes.ts';

/** A workspace with the given number of notes. */
function workspace(notes: number): string {
  const root = mkdtempSync(join(tmpdir(), 'scratchpad-chaos-'));
  writeNotes(root, notes * 10);
  return root;
}

async function lines(root: string, text: string, index: 'auto' | 'off' = 'auto'): Promise<string> {
  const { hits } = await searchMemory({ text }, { workspace: root, index, now: 0 });
  return hits.map(({ path, line, text: words }) => `${path}:${line} ${words}`).join('\n');
}

const start = (...args: string[]): ChildProcess =>
  spawn(process.execPath, [PROGRAM, 'memory', ...args], { stdio: 'ignore' });

async function kills(times: number): Promise<void> {
  const root = workspace(300);
  const expected = await lines(root, QUERY, 'off');
  let [wrong, broken] = [0, 0];
  for (let i = 0; i < times; i++) {
    const child = start('index', '--workspace', root);
    setTimeout(() => child.kill('SIGKILL'), 30 + Math.random() * 250);
    await once(child, 'exit');
    if (indexStatus({ workspace: root }).state === 'broken') broken++;
    if ((await lines(root, QUERY)) !== expected) wrong++;
  }
  console.log(`kills: ${times} writers killed, ${broken} broken indexes left, ${wrong} wrong answers`);
  rmSync(root, { recursive: true });
}

async function flips(times: number): Promise<void> {
  const root = workspace(20);
  await new Promise((done) => setTimeout(done, 200));
  await updateIndex({ workspace: root });
  const path = join(root, '.scratchpad/index/memory.base');
  const sound = readFileSync(path);
  const queries = await Promise.all(
    QUERIES.map(async (text) => ({
      text,
      expected: await lines(root, text, 'off'),
    })),
  );
  let [wrong, noticed] = [0, 0];
  for (let i = 0; i < times; i++) {
    const bytes = Buffer.from(sound);
    const at = Math.floor(Math.random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
    writeFileSync(path, bytes);
    if (indexStatus({ workspace: root }).state === 'broken') noticed++;
    for (const { text, expected } of queries) if ((await lines(root, text)) !== expected) wrong++;
  }
  console.log(
    `flips: ${times} bits flipped, ${noticed} noticed by a full check, ${wrong} wrong answers of ${times * 3}`,
  );
  rmSync(root, { recursive: true });
}

async function crowd(): Promise<void> {
  const root = workspace(200);
  await updateIndex({ workspace: root });
  const expected = await lines(root, QUERY, 'off');
  const writer = start('index', '--workspace', root);
  const answers = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const child = spawn(process.execPath, [PROGRAM, 'memory', 'search', '-w', root, '--batch'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.stdin.end(`${JSON.stringify({ id: 1, query: QUERY })}\n`);
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        out += chunk;
      });
      await once(child, 'close');
      if (out === '') return `no answer, exit ${child.exitCode}`;
      const { results } = JSON.parse(out) as { results: { path: string; line: number; text: string }[] };
      return results.map(({ path, line, text }) => `${path}:${line} ${text}`).join('\n');
    }),
  );
  if (writer.exitCode === null) await once(writer, 'exit');
  console.log(
    `crowd: 64 processes searched during a rebuild, ${answers.filter((each) => each !== expected).length} wrong answers`,
  );
  rmSync(root, { recursive: true });
}

async function heap(files: number): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'scratchpad-chaos-'));
  mkdirSync(join(root, 'memory'));
  const outside = mkdtempSync(join(tmpdir(), 'scratchpad-outside-'));
  writeFileSync(join(outside, 'secret.md'), '- the secret of the cluster\n');
  for (let i = 0; i < files; i++) {
    const folder = join(root, 'memory', String(i % 50));
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${i}.md`);
    const kind = i % 20;
    if (kind === 0) writeFileSync(path, '');
    else if (kind === 1)
      writeFileSync(path, Buffer.from(Array.from({ length: 300 }, () => Math.floor(Math.random() * 256))));
    else if (kind === 2) writeFileSync(path, Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x80, 0xff, 0x0a]));
    else if (kind === 3) symlinkSync(join(outside, 'secret.md'), path);
    else if (kind === 4) symlinkSync(join(root, 'nowhere'), path);
    else if (kind === 5) mkdirSync(path);
    else {
      writeFileSync(path, `- the ${word(i % 1000)} of file ${i}\n`);
      if (kind === 6) chmodSync(path, 0);
    }
  }
  writeFileSync(join(root, 'memory', 'huge.md'), Buffer.alloc(50 * 1024 * 1024, 'word '));
  const from = performance.now();
  const { scanned } = await updateIndex({ workspace: root });
  const leaked = await lines(root, 'secret of the cluster');
  const took = ((performance.now() - from) / 1000).toFixed(1);
  console.log(
    `heap: ${files} files of any content in ${took} s, ${scanned.segment.passages} passages, ${leaked.includes('secret') ? 'LEAKED' : 'nothing from outside'}`,
  );
  for (const [reason, count] of scanned.leftOut) console.log(`  left out: ${count} ${reason}`);
  console.log(
    `  strays: ${readdirSync(join(root, '.scratchpad/index')).filter((name) => name.endsWith('.tmp')).length}`,
  );
  rmSync(root, { recursive: true });
  rmSync(outside, { recursive: true });
}

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    flips: { type: 'string', default: '2000' },
    files: { type: 'string', default: '2000' },
  },
});
await kills(Number(values.kills));
await flips(Number(values.flips));
await crowd();
await heap(Number(values.files));
