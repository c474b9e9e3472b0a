/**
 * Load tests of a shared store on a PostgreSQL server of its own on 127.0.0.1:
 *
 *   npm run load -- [parts=agents,fresh] [agents=1000] [seconds=30] [listeners=16]
 *
 * Needs the built package (`npm run build`) and PostgreSQL's programs. It ends everything
 * that it starts.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { loadConfig } from '../../src/config/load.ts';
import { openScratchpad } from '../../src/index.ts';
import { Connection } from '../../src/shared-store/connection.ts';
import { follow, requireExchange } from '../../src/shared-store/index.ts';
import { readAddress } from '../../src/shared-store/settings.ts';
import { startPostgres, type TestServer } from '../../test/helpers/postgres.ts';
import { computeQuantile } from '../evaluate/stats.ts';
import { openLine } from './line.ts';

const HERE = import.meta.dirname;
const PROGRAM = join(HERE, '../../bin/scratchpad.js');
const parts = (process.argv[2] ?? 'agents,fresh').split(',');
const AGENTS = Number(process.argv[3] ?? 1000);
const SECONDS = Number(process.argv[4] ?? 30);
const PROCESSES = 8;
const LISTENERS = Number(process.argv[5] ?? 16);

const started = new Set<ChildProcess>();
const startAgents = (task: object): ChildProcess => {
  const options = { execArgv: ['--import', 'tsx'] };
  const running = fork(join(HERE, 'agents.ts'), [JSON.stringify(task)], options);
  started.add(running);
  running.once('exit', () => started.delete(running));
  return running;
};
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const formatMs = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const kill = async (running: ChildProcess): Promise<void> => {
  const gone = once(running, 'exit');
  running.kill('SIGKILL');
  if (started.has(running)) await gone;
};

function connect(url: string): Connection {
  const address = readAddress(url, {}, { isStored: false });
  return new Connection({ address, password: async () => undefined, timeoutMs: 5000 });
}

interface Place {
  workspace: string;
  home: string;
}

/** A working copy with a home of its own. */
function describeMachine(place: string, name: string, workspace: string): Place {
  const root = join(place, name, 'work');
  const home = join(place, name, 'home');
  mkdirSync(join(root, '.scratchpad'), { recursive: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(root, '.scratchpad/config.yaml'), `shared:\n  workspace: ${workspace}\n`);
  return { workspace: root, home };
}

/** Not with a synchronous call: the proxy to the server runs in this process. */
const runProgram = async (words: string[], store: string, { workspace, home }: Place): Promise<void> => {
  await execa(process.execPath, [PROGRAM, ...words, '--workspace', workspace], {
    env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), SCRATCHPAD_STORE: store },
    timeout: 120_000,
  });
};

