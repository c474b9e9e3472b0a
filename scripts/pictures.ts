/**
 * The pictures of the documentation, from the example workspace: `npx tsx scripts/pictures.ts`. Needs Chromium.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../test/report/browser.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'scratchpad-pictures-'));
const workspace = join(folder, 'agent');
const pictures = join(root, 'docs/pictures');
const NOW = ['--now', '2026-02-06T01:30:00+11:00'];

function run(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(root, 'bin/scratchpad.js'), ...args, ...NOW],
    {
      cwd: workspace,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, TZ: 'Australia/Sydney' },
    },
  );
  if (status !== 0) throw new Error(`scratchpad ${args.join(' ')}: ${stderr}`);
  return stdout;
}

cpSync(join(root, 'workspace-example'), workspace, { recursive: true });
run('plan', 'set', '--file', 'plan.md');
run('notes', 'add', 'GPU pods: libcublas is missing from the runtime base');
run('plan', 'done');
run('refs', 'add', 'docker/Dockerfile.gpu');
run('assemble');
run('report');

const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
mkdirSync(pictures, { recursive: true });
for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1000, height: 900 } });
  await page.goto(pathToFileURL(join(workspace, '.scratchpad/report.html')).href);
  await page.screenshot({ path: join(pictures, `report-${colorScheme}.png`) });
  await page.close();
}
const shown = stripVTControlCharacters(`$ scratchpad top\n${run('top')}\n$ scratchpad line\n${run('line')}`);
const text = shown.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const terminal = join(folder, 'terminal.html');
writeFileSync(
  terminal,
  `<meta charset="utf-8"><style>body{margin:0;background:#0d1117}pre{color:#e6edf3;font:14px/1.45 monospace;padding:16px;margin:0;display:inline-block}</style><pre>${text}</pre>`,
);
const page = await browser.newPage({ viewport: { width: 900, height: 300 } });
await page.goto(pathToFileURL(terminal).href);
await page.locator('pre').screenshot({ path: join(pictures, 'top.png') });
await browser.close();
rmSync(folder, { recursive: true, force: true });
