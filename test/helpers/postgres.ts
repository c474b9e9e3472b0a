import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * A PostgreSQL server of one's own, from the programs of the machine: on PATH, where Debian has them, or in the folder
 * that SCRATCHPAD_TEST_POSTGRES names. It listens on 127.0.0.1 alone and is gone when it is stopped.
 */
export interface TestServer {
  port: number;
  /** An address for a role; with a password unless `trust`. */
  url(role: string, database?: string): string;
  /** Runs statements as the superuser. */
  sql(...statements: string[]): void;
  /** Ends the server at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again on the same data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Settings, as in postgresql.conf. */
  settings?: Readonly<Record<string, string>>;
  /** Files in its data folder, readable for the server alone. */
  files?: Readonly<Record<string, string>>;
}

const DATABASE = 'scratchpad';

/** Where the programs of a PostgreSQL server are; `undefined` when this machine has none. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    process.env.SCRATCHPAD_TEST_POSTGRES ?? '',
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  return folders.find(
    (folder) =>
      folder !== '' && ['initdb', 'postgres', 'psql'].every((name) => existsSync(join(folder, name))),
  );
}

/** Said once where tests that need a server cannot run. */
export function noPostgres(): string {
  return 'NOT RUN: no PostgreSQL on this machine (apt-get install postgresql, or name it: SCRATCHPAD_TEST_POSTGRES)';
}

/** @throws Error when there is no PostgreSQL, or it does not start */
export async function startPostgres({ settings = {}, files = {} }: ServerOptions = {}): Promise<TestServer> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error(noPostgres());
  const dir = mkdtempSync(join(tmpdir(), 'scratchpad-pg-'));
  // The server refuses to run as root.
  const user = process.getuid?.() === 0 ? userFor() : undefined;
  if (user) chownSync(dir, user.uid, user.gid);
  const data = join(dir, 'data');
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };
  const as = { env, cwd: dir, ...user };
  execFileSync('cp', ['-a', madeOnce(bin, dir, as), data], as);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (user) chownSync(join(data, name), user.uid, user.gid);
  }
  const port = await freePort();
  const flags = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: dir,
    port: String(port),
    max_connections: '300',
    shared_buffers: '64MB',
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ChildProcess | undefined;
  const psql = (database: string, statements: readonly string[]): void => {
    const commands = statements.flatMap((statement) => ['-c', statement]);
    const words = [
      '-X',
      '-q',
      '-v',
      'ON_ERROR_STOP=1',
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      'postgres',
    ];
    execFileSync(join(bin, 'psql'), [...words, '-d', database, ...commands], { ...as, stdio: 'pipe' });
  };
  const start = async (): Promise<void> => {
    for (let look = 0; ; look += 1) {
      // While it was stopped, another program's connection may have its port for a moment.
      if (server === undefined || server.exitCode !== null)
        server = spawn(join(bin, 'postgres'), ['-D', data, ...flags], { ...as, stdio: 'ignore' });
      try {
        psql('postgres', ['SELECT 1']);
        return;
      } catch (error) {
        if (look === 200) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = server;
    server = undefined;
    if (ending?.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill(signal);
    await ended;
  };
  await start();
  psql('postgres', [`CREATE DATABASE ${DATABASE}`]);
  return {
    port,
    url: (role, database = DATABASE) => `postgres://${role}@127.0.0.1:${port}/${database}`,
    sql: (...statements) => psql(DATABASE, statements),
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      await end('SIGINT');
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** An empty database folder, which is kept: making one takes a second of processor time. @returns its path */
function madeOnce(bin: string, dir: string, as: object): string {
  const version = statSync(join(bin, 'postgres')).mtimeMs;
  const kept = join(tmpdir(), `scratchpad-test-pg-${process.getuid?.()}-${version}`);
  if (existsSync(join(kept, 'PG_VERSION'))) return kept;
  const made = join(dir, 'made');
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N'];
  execFileSync(join(bin, 'initdb'), ['-D', made, ...options], { ...as, stdio: 'ignore' });
  try {
    renameSync(made, kept);
  } catch {
    // Another test process was quicker.
  }
  return existsSync(made) ? made : kept;
}

function userFor(): { uid: number; gid: number } {
  const ids = (name: string) => ({
    uid: Number(execFileSync('id', ['-u', name], { stdio: 'pipe' })),
    gid: Number(execFileSync('id', ['-g', name], { stdio: 'pipe' })),
  });
  try {
    return ids('postgres');
  } catch {
    return ids('nobody');
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
