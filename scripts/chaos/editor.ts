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
import { createRandom, pickOne } from '../random.ts';
import { copyProgram, makeWorkspace, readNumbers, removeAll, report, start } from './harness.ts';

/**
 * A person's editor saves old buffers with new edits over later acknowledged writes: in place, in place in two
 * parts, and by rename, at any time. No acknowledged line and no line of the person may be lost: each must be in
 * the pad, in `conflicts/` or in `recovered/`.
 *
 *     npm run build && npx tsx scripts/chaos/editor.ts [saves] [seed]
 */
const [saves = 0, seed = 0] = readNumbers(100, 1);

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

/** An agent: appends to the notes with a command each, so that saves coincide with every phase of one. */
async function appendUntilStopped(agent: string): Promise<void> {
  for (let k = 0; !stopped; k += 1) {
    const line = `agent ${agent} line ${k};`;
    const { code, stderr } = await start([program, 'notes', 'append', line], { cwd: root }).ended;
    if (code === 0) acknowledged.push(line);
    else failures.push(`the agent ended with ${code}: ${stderr}`);
  }
}

const listContents = (dir: string): string =>
  existsSync(dir)
    ? readdirSync(dir)
        .map((name) => readFileSync(join(dir, name), 'utf8'))
        .join('\n')
    : '';

const random = createRandom(seed);
const pick = <T>(...choices: readonly T[]): T => pickOne(choices, random);
const program = copyProgram();
const root = makeWorkspace('editor');
const store = new FileStore(root, 'main');
const acknowledged: string[] = [];

const failures: string[] = [];
let stopped = false;
const agents = ['a', 'b', 'c'].map(appendUntilStopped);
while (acknowledged.length === 0 && failures.length === 0) await sleep(10);

const human: string[] = [];
for (let k = 0; k < saves; k += 1) {
  const line = `human line ${k};`;
  const how: Edit = {
    way: pick('in place', 'in two pieces', 'by rename'),
    where: pick('notes, end', 'notes, start', 'notes, first line', 'outside'),
    holdMs: pick(0, 1, 5, 30, 80),
    betweenMs: pick(0, 1, 3, 10),
  };
  if (await edit(store.paths.pad, line, how)) human.push(line);
  // The editor saves again only after its last save was noticed, as a person would.
  await sleep(pick(10, 40));
}
stopped = true;
await Promise.all(agents);
await store.change(() => []);

const pad = readFileSync(store.paths.pad, 'utf8');
const beside = listContents(store.paths.conflicts) + listContents(store.paths.recovered);
for (const line of [...acknowledged, ...human])
  if (!pad.includes(line) && !beside.includes(line)) failures.push(`lost: ${line}`);
const isInPad = (lines: readonly string[]): number => lines.filter((line) => pad.includes(line)).length;
report(
  "an editor's saves over newer writes",
  {
    saves: human.length,
    acknowledged: acknowledged.length,
    'agent lines in the pad': isInPad(acknowledged),
    "person's lines in the pad": isInPad(human),
  },
  failures,
);
removeAll();
