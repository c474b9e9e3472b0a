/**
 * The pictures of the documentation, from the example workspace: `npx tsx scripts/pictures.ts`. Needs Chromium.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../test/commands/report/browser.ts';
import { Example, playStory } from './samples.ts';

const pictures = join(import.meta.dirname, '../docs/pictures');
const example = new Example();
playStory(example);
example.run(['refs', 'add', 'docker/Dockerfile.gpu']);
example.run(['assemble']);
example.run(['report']);

const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
mkdirSync(pictures, { recursive: true });
for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1000, height: 640 } });
  await page.goto(pathToFileURL(join(example.workspace, '.scratchpad/report.html')).href);
  writeFileSync(join(pictures, `report-${colorScheme}.png`), await page.screenshot());
  await page.close();
}
await browser.close();
example.remove();
