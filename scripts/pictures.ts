/**
 * The pictures of the documentation, from the example workspace: `npx tsx scripts/pictures.ts`. Needs Chromium.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../test/report/browser.ts';
import { withPalette } from './palette-png.ts';
import { Example, playStory } from './samples.ts';

const pictures = join(import.meta.dirname, '../docs/pictures');
const example = new Example();
playStory(example);
example.run(['refs', 'add', 'docker/Dockerfile.gpu']);
example.run(['assemble']);
example.run(['report']);

const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
mkdirSync(pictures, { recursive: true });
const empty = await browser.newPage();
for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1000, height: 640 } });
  await page.goto(pathToFileURL(join(example.workspace, '.scratchpad/report.html')).href);
  await save(`report-${colorScheme}.png`, await page.screenshot());
  await page.close();
}
const shown = stripVTControlCharacters(
  `$ scratchpad top\n${example.run(['top'])}\n\n$ scratchpad line\n${example.run(['line'])}`,
);
const text = shown.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const terminal = join(example.home, 'terminal.html');
writeFileSync(
  terminal,
  `<meta charset="utf-8"><style>body{margin:0;background:#0d1117}pre{color:#e6edf3;font:14px/1.45 monospace;padding:16px;margin:0;display:inline-block}</style><pre>${text}</pre>`,
);
const page = await browser.newPage({ viewport: { width: 900, height: 300 } });
await page.goto(pathToFileURL(terminal).href);
await save('top.png', await page.locator('pre').screenshot());
await browser.close();
example.remove();

/** With a palette, because the pictures are in the package, whose size has a limit. */
async function save(name: string, screenshot: Buffer): Promise<void> {
  writeFileSync(join(pictures, name), await withPalette(screenshot, empty));
}
