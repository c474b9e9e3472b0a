/**
 * Reads mutated transcripts of every format: each must give messages or an error that says what is wrong,
 * within 2 s of processor time and with bounded memory.
 *
 *   tsx scripts/chaos/transcripts.ts [count=20000] [seed=1]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScratchpadError } from '../../src/errors.ts';
import { readScratchpadEntries } from '../../src/transcript/entries.ts';
import type { Transcript } from '../../src/transcript/read.ts';
import { readTranscriptFile } from '../../src/transcript/read.ts';
import { randomFrom } from '../random.ts';
import { mutate } from './transcript-mutations.ts';

/** In processor time, because the machine may be busy with other work. */
const TOO_LONG_MS = 2000;
/** In elapsed time, so that waiting forever is noticed, too. */
const HANG_MS = 30_000;
const ROLES = new Set(['user', 'assistant', 'tool', 'system']);

const count = Number(process.argv[2] ?? 20_000);
const seed = Number(process.argv[3] ?? 1);
const fixtures = join(import.meta.dirname, '../../test/fixtures/transcripts');
const originals: Array<{ name: string; bytes: Buffer }> = readdirSync(fixtures).map((name) => ({
  name,
  bytes: readFileSync(join(fixtures, name)),
}));
originals.push({
  name: 'messages.json',
  bytes: Buffer.from(
    JSON.stringify({
      messages: [
        { role: 'user', content: 'hi', sender: 'Ana', timestamp: 1_770_346_800 },
        { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
        { role: 'tool', name: 'ls', content: { output: ['a'] } },
      ],
    }),
  ),
});
originals.push(...(await databases()));
const random = randomFrom(seed);
const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
const path = join(folder, 'transcript');
const result = { read: 0, refused: 0, crashed: 0, slow: 0, malformed: 0, messages: 0, slowestMs: 0 };
const outcomes = new Map<string, number>();

for (let run = 0; run < count; run++) {
  const original = originals[Math.floor(random() * originals.length)];
  if (original === undefined) break;
  const mutated = mutate(
    original.bytes,
    random,
    originals.map((one) => one.bytes),
  );
  writeFileSync(path, mutated.bytes);
  const label = `run ${run} seed ${seed}: ${original.name}, ${mutated.names.join(' + ')}`;
  const started = performance.now();
  const before = process.cpuUsage();
  try {
    const transcript = await readTranscriptFile(
      path,
      random() < 0.5 ? {} : { limit: Number.POSITIVE_INFINITY },
    );
    if (random() < 0.2) await readScratchpadEntries(path);
    result.read++;
    result.messages += transcript.messages.length;
    const fault = faultIn(transcript);
    if (fault !== undefined) {
      result.malformed++;
      console.error(`${label}: ${fault}`);
    }
    outcomes.set(transcript.format, (outcomes.get(transcript.format) ?? 0) + 1);
  } catch (error) {
    if (error instanceof ScratchpadError) {
      result.refused++;
      outcomes.set(
        `(${error.kind}) ${error.message}`,
        (outcomes.get(`(${error.kind}) ${error.message}`) ?? 0) + 1,
      );
    } else {
      result.crashed++;
      console.error(`${label}:`, error);
    }
  }
  const { user, system } = process.cpuUsage(before);
  const took = (user + system) / 1000;
  const waited = performance.now() - started;
  result.slowestMs = Math.max(result.slowestMs, took);
  if (took > TOO_LONG_MS || waited > HANG_MS) {
    result.slow++;
    console.error(
      `${label}: ${Math.round(took)} ms of ${Math.round(waited)} ms for ${mutated.bytes.length} bytes`,
    );
  }
}
rmSync(folder, { recursive: true, force: true });

const peak = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(`${count} mutated transcripts of ${originals.length} originals, seed ${seed}`);
console.log(`  read ${result.read} (${result.messages} messages), refused with a reason ${result.refused}`);
console.log(
  `  crashed ${result.crashed}, over ${TOO_LONG_MS} ms ${result.slow}, malformed messages ${result.malformed}`,
);
console.log(`  slowest ${Math.round(result.slowestMs)} ms, peak memory of the process ${peak} MB`);
for (const [outcome, times] of [...outcomes].sort((a, b) => b[1] - a[1]))
  console.log(`  ${String(times).padStart(6)}  ${outcome}`);
if (result.crashed + result.slow + result.malformed > 0) process.exitCode = 1;

/** What is wrong with the messages that were read, if anything. */
function faultIn(transcript: Transcript): string | undefined {
  for (const message of transcript.messages) {
    const { id, role, content, session, timestamp, sender, tool } = message;
    if (!ROLES.has(role)) return `role ${String(role)}`;
    if ([id, content, session].some((text) => typeof text !== 'string'))
      return `no text in ${JSON.stringify(message).slice(0, 200)}`;
    if ([sender, tool].some((text) => text !== undefined && typeof text !== 'string'))
      return 'sender or tool is no text';
    if (timestamp !== undefined && new Date(timestamp).toISOString() !== timestamp)
      return `timestamp ${timestamp}`;
  }
  return undefined;
}

/** A small OpenClaw database, if this version of Node can create one. */
async function databases(): Promise<Array<{ name: string; bytes: Buffer }>> {
  const load: unknown = Reflect.get(process, 'getBuiltinModule');
  const sqlite: unknown = typeof load === 'function' ? load.call(process, 'node:sqlite') : undefined;
  if (typeof sqlite !== 'object' || sqlite === null || !('DatabaseSync' in sqlite)) return [];
  const { DatabaseSync } = sqlite as {
    DatabaseSync: new (path: string) => { exec(sql: string): void; close(): void };
  };
  const home = mkdtempSync(join(tmpdir(), 'chaos-'));
  const file = join(home, 'openclaw-agent.sqlite');
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA user_version = 23;
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT NOT NULL, updated_at INTEGER NOT NULL);
    CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB, PRIMARY KEY (session_id, seq));
    INSERT INTO session_nodes VALUES ('agent:main:main', 's', '{}', 5);`);
  for (const [seq, line] of readFileSync(join(fixtures, 'pi-v3-branches.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .entries()) {
    database.exec(
      `INSERT INTO transcript_events VALUES ('s', ${seq}, '${line.replaceAll("'", "''")}', 0, NULL)`,
    );
  }
  database.close();
  const bytes = readFileSync(file);
  rmSync(home, { recursive: true, force: true });
  return [{ name: 'openclaw-agent.sqlite', bytes }];
}