/** Many agents on two machines, while processes and the server are killed and the connection is cut, slow or silent. */
async function runAgents(server: TestServer, place: string): Promise<void> {
  const proxy = await openLine(server.port);
  const store = `postgres://agents@127.0.0.1:${proxy.port}/scratchpad`;
  const machines = ['one', 'two'].map((name) => describeMachine(place, name, 'load'));
  const lives = new Map<number, number>();
  const logs: string[] = [];
  const running: ChildProcess[] = [];
  const begin = (slot: number): void => {
    const life = (lives.get(slot) ?? -1) + 1;
    lives.set(slot, life);
    const acknowledged = join(place, `acknowledged-${slot}-${life}`);
    logs.push(acknowledged);
    writeFileSync(acknowledged, '');
    const mine = Array.from({ length: AGENTS }, (_, k) => k).filter((k) => k % PROCESSES === slot);
    const at = machines[slot % 2] as Place;
    const task = { ...at, store, acknowledged, life, pauseMs: 5, agents: mine.map((k) => `agent-${k}`) };
    running[slot] = startAgents(task);
  };
  const readers = startReading(server);
  for (let slot = 0; slot < PROCESSES; slot += 1) begin(slot);
  // A busy machine needs time to start them.
  while (logs.some((log) => statSync(log).size === 0)) await sleep(200);
  const end = Date.now() + SECONDS * 1000;
  const restartServer = async (): Promise<void> => {
    const slot = Math.floor(Math.random() * PROCESSES);
    await kill(running[slot] as ChildProcess);
    begin(slot);
  };
  const faults: [name: string, act: () => Promise<void>][] = [
    ['agent processes killed', restartServer],
    ['lines cut', async () => proxy.cut()],
    ['slow phases', () => proxy.during({ delayMs: 100 }, 1500)],
    ['agent processes killed', restartServer],
    [
      'server killed',
      () =>
        server
          .kill()
          .then(() => sleep(500))
          .then(server.start),
    ],
    ['silent phases', () => proxy.during({ silent: true }, 1500).then(() => proxy.cut())],
  ];
  const counts = new Map<string, number>();
  for (let step = 0; Date.now() < end; step += 1) {
    await sleep(1500);
    const [name, act] = faults[step % faults.length] ?? ['', restartServer];
    await act();
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  await Promise.all(running.map(kill));
  const quiet = Date.now();
  const acknowledged = logs.flatMap((log) => readFileSync(log, 'utf8').trim().split('\n').filter(Boolean));
  for (let round = 0; round < 3; round += 1)
    for (const at of machines) await runProgram(['store', 'pull', '--all', '--json'], store, at);
  const took = Date.now() - quiet;
  const countLines = async (session: string, { workspace, home }: Place): Promise<Set<string>> =>
    new Set(
      (await (await openScratchpad({ workspace, session, env: { HOME: home } })).notes.read()).split('\n'),
    );
  const db = connect(server.url('agents'));
  const rows = await db.query<{ session: string; notes: string }>(
    'SELECT session, notes FROM scratchpad.pad',
  );
  const stored = new Map(rows.map(({ session, notes }) => [session, notes.split('\n')]));
  const pads = new Map<string, Set<string>[]>();
  let lost = 0;
  let different = 0;
  for (const row of acknowledged) {
    const [session = '', line = ''] = row.split('\t');
    const both = pads.get(session) ?? (await Promise.all(machines.map((at) => countLines(session, at))));
    pads.set(session, both);
    if (!stored.get(session)?.includes(line)) lost += 1;
    if (!both.every((pad) => pad.has(line))) different += 1;
  }
  const twice = [...stored.values()].filter((lines) => new Set(lines).size < lines.length).length;
  const { missed, read, foreign, looks } = await readers.end(db);
  db.close();
  proxy.close();
  print(`agents: ${AGENTS} in ${PROCESSES} processes on 2 machines, ${SECONDS} s`);
  print(`  ${[...counts].map(([name, count]) => `${name} ${count}`).join(' · ')}`);
  print(
    `  acknowledged ${acknowledged.length} · lost ${lost} · not on both machines ${different} · twice ${twice} · in step after ${formatMs(took)}`,
  );
  print(
    `  a reader's rows ${read} · missed ${missed} · looks of another tenant ${looks} · rows it saw ${foreign}`,
  );
}

interface Row {
  session: string;
  revision: number;
}

/** A reader that follows the journal of every pad by revision, and one of another tenant that reads every table. */
function startReading(server: TestServer) {
  let stop = false;
  let foreign = 0;
  let looks = 0;
  const seen = new Map<string, number[]>();
  const follow = async (db: Connection): Promise<void> => {
    const pads = await db.query<Row>('SELECT session, revision::float8 FROM scratchpad.pad');
    for (const { session, revision } of pads) {
      const mine = seen.get(session) ?? [];
      seen.set(session, mine);
      if (revision === mine.at(-1)) continue;
      const rows = await db.query<Row>(
        'SELECT revision::float8 FROM scratchpad.journal WHERE session = $1 AND revision > $2 ORDER BY revision',
        [session, mine.at(-1) ?? 0],
      );
      mine.push(...rows.map((row) => row.revision));
    }
  };
  const listenAsSpy = async (db: Connection): Promise<void> => {
    for (const table of ['workspace', 'pad', 'journal']) {
      foreign += (await db.query(`SELECT 1 FROM scratchpad.${table}`)).length;
      looks += 1;
    }
  };
  const runLoop = async (role: string, work: (db: Connection) => Promise<void>): Promise<void> => {
    const db = connect(server.url(role));
    while (!stop) {
      await work(db).catch(() => undefined);
      await sleep(500);
    }
    db.close();
  };
  const loops = [runLoop('agents', follow), runLoop('eve', listenAsSpy)];
  return {
    async end(db: Connection) {
      stop = true;
      await Promise.all(loops);
      await follow(db);
      const all = await db.query<Row>('SELECT session, revision::float8 FROM scratchpad.journal');
      const missed = all.filter(({ session, revision }) => !seen.get(session)?.includes(revision)).length;
      return { missed, foreign, looks, read: [...seen.values()].flat().length };
    },
  };
}

/** The time from an acknowledged append until listeners have it in their working copies. */
async function measureFreshness(server: TestServer, place: string): Promise<void> {
  const store = server.url('agents');
  // In reality each listener has a disk of its own; here they would share one.
  const disk = mkdtempSync(join('/dev/shm', 'scratchpad-load-'));
  const writer = describeMachine(place, 'writer', 'fresh');
  const pad = await openScratchpad({
    workspace: writer.workspace,
    env: { HOME: writer.home, SCRATCHPAD_STORE: store },
  });
  const acknowledged = new Map<string, number>();
  const took: number[] = [];
  const end = new AbortController();
  const listening = Array.from({ length: LISTENERS }, async (_, k) => {
    const { workspace: root, home } = describeMachine(disk, String(k), 'fresh');
    const env = { HOME: home, SCRATCHPAD_STORE: store };
    const { config } = await loadConfig(root, env);
    const seen = new Set<string>();
    const countExchange = (): void => {
      for (const line of readFileSync(join(root, 'SCRATCHPAD.md'), 'utf8').split('\n')) {
        const at = acknowledged.get(line);
        if (at === undefined || seen.has(line)) continue;
        took.push(Date.now() - at);
        seen.add(line);
      }
    };
    const exchange = requireExchange({ root, config, env });
    await follow({
      exchange,
      listens: true,
      onExchange: countExchange,
      onProblem: console.error,
      signal: end.signal,
    });
  });
  await sleep(5000);
  for (let k = 1; k <= SECONDS; k += 1) {
    await pad.notes.append(`line ${k}`);
    acknowledged.set(`line ${k}`, Date.now());
    await sleep(1000);
  }
  await sleep(5000);
  end.abort();
  await Promise.all(listening);
  rmSync(disk, { recursive: true, force: true });
  print(`fresh: ${LISTENERS} listeners; ${SECONDS} appends, one a second`);
  print(
    `  ${took.length} of ${SECONDS * LISTENERS} heard · p50 ${formatMs(computeQuantile(took, 0.5))} · p95 ${formatMs(computeQuantile(took, 0.95))} · at most ${formatMs(Math.max(...took))}`,
  );
}

const place = mkdtempSync(join(tmpdir(), 'scratchpad-load-'));
const server = await startPostgres({ settings: { max_connections: '400' } });
try {
  server.sql(
    'CREATE ROLE owner LOGIN',
    'GRANT CREATE ON DATABASE scratchpad TO owner',
    'CREATE ROLE agents LOGIN',
    'CREATE ROLE eve LOGIN',
  );
  const setup = describeMachine(place, 'setup', 'setup');
  await runProgram(['store', 'migrate', '--grant', 'agents'], server.url('owner'), setup);
  await runProgram(['store', 'migrate', '--grant', 'eve', '--tenant', 'other'], server.url('owner'), setup);
  print(
    `node ${process.version}, ${availableParallelism()} cores, load average ${loadavg()
      .map((each) => each.toFixed(0))
      .join(' ')}`,
  );
  if (parts.includes('agents')) await runAgents(server, place);
  if (parts.includes('fresh')) await measureFreshness(server, place);
} finally {
  for (const running of started) running.kill('SIGKILL');
  await server.stop();
  rmSync(place, { recursive: true, force: true });
}
