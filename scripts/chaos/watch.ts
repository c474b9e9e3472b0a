import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { randomFrom } from '../random.ts';
import { copyProgram, freshDir, numbers, removeAll, report } from './harness.ts';

/**
 * `watch` over many memory files and a busy session: bursts of saves as editors and agents make them, with pauses.
 * A run must begin after the last change of each burst. Memory, open files and watches are read from /proc at the
 * beginning and at the end; then nothing happens for a while, and the processor time of that period is reported.
 *
 *     npm run build && npx tsx scripts/chaos/watch.ts [EVENTS] [FILES] [IDLE_SECONDS] [SEED]
 */
const [events = 0, files = 0, idleSeconds = 0, seed = 0] = numbers(300, 2000, 10, 1);
const random = randomFrom(seed);
const upTo = (count: number): number => Math.floor(random() * count);
const root = freshDir('watch');
const memory = join(root, 'memory');
const transcript = join(root, 'sessions/busy.jsonl');
const WITHIN_MS = 20_000;
const FOLDER_FILES = 100;

const pathOf = (k: number): string => join(memory, `d${Math.floor(k / FOLDER_FILES)}`, `f${k}.md`);
const note = (): string => `- note ${upTo(1e9)} about cluster ${upTo(100)} and its config\n`;
const message = (): string =>
  `${JSON.stringify({ role: random() < 0.5 ? 'user' : 'assistant', content: `step ${upTo(1e6)} of the rollout`, timestamp: new Date().toISOString() })}\n`;

mkdirSync(dirname(transcript), { recursive: true });
writeFileSync(transcript, message());
for (let k = 0; k < files; k += 1) {
  if (k % FOLDER_FILES === 0) mkdirSync(dirname(pathOf(k)), { recursive: true });
  writeFileSync(pathOf(k), `# File ${k}\n\n${note()}${note()}`);
}

/** What editors, agents and scripts do to files; each makes a relevant change. */
const ACTS: readonly (() => void)[] = [
  () => appendFileSync(transcript, message()),
  () => appendFileSync(transcript, message()),
  () => appendFileSync(pathOf(upTo(files)), note()),
  () => writeFileSync(pathOf(upTo(files)), note()),
  // An editor that saves by renaming.
  () => {
    const path = pathOf(upTo(files));
    writeFileSync(`${path}.tmp`, note());
    renameSync(`${path}.tmp`, path);
  },
  // Removed and created again at once.
  () => {
    const path = pathOf(upTo(files));
    unlinkSync(path);
    writeFileSync(path, note());
  },
  // A folder that is removed with all its files and comes back with some of them.
  () => {
    const first = upTo(files / FOLDER_FILES) * FOLDER_FILES;
    rmSync(dirname(pathOf(first)), { recursive: true });
    mkdirSync(dirname(pathOf(first)));
    for (let k = first; k < first + FOLDER_FILES; k += 1) writeFileSync(pathOf(k), note());
  },
  // A folder that appears by renaming, with its files.
  () => {
    const path = join(memory, `new${upTo(20)}`);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(join(root, 'aside/deep'), { recursive: true });
    writeFileSync(join(root, 'aside/deep/a.md'), note());
    renameSync(join(root, 'aside'), path);
  },
];

interface Told {
  event: string;
  at: string;
  ms: number;
  reasons?: string[];
}

const told: Told[] = [];
let wake: () => void = () => undefined;

function watch(): ChildProcess {
  const args = ['watch', '--json', '--debounce', '50ms', '--interval', '100ms'];
  const child = spawn(process.execPath, [copyProgram(), ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: join(root, 'no-home'), TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    told.push(...lines.map((line) => JSON.parse(line) as Told));
    wake();
  });
  return child;
}

/** Waits for an event that `find` matches, from now on. */
async function waitFor(find: (each: Told) => boolean): Promise<Told | undefined> {
  const until = Date.now() + WITHIN_MS;
  for (let from = 0; ; ) {
    const found = told.slice(from).find(find);
    if (found) return found;
    from = told.length;
    const left = until - Date.now();
    if (left <= 0) return undefined;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function measured(pid: number) {
  const kb = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  const fds = readdirSync(`/proc/${pid}/fd`);
  const watches = fds.reduce((sum, fd) => {
    try {
      return sum + readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8').split('inotify wd:').length - 1;
    } catch {
      return sum;
    }
  }, 0);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // Fields 14 and 15, in ticks of a hundredth of a second (proc(5)).
  const cpuMs = (Number(stat[11]) + Number(stat[12])) * 10;
  return { rssMb: Math.round(kb('VmRSS') / 1024), handles: fds.length, watches, cpuMs };
}

const child = watch();
const pid = child.pid ?? 0;
const failures: string[] = [];
try {
  if (!(await waitFor(({ event }) => event === 'assembled'))) throw new Error('it did not begin');
  let begin = measured(pid);
  const quarters: number[] = [];
  let peak = 0;
  let slowest = 0;
  let bursts = 0;
  for (let done = 0; done < events; bursts += 1) {
    const size = Math.min(1 + upTo(12), events - done);
    let changed = 0;
    for (let k = 0; k < size; k += 1) {
      ACTS[upTo(ACTS.length)]?.();
      changed = Date.now();
      if (random() < 0.3) await sleep(upTo(60));
    }
    done += size;
    const run = await waitFor(
      ({ event, at, ms }) => event === 'assembled' && Date.parse(at) - ms >= changed - 5,
    );
    if (run) slowest = Math.max(slowest, Date.parse(run.at) - changed);
    else failures.push(`after ${done} events no run came within ${WITHIN_MS} ms of the last change`);
    const now = measured(pid);
    peak = Math.max(peak, now.rssMb);
    if (done >= (quarters.length + 1) * (events / 4)) quarters.push(now.rssMb);
    // The first tenth warms up the caches.
    if (done < events / 10) begin = now;
    if (random() < 0.2) await sleep(upTo(500));
  }
  const end = measured(pid);
  await sleep(3000);
  const before = measured(pid);
  const runs = told.length;
  await sleep(idleSeconds * 1000);
  const idle = measured(pid).cpuMs - before.cpuMs;
  if (told.length > runs) failures.push(`${told.length - runs} events were told while nothing happened`);
  for (const { event, ...rest } of told) {
    if (event === 'failed' || event === 'problem') failures.push(`${event}: ${JSON.stringify(rest)}`);
  }
  if (end.handles > begin.handles + 2) failures.push(`handles grew from ${begin.handles} to ${end.handles}`);
  child.kill('SIGTERM');
  const ended = await waitFor(({ event }) => event === 'ended');
  if (!ended) failures.push('it did not end at SIGTERM');
  report(
    'watch',
    {
      files,
      events,
      bursts,
      runs: told.filter(({ event }) => event === 'assembled').length,
      'slowest ms to the end of the run after the last change': slowest,
      'MB after a tenth': begin.rssMb,
      'at each quarter': quarters.join(' '),
      'at most': peak,
      handles: `${begin.handles} to ${end.handles}`,
      watches: `${begin.watches} to ${end.watches}`,
      [`CPU ms in ${idleSeconds} idle s`]: idle,
    },
    failures,
  );
} finally {
  child.kill('SIGKILL');
  removeAll();
}
