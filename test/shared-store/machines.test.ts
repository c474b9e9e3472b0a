import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScratchpad } from '../../src/index.ts';
import { findPostgres, freePort, noPostgres, startPostgres, type TestServer } from '../helpers/postgres.ts';
import { type CliResult, minimalEnv, runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const there = findPostgres() !== undefined;
if (!there) console.error(noPostgres());

const PACKAGE = join(import.meta.dirname, '../..');

/** A working copy and a home of its own. */
class Machine {
  readonly dir: string;
  readonly #env: Record<string, string>;
  readonly #run: typeof runCli;

  /** @param wait milliseconds that hooks wait for the store @param run in processes of their own, where time matters */
  constructor(name: string, store: string, { wait = 20_000, env = {}, run = runWarm } = {}) {
    this.#run = run;
    const settings = `shared:\n  wait: ${wait}\nhook:\n  deadline: 60s\n`;
    const place = testDir({
      'home/.config/scratchpad/config.yaml': settings,
      'work/.scratchpad/config.yaml': `shared:\n  workspace: ${name}\n`,
    });
    this.dir = join(place, 'work');
    const home = join(place, 'home');
    this.#env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), SCRATCHPAD_STORE: store, ...env };
  }

  run(...args: string[]): Promise<CliResult> {
    return this.#run(args, { cwd: this.dir, env: this.#env });
  }

  /** The same in the session of a host. */
  as(session: string, ...args: string[]): Promise<CliResult> {
    const env = { ...this.#env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session };
    return runWarm(args, { cwd: this.dir, env });
  }

  async ok(...args: string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await this.run(...args);
    expect(exitCode, stderr).toBe(0);
    return stdout;
  }

  async prompt(program?: string): Promise<string> {
    const input = JSON.stringify({ session_id: 's1', cwd: this.dir, prompt: 'go on' });
    const args = ['hook', 'claude-code', 'UserPromptSubmit'];
    const options = { cwd: this.dir, input, env: this.#env };
    const { stdout, stderr, exitCode } = await (program === undefined
      ? runWarm(args, options)
      : runCli(args, { ...options, program }));
    expect([stderr, exitCode]).toEqual(['', 0]);
    const answer = JSON.parse(stdout || '{}') as { hookSpecificOutput?: { additionalContext?: string } };
    return answer.hookSpecificOutput?.additionalContext ?? '';
  }

  /** Runs until it is ended. */
  start(...args: string[]) {
    return execa(process.execPath, [join(PACKAGE, 'bin/scratchpad.js'), ...args], {
      cwd: this.dir,
      env: { ...minimalEnv(), ...this.#env },
      extendEnv: false,
      reject: false,
    });
  }

  pad(): string {
    const path = join(this.dir, 'SCRATCHPAD.md');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** Waits until the worker behind the commands has sent everything. */
  async sent(): Promise<void> {
    await expect
      .poll(() => this.ok('store', 'status', '--json'), { timeout: 20_000 })
      .toContain('"unsent": false');
  }

  /** Every byte of the workspace's data, for looking for what must not be in it. */
  data(): string {
    const folder = join(this.dir, '.scratchpad');
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n');
  }
}

describe.runIf(there)('two machines with a shared store', () => {
  let server: TestServer;
  let store: string;
  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: 'off' } });
    server.sql(
      'CREATE ROLE owner LOGIN',
      'GRANT CREATE ON DATABASE scratchpad TO owner',
      'CREATE ROLE agents LOGIN',
    );
    const owner = new Machine('setup', server.url('owner'));
    expect(await owner.ok('store', 'migrate', '--grant', 'agents')).toContain('agents may use it');
    store = server.url('agents');
  });
  afterAll(() => server?.stop());

  test('the plan of a session or a branch goes to the other machine with its key', async () => {
    const [one, two] = [new Machine('keys', store), new Machine('keys', store)];
    await one.as('s-one', 'plan', 'set', '1. Migrate the db\n2. Check it');
    await one.as('s-two', 'plan', 'set', '1. Write the docs');
    await one.ok('store', 'push');
    await two.ok('store', 'join');
    expect((await two.as('s-one', 'plan', 'show')).stdout).toBe('1. Migrate the db\n2. Check it\n');
    expect((await two.as('s-two', 'plan', 'show')).stdout).toBe('1. Write the docs\n');
    await two.as('s-one', 'plan', 'done', '1');
    await two.ok('store', 'push');
    await one.ok('store', 'pull');
    expect((await one.as('s-one', 'plan', 'show')).stdout).toBe('1. ~~Migrate the db~~ DONE\n2. Check it\n');
    expect((await one.as('s-two', 'plan', 'show')).stdout).toBe('1. Write the docs\n');
    // No session of that name is made of a plan.
    expect(await two.ok('session', 'list')).not.toContain('plan~');
  });

  test('a hook tells the model what the other machine wrote, and no command had to be called', async () => {
    const [a, b] = [new Machine('hooks', store), new Machine('hooks', store)];
    await a.ok('notes', 'append', 'root cause: timezone');
    await a.ok('notes', 'append', 'of a session', '--session', 's1', '--init');
    await a.ok('store', 'push');
    expect(await b.prompt()).toContain('root cause: timezone');
    // A session that is not here is taken in when a person asks for it.
    expect((await b.run('notes', 'show', '--session', 's1')).stdout).not.toContain('of a session');
    expect(await b.ok('notes', 'show')).toBe('root cause: timezone\n');
  });

  test('both write while they are offline: the same bytes on both, and conflicts are told and kept', async () => {
    const own = { run: runCli };
    const [a, b] = [new Machine('offline', store, own), new Machine('offline', store, own)];
    await a.ok('notes', 'append', 'port: 80');
    await a.ok('store', 'push');
    await b.ok('store', 'pull');
    await server.kill();
    for (const [machine, name, port] of [
      [a, 'a', 8080],
      [b, 'b', 443],
    ] as const) {
      await machine.ok('notes', 'set', `port: ${port}\n${name} was here`);
      await machine.ok('refs', 'add', `${name}.ts`);
    }
    const status = JSON.parse(await a.ok('store', 'status', '--json')) as Record<string, unknown>;
    expect(status).toMatchObject({ reachable: false, unsent: true });
    await server.start();
    await a.ok('store', 'push');
    const merged = await b.run('store', 'push');
    expect(merged.stderr).toContain('both versions are kept in .scratchpad/conflicts/');
    await a.ok('store', 'pull');
    const pads = [a, b].map(({ dir }) =>
      readFileSync(join(dir, 'SCRATCHPAD.md'), 'utf8').replace(/^(?:updated|revision):.*$/gm, ''),
    );
    expect(pads[0]).toBe(pads[1]);
    expect(await a.ok('refs', 'list')).toBe('a.ts\nb.ts\n');
    for (const machine of [a, b])
      for (const line of ['port: 8080', 'port: 443', 'a was here', 'b was here'])
        expect(machine.data()).toContain(line);
  });

  test('a conflict that was settled behind a command is told by the next one, once', async () => {
    const [a, b] = [new Machine('behind', store), new Machine('behind', store)];
    await a.ok('notes', 'set', 'port: 80');
    await a.ok('store', 'push');
    await b.ok('store', 'pull');
    await a.ok('notes', 'set', 'port: 8080');
    await a.ok('store', 'push');
    await b.ok('notes', 'set', 'port: 443');
    await b.sent();
    // The remark is written last.
    await expect
      .poll(async () => (await b.run('notes', 'show')).stderr, { timeout: 20_000 })
      .toContain('both versions are kept');
    expect((await b.run('notes', 'show')).stderr).not.toContain('both versions are kept');
  });

  test('watch takes in what others write, also after the server was away', async () => {
    const [a, b] = [new Machine('watched', store), new Machine('watched', store)];
    await a.ok('notes', 'append', 'before');
    const watching = b.start('watch', '--json');
    try {
      await expect.poll(() => b.pad(), { timeout: 20_000 }).toContain('before');
      await a.ok('notes', 'append', 'while it runs');
      await expect.poll(() => b.pad(), { timeout: 20_000 }).toContain('while it runs');
      await server.kill();
      await a.ok('notes', 'append', 'while the server is away');
      await server.start();
      await a.ok('store', 'push');
      // On a busy machine the server is away for long, and the pauses between tries have grown to half a minute.
      await expect.poll(() => b.pad(), { timeout: 120_000 }).toContain('while the server is away');
    } finally {
      watching.kill('SIGTERM');
    }
    const { stdout, exitCode } = await watching;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('"event":"shared"');
  }, 240_000);

  test('the library sends by itself, and takes in when it is asked to', async () => {
    const [a, b] = [new Machine('library', store), new Machine('library', store)];
    const open = ({ dir }: Machine) =>
      openScratchpad({
        workspace: dir,
        env: {
          HOME: join(dir, '../home'),
          XDG_STATE_HOME: process.env.XDG_STATE_HOME,
          SCRATCHPAD_STORE: store,
        },
      });
    const [ours, theirs] = [await open(a), await open(b)];
    await ours.notes.append('written by a program');
    await expect.poll(() => theirs.sync(), { timeout: 20_000 }).toMatchObject({ received: 1 });
    expect((await theirs.notes.read()).trim()).toBe('written by a program');
    await expect((await openScratchpad({ workspace: a.dir, env: {} })).sync()).rejects.toThrow(
      'no shared store',
    );
  });

  test('a bad row of a member is left out and named, and the rest goes on', async () => {
    const [a, b] = [new Machine('bad', store), new Machine('bad', store)];
    await a.ok('notes', 'add', 'for main');
    await a.ok('notes', 'add', 'for s', '--session', 's', '--init');
    await a.ok('notes', 'add', 'for z', '--session', 'z', '--init');
    await a.ok('store', 'push');
    const workspace = `(SELECT id FROM scratchpad.workspace WHERE identity LIKE '%bad%')`;
    server.sql(
      `INSERT INTO scratchpad.pad SELECT tenant, workspace, E'a\\tb', 1, 'x', '', '', now(), 'infinity'
         FROM scratchpad.pad WHERE workspace = ${workspace} AND session = 's'`,
      `UPDATE scratchpad.pad SET revision = 9223372036854775807 WHERE workspace = ${workspace} AND session = 's'`,
      `UPDATE scratchpad.journal SET actor = '{no json' WHERE workspace = ${workspace} AND session = 'z'`,
      `INSERT INTO scratchpad.pad SELECT tenant, workspace, 'large', 1, repeat('x', 3000000), '', '', now(), now()
         FROM scratchpad.pad WHERE workspace = ${workspace} AND session = 'z'`,
    );
    const { exitCode, stdout, stderr } = await b.run('store', 'pull', '--all');
    expect([exitCode, stdout, stderr]).toEqual([0, expect.anything(), expect.anything()]);
    for (const name of ['"a\\tb"', '"s"', '"large"']) expect(stderr).toContain(name);
    expect(await b.ok('notes', 'show', '--session', 'z')).toBe('for z\n');
    await b.ok('notes', 'add', 'goes on');
    await b.ok('store', 'push');
    await a.ok('store', 'pull');
    expect(await a.ok('notes', 'show')).toContain('goes on');
  });

  test('a secret stays here', async () => {
    const [a, b] = [new Machine('secret', store), new Machine('secret', store)];
    const secret = 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';
    await a.ok('notes', 'append', `the token is ${secret}`);
    await a.ok('plan', 'set', `1. use ${secret}`);
    await a.ok('refs', 'add', `https://x:${secret}@example.com`);
    await a.ok('store', 'push');
    await b.ok('store', 'pull');
    expect(await a.ok('notes', 'show')).toContain(secret);
    expect(await b.ok('notes', 'show')).toContain('the token is');
    expect(b.data() + b.pad()).not.toContain(secret);
  });
});

