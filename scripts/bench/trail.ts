/**
 * The cost of the trail at a prompt, by the length of the session: for the first reading, and for the reading of
 * one new turn.
 *
 *   npx tsx scripts/bench/trail.ts [RUNS]
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTrail } from '../../src/trail/index.ts';
import { ClaudeSession } from '../../test/trail/claude-session.ts';

const runs = Number(process.argv[2] ?? 15);
const root = mkdtempSync(join(tmpdir(), 'trail-bench-'));
mkdirSync(join(root, '.scratchpad'), { mode: 0o700 });

/** One turn of ordinary work, about 12 kB. */
function turn(session: ClaudeSession, number: number): ClaudeSession {
  return session
    .person(`Please look at the totals of part ${number} and mend what is wrong there.`)
    .use(
      'Read',
      { file_path: join(root, `src/part-${number % 40}.ts`) },
      `${'export const total = 1;\n'.repeat(200)}`,
    )
    .use('Edit', {
      file_path: join(root, `src/part-${number % 40}.ts`),
      old_string: 'a',
      new_string: 'b'.repeat(2000),
    })
    .bash('npm test 2>&1 | tail -50', `${'ok 1 - adds\n'.repeat(150)}# pass 150\n`)
    .agent(`Part ${number} is right now. Shall I commit it?`);
}

const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
const open = (transcript: string, id: string): ReturnType<typeof openTrail> =>
  openTrail({
    root,
    session: id,
    transcript,
    now: Date.now(),
    config: { trail: { kinds: [] }, transcript: { paths: [] } },
    env: { HOME: root },
  });

const prompts: number[] = [];
for (const [name, bytes] of [
  ['100 kB', 100e3],
  ['1 MB', 1e6],
  ['10 MB', 10e6],
  ['100 MB', 100e6],
] as const) {
  const path = join(root, `${name.replace(' ', '-')}.jsonl`);
  const session = new ClaudeSession({ cwd: root });
  writeFileSync(path, '');
  let written = 0;
  let number = 0;
  while (written < bytes) {
    turn(session, number++);
    const text = session.text;
    appendFileSync(path, text);
    written += text.length;
    session.lines.length = 0;
  }
  const before = performance.now();
  await open(path, name);
  const first = performance.now() - before;
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    session.lines.length = 0;
    appendFileSync(path, turn(session, number++).text);
    const start = performance.now();
    await open(path, name);
    times.push(performance.now() - start);
  }
  prompts.push(median(times));
  console.log(
    `${name.padEnd(7)} ${(statSync(path).size / 1e6).toFixed(1)} MB: first reading ${first.toFixed(0)} ms, a prompt ${median(times).toFixed(1)} ms`,
  );
}
console.log(
  `a prompt at 100 MB against one at 100 kB: ${((prompts.at(-1) ?? 0) / (prompts[0] ?? 1)).toFixed(2)}`,
);
rmSync(root, { recursive: true, force: true });
