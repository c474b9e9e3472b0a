import { fork } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileStore } from '../../src/session/file-store.ts';
import { randomFrom } from '../random.ts';
import { freshWorkspace, numbers, removeAll, report } from './harness.ts';

/**
 * A person's editor saves old buffers with new edits over later acknowledged writes: in place, in place in two
 * parts, and by rename, at any time. No acknowledged line and no line of the person may be lost: each must be in
 * the pad, in `conflicts/` or in `recovered/`.
 *
 *     npx tsx scripts/chaos/editor.ts [saves] [seed]
 */
if (process.argv[2] === 'agent') {
  await appendUntilTold(process.argv[3] ?? '');
  process.exit(0);
}
const [saves = 0, seed = 0] = numbers(100, 1);

interface Edit {
  way: 'in place' | 'in two pieces' | 'by rename';
  where: 'notes, end' | 'notes, start' | 'notes, first line' | 'outside';
  holdMs: number;
  betweenMs: number;
}

/** What the editor does: it reads the pad, keeps it open for a while, and saves it with one more line. */
async function edit(pad: string, line: string, { way, where, holdMs, betweenMs }: Edit): Promise<boolean> {
  let buffer = '';
  try {
    buffer = readFileSync(pad, 'utf8');
  } catch {
    return false;
  }
  await sleep(holdMs);
  const open = '<!-- scratchpad:notes -->\n';
  const close = '<!-- /scratchpad:notes -->';
  if (!buffer.includes(open) || !buffer.includes(close)) return false;
  let next = buffer;
  if (where === 'outside') next = buffer.replace('# SCRATCHPAD.md', () => `${line}\n# SCRATCHPAD.md`);
  else if (where === 'notes, start') next = buffer.replace(open, () => `${open}${line}\n`);
  else if (where === 'notes, end') next = buffer.replace(close, () => `${line}\n${close}`);
  else next = buffer.replace(/(?<=<!-- scratchpad:notes -->\n)([^<\n]*)/, (first) => `${first} + ${line}`);
  if (way === 'by rename') {
    writeFileSync(`${pad}.swp`, next);
    renameSync(`${pad}.swp`, pad);
  } else if (way === 'in place') writeFileSync(pad, next);
  else {
    const cut = Math.floor(next.length / 2);
    const fd = openSync(pad, 'w');
    writeSync(fd, next.slice(0, cut));
    await sleep(betweenMs);
    writeSync(fd, next.slice(cut));
    closeSync(fd);
  }
  return true;
}

/** The agent: a process of its own that appends to the notes until it is told to stop, and tells each acknowledged line. */
async function appendUntilTold(workspace: string): Promise<void> {
  const pad = new FileStore(workspace, 'main');
  let stopped = false;
  process.on('message', () => {
    stopped = true;
  });
  for (let k = 0; !stopped; k += 1) {
    const line = `agent line ${k};`;
    await pad.change(({ spaces: { notes } }) => [
      { space: 'notes', content: notes === '' ? line : `${notes}\n${line}`, op: 'append' },
    ]);
    process.send?.(line);
    await sleep(2);
  }
}

function contents(dir: string): string {
  return existsSync(dir)
    ? readdirSync(dir)
        .map((name) => readFileSync(join(dir, name), 'utf8'))
        .join('\n')
    : '';
}

const random = randomFrom(seed);
const pick = <T>(choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random() * choices.length)] ?? choices[0];
const root = freshWorkspace('editor');
const store = new FileStore(root, 'main');
const acknowledged: string[] = [];

// The agent writes in a process of its own, so that saves coincide with every phase of a write.
const agent = fork(import.meta.filename, ['agent', root], { execArgv: ['--import', 'tsx'] });
const agentEnded = new Promise<number | null>((resolve) => agent.on('exit', resolve));
await new Promise<void>((resolve) => {
  agent.on('message', (line) => {
    acknowledged.push(String(line));
    resolve();
  });
});

const human: string[] = [];
for (let k = 0; k < saves; k += 1) {
  const line = `human line ${k};`;
  const how: Edit = {
    way: pick(['in place', 'in two pieces', 'by rename']),
    where: pick(['notes, end', 'notes, start', 'notes, first line', 'outside']),
    holdMs: pick([0, 1, 5, 30, 80]),
    betweenMs: pick([0, 1, 3, 10]),
  };
  if (await edit(store.paths.pad, line, how)) human.push(line);
  // The editor saves again only after its last save was noticed, as a person would.
  await sleep(pick([10, 40]));
}
agent.send('stop');
const code = await agentEnded;
await store.change(() => []);

const pad = readFileSync(store.paths.pad, 'utf8');
const beside = contents(store.paths.conflicts) + contents(store.paths.recovered);
const failures = [...acknowledged, ...human]
  .filter((line) => !pad.includes(line) && !beside.includes(line))
  .map((line) => `lost: ${line}`);
if (code !== 0) failures.push(`the agent ended with ${code}`);
const inPad = (lines: readonly string[]): number => lines.filter((line) => pad.includes(line)).length;
report(
  "an editor's saves over newer writes",
  {
    saves: human.length,
    acknowledged: acknowledged.length,
    'agent lines in the pad': inPad(acknowledged),
    "person's lines in the pad": inPad(human),
  },
  failures,
);
removeAll();