test('without a shared store none of its code is read', async () => {
  const copy = testDir();
  for (const part of ['bin', 'dist', 'templates', 'package.json'])
    cpSync(join(PACKAGE, part), join(copy, part), { recursive: true });
  const code = join(copy, 'dist/cli');
  for (const name of readdirSync(code)) if (name.startsWith('shared-store.')) rmSync(join(code, name));
  const program = join(copy, 'bin/scratchpad.js');
  const machine = new Machine('none', '');
  const options = { cwd: machine.dir, program };
  expect(await runCli(['notes', 'append', 'local'], options)).toMatchObject({ exitCode: 0 });
  expect(await machine.prompt(program)).toContain('local');
});

describe('a server that does not answer', () => {
  let silent: Server;
  let asked = 0;
  let store: string;
  beforeAll(async () => {
    const port = await freePort();
    silent = createServer(() => {
      asked += 1;
    });
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
    store = `postgres://agents@127.0.0.1:${port}/scratchpad`;
  });
  afterAll(() => silent.close());

  test('is waited for by one hook; the next ones serve the local copy without asking', async () => {
    const machine = new Machine('silent', store, { wait: 50 });
    await machine.ok('notes', 'append', 'local');
    asked = 0;
    for (let k = 0; k < 4; k += 1) await machine.prompt();
    // One connection of the first hook, one of the worker that finds out behind it.
    expect(asked).toBeLessThanOrEqual(2);
    expect(await machine.ok('notes', 'show')).toBe('local\n');
    expect(JSON.parse(await machine.ok('store', 'status', '--json', '--offline'))).toMatchObject({
      unsent: true,
    });
  });

  test('is not blamed for a refusal of this machine', async () => {
    const machine = new Machine('nameless', store, { wait: 50 });
    writeFileSync(join(machine.dir, '.scratchpad/config.yaml'), '');
    await machine.ok('notes', 'append', 'local');
    expect((await machine.run('store', 'pull')).stderr).toContain('could not recognise this workspace');
    await machine.prompt();
    expect(existsSync(join(machine.dir, '.scratchpad/shared/circuit.json'))).toBe(false);
  });

  test('the password is in no message, no file and on no command line', async () => {
    const nobody = `postgres://agents:pw-Zq81x@127.0.0.1:${await freePort()}/scratchpad`;
    const machine = new Machine('password', nobody, {
      env: { PGPASSWORD: 'pw-Env77y' },
    });
    const { stdout, stderr, exitCode } = await machine.run('store', 'push');
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('cannot be reached');
    expect(stdout + stderr + machine.data()).not.toMatch(/pw-/);
    const kept = new Machine('kept', '');
    const { HOME = '' } = minimalEnv();
    mkdirSync(HOME, { recursive: true });
    writeFileSync(join(kept.dir, '.scratchpad/config.yaml'), `store: postgres://a:pw-Kept@127.0.0.1/x\n`);
    const refused = await kept.run('store', 'status');
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stdout + refused.stderr).not.toContain('pw-Kept');
  });
});
