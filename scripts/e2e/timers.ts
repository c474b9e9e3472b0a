/**
 * The timers with the real programs of this machine: crontab, systemd-analyze, a plist reader, and OpenClaw's
 * gateway. Missing programs are skipped with a message.
 *
 *   npx tsx scripts/e2e/timers.ts [FOLDER]
 *
 * FOLDER has `npm i node@24 openclaw` in it. The crontab of the current user is always restored byte for byte. No
 * system daemon is started or contacted. Build first.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const BIN = join(import.meta.dirname, '../../bin/scratchpad.js');
const PORT = 18_789 + (process.pid % 1000);
const folder = process.argv[2];
const home = mkdtempSync(join(tmpdir(), 'scratchpad-e2e-timers-'));
const workspace = join(home, 'we ird %d $x \'q\' "z" \\b <&>');
mkdirSync(join(workspace, 'memory'), { recursive: true });
const env: NodeJS.ProcessEnv = {
  PATH: [join(home, 'bin'), process.env.PATH].join(delimiter),
  HOME: home,
  XDG_RUNTIME_DIR: home,
  NO_COLOR: '1',
};

let failed = 0;
function check(what: string, ok: boolean, detail: unknown = ''): void {
  if (!ok) failed += 1;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}${ok ? '' : `: ${String(detail)}`}`);
}

function run(program: string, args: readonly string[], input?: Uint8Array) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: workspace, env, input: input ?? '' });
  return { code: status, stdout: stdout ?? Buffer.alloc(0), said: `${stdout}${stderr}` };
}
const scratchpad = (...args: string[]) => run(process.execPath, [BIN, ...args]);
const has = (program: string): boolean => run('sh', ['-c', `command -v ${program}`]).code === 0;

function crontab(): void {
  if (!has('crontab')) {
    console.log('--   crontab is not here');
    return;
  }
  const theirs = run('crontab', ['-l']);
  try {
    for (const before of ['', '# mine\n0 5 * * 1\ttar c /home # 100\\%\n']) {
      if (before === '') run('crontab', ['-r']);
      else run('crontab', ['-'], Buffer.from(before));
      const done = scratchpad('install', 'cron', '--every', '5m', '--yes');
      const now = run('crontab', ['-l']).stdout.toString();
      check('crontab takes the block', now.startsWith(`${before}# >>> scratchpad-`), done.said + now);
      const gone = scratchpad('uninstall', 'cron', '--yes');
      check('and has its bytes back', run('crontab', ['-l']).stdout.toString() === before, gone.said);
    }
  } finally {
    if (theirs.code === 0) run('crontab', ['-'], theirs.stdout);
    else run('crontab', ['-r']);
  }
}

function dryRun(kind: string, ...args: string[]): { path: string; after: string }[] {
  const { stdout } = scratchpad('install', kind, '--dry-run', '--json', ...args);
  return (JSON.parse(stdout.toString()) as { files: { path: string; after: string }[] }).files;
}

function systemd(): void {
  if (!has('systemd-analyze')) {
    console.log('--   systemd-analyze is not here');
    return;
  }
  for (const every of ['1m', '10m', '1h', '6h', '24h']) {
    const dir = join(home, every);
    mkdirSync(dir);
    const paths = dryRun('systemd', '--every', every).map(({ path, after }) => {
      const copy = join(dir, path.split('/').pop() ?? '');
      writeFileSync(copy, after);
      return copy;
    });
    // It exits with 0 even if it ignores lines, so its messages count.
    const { code, said } = run('systemd-analyze', ['--user', 'verify', ...paths]);
    check(`systemd-analyze has nothing to say of every ${every}`, code === 0 && said === '', said);
  }
}

function launchd(): void {
  if (!has('python3')) {
    console.log('--   python3, which reads plists, is not here');
    return;
  }
  const [agent] = dryRun('launchd', '--active-hours', '7-23');
  const read = 'import json,plistlib,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const { stdout, said } = run('python3', ['-c', read], Buffer.from(agent?.after ?? ''));
  const plist = JSON.parse(stdout.toString() || '{}') as {
    ProgramArguments?: string[];
    StartInterval?: number;
  };
  const at = plist.ProgramArguments?.indexOf('--workspace') ?? -1;
  check('plistlib reads the workspace', plist.ProgramArguments?.[at + 1] === workspace, said);
  check('and the span', plist.StartInterval === 600, said);
}

async function openClaw(dir: string): Promise<void> {
  const modules = join(dir, 'node_modules');
  mkdirSync(join(home, 'bin'));
  const program = join(home, 'bin/openclaw');
  writeFileSync(
    program,
    `#!/bin/sh\nexec "${modules}/node/bin/node" "${modules}/openclaw/openclaw.mjs" "$@"\n`,
  );
  chmodSync(program, 0o755);
  const gateway = { mode: 'local', bind: 'loopback', port: PORT, auth: { mode: 'token', token: 'dummy' } };
  mkdirSync(join(home, '.openclaw'));
  writeFileSync(
    join(home, '.openclaw/openclaw.json'),
    JSON.stringify({ gateway, agents: { defaults: { workspace, skipBootstrap: true } } }),
  );
  const child = spawn(program, ['gateway', 'run'], {
    cwd: workspace,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    check('the gateway is up', await ready(child));
    const done = scratchpad('install', 'openclaw-automation', '--every', '20m', '--yes');
    check('install openclaw-automation', done.code === 0, done.said);
    const again = scratchpad('install', 'openclaw-automation', '--every', '20m', '--yes');
    check('twice is once', again.said.includes('installed already'), again.said);
    scratchpad(
      'install',
      'openclaw-automation',
      '--cron',
      '*/30 7-22 * * *',
      '--timezone',
      'Asia/Kolkata',
      '--yes',
    );
    const ours = jobs().filter(({ name }) => name.startsWith('scratchpad-'));
    check(
      'changed in place',
      ours.length === 1 && ours[0]?.schedule.expr === '*/30 7-22 * * *',
      JSON.stringify(ours),
    );
    const id = ours[0]?.id ?? '';
    run('openclaw', ['automations', 'run', id]);
    let told = '';
    for (let look = 0; look < 20 && !told.includes('"finished"'); look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      told = run('openclaw', ['automations', 'runs', '--id', id]).said;
    }
    check('a run says NO_REPLY and nothing else', told.includes('"summary": "NO_REPLY"'), told);
    const { said } = scratchpad('status');
    check('status names it', /^trigger: +openclaw-automation, .* tokens/m.test(said), said);
    const gone = scratchpad('uninstall', 'openclaw-automation', '--yes');
    check('uninstall', !jobs().some(({ name }) => name.startsWith('scratchpad-')), gone.said);
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.on('close', resolve));
  }
}

function jobs(): { id: string; name: string; schedule: { expr?: string } }[] {
  const { stdout } = run('openclaw', ['automations', 'list', '--all', '--json']);
  return (JSON.parse(stdout.toString()) as { jobs: ReturnType<typeof jobs> }).jobs;
}

function ready(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), 60_000);
    const listen = (data: unknown): void => {
      if (!String(data).includes('[gateway] ready')) return;
      clearTimeout(late);
      resolve(true);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
  });
}

try {
  crontab();
  systemd();
  launchd();
  if (folder !== undefined) await openClaw(folder);
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
