/**
 * The timers with the real programs of this machine, crontab and systemd-analyze; a missing one is named.
 *
 *   npx tsx scripts/e2e/timers.ts
 *
 * The crontab of the current user is always restored byte for byte. No daemon is started or contacted. Build first.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const BIN = join(import.meta.dirname, '../../bin/scratchpad.js');
const home = mkdtempSync(join(tmpdir(), 'scratchpad-e2e-timers-'));
const workspace = join(home, 'we ird %d $x \'q\' "z" \\b <&>');
mkdirSync(join(workspace, 'memory'), { recursive: true });

function check(what: string, ok: boolean, detail: string): void {
  if (!ok) process.exitCode = 1;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}${ok ? '' : `: ${detail}`}`);
}

function run(program: string, args: readonly string[], input: Uint8Array | string = '') {
  const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: workspace, env, input });
  return { code: status, stdout: stdout ?? Buffer.alloc(0), said: `${stdout}${stderr}` };
}
const scratchpad = (...args: string[]) => run(process.execPath, [BIN, ...args]);

function crontab(): void {
  const theirs = run('crontab', ['-l']);
  try {
    for (const before of ['', '# mine\n0 5 * * 1\ttar c /home # 100\\%\n']) {
      if (before === '') run('crontab', ['-r']);
      else run('crontab', ['-'], before);
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

function systemd(): void {
  for (const every of ['1m', '10m', '1h', '6h', '24h']) {
    const dir = join(home, every);
    mkdirSync(dir);
    const { stdout } = scratchpad('install', 'systemd', '--dry-run', '--json', '--every', every);
    const { files } = JSON.parse(stdout.toString()) as { files: { path: string; after: string }[] };
    const paths = files.map(({ path, after }) => {
      writeFileSync(join(dir, basename(path)), after);
      return join(dir, basename(path));
    });
    // It exits with 0 even if it ignores lines, so its messages count.
    const { code, said } = run('systemd-analyze', ['--user', 'verify', ...paths]);
    check(`systemd-analyze has nothing to say of every ${every}`, code === 0 && said === '', said);
  }
}

scratchpad('init');
try {
  for (const [program, test] of [
    ['crontab', crontab],
    ['systemd-analyze', systemd],
  ] as const) {
    if (run('sh', ['-c', `command -v ${program}`]).code === 0) test();
    else console.log(`--   ${program} is not here`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
