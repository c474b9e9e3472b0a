/**
 * The timers with the real programs of this machine: crontab and systemd-analyze. Missing programs are skipped with a
 * message.
 *
 *   npx tsx scripts/e2e/timers.ts
 *
 * The crontab of the current user is always restored byte for byte. No
 * system daemon is started or contacted. Build first.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BIN = join(import.meta.dirname, '../../bin/scratchpad.js');
const home = mkdtempSync(join(tmpdir(), 'scratchpad-e2e-timers-'));
const workspace = join(home, 'we ird %d $x \'q\' "z" \\b <&>');
mkdirSync(join(workspace, 'memory'), { recursive: true });
const env: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
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

try {
  crontab();
  systemd();
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
