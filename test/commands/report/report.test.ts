import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Page, renderPage } from '../../../src/commands/report.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';
import { CHROMIUM } from './browser.ts';

const HOSTILE = [
  '<script>window.hacked = 1</script>',
  '</script><script>window.hacked = 2</script>',
  '<img src="https://example.com/x.png" onerror="window.hacked = 3">',
  '"><svg/onload=window.hacked=4>',
  '<!-- <script>',
  '<a href="javascript:window.hacked=5">click</a>',
  '{{constructor.constructor("window.hacked=6")()}}',
  '\u2028window.hacked = 7\u2029',
];
const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

/** A workspace whose session, pad and entries are full of markup and have a secret. */
async function hostileWorkspace(): Promise<string> {
  const cwd = testDir({ 'AGENTS.md': '', 'MEMORY.md': `- ${HOSTILE[2]} deploy\n` });
  const messages = HOSTILE.flatMap((text, k) => [
    { role: 'user', content: `${text} deploy ${k}`, timestamp: `2026-02-06T01:0${k}:00Z` },
    { role: 'assistant', content: `${text} token ${SECRET}`, timestamp: `2026-02-06T01:0${k}:30Z` },
  ]);
  writeFileSync(join(cwd, 't.jsonl'), messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  await runWarm(['plan', 'set', HOSTILE.map((text, k) => `${k + 1}. ${text}`).join('\n')], { cwd });
  await runWarm(['plan', 'done', '1'], { cwd });
  await runWarm(['refs', 'add', 'https://example.com/a - "<b>x</b>', '<b>build</b>'], { cwd });
  const done = await runWarm(['report', '-t', 't.jsonl'], { cwd });
  expect([done.exitCode, done.stdout]).toEqual([0, `${join(cwd, '.scratchpad/report.html')}\n`]);
  return cwd;
}

test('one file, without addresses to load, elements from foreign text, or secrets', async () => {
  const cwd = await hostileWorkspace();
  const html = readFileSync(join(cwd, '.scratchpad/report.html'), 'utf8');
  expect(html).toMatch(/Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/);
  expect(html).not.toMatch(/<script\b/);
  expect(html).not.toMatch(/<(?:img|svg\/|a href="javascript|link|iframe)/);
  expect(html).not.toContain(SECRET);
  const json = await runWarm(['report', '-t', 't.jsonl', '-o', 'r.html', '--json'], { cwd });
  expect(JSON.parse(json.stdout)).toEqual({
    file: join(cwd, 'r.html'),
    bytes: expect.any(Number),
    events: 16,
  });
});

test('of a pad without a session: no heading over nothing, and no count of nothing', async () => {
  const cwd = testDir();
  await runWarm(['init'], { cwd });
  const done = await runWarm(['report'], { cwd });
  expect(done.stderr).toContain('no session of an agent was found; open the page');
  const html = readFileSync(join(cwd, '.scratchpad/report.html'), 'utf8');
  expect(html).toContain('No session of an agent was found here. There is no plan. No note and no reference');
  expect([...html.matchAll(/<h2[^>]*>([^<]*)/g)].map(([, title]) => title)).toEqual([]);
  expect(html).not.toMatch(/nothing to say|\b0 (?:events|lines|references)/);
});

describe.skipIf(CHROMIUM === undefined)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  test('foreign text stays text, there is no network request, and the page’s own policy blocks nothing of it', async () => {
    const cwd = await hostileWorkspace();
    const page = await browser.newPage();
    const requests: string[] = [];
    const trouble: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => trouble.push(message.text()));
    page.on('pageerror', (error) => trouble.push(error.message));
    const address = pathToFileURL(join(cwd, '.scratchpad/report.html')).href;
    await page.goto(address);
    const rows = page.getByRole('region', { name: 'Events' }).locator('tbody tr');
    expect(await rows.count()).toBe(16);
    expect(await rows.first().innerText()).toContain(HOSTILE[0]);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect([requests, trouble]).toEqual([[address], []]);
    await page.close();
  });

  test.each(['light', 'dark'] as const)('axe finds nothing to object to, %s', async (colorScheme) => {
    const cwd = await hostileWorkspace();
    // axe is a script that the page's own policy refuses.
    const context = await browser.newContext({ bypassCSP: true, colorScheme });
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(cwd, '.scratchpad/report.html')).href);
    await page.addScriptTag({ path: createRequire(import.meta.url).resolve('axe-core/axe.min.js') });
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    await context.close();
  });
});

test('of a session of 100,000 events the newest 1,000 are on the page', () => {
  const html = renderPage(longSession(100_000));
  expect(html).toContain('The newest 1,000 of 100,000.');
  expect([html.includes('event 99999:'), html.includes('event 98999:')]).toEqual([true, false]);
  expect(html.length).toBeLessThan(1_000_000);
});

function longSession(count: number): Page {
  return {
    workspace: '/home/me/agent',
    about: [],
    spell: (at) => at.slice(0, 19).replace('T', ' '),
    events: Array.from({ length: count }, (_, k) => ({
      at: new Date(1_770_000_000_000 + k * 1000).toISOString(),
      who: (['person', 'agent', 'tool'] as const)[k % 3] ?? 'tool',
      text: `event ${k}: ${'words of some length '.repeat(8)}`,
    })),
    plan: '',
    notes: '',
    refs: [],
  };
}

test('times are those of the person, and the page says of which zone', async () => {
  const cwd = testDir();
  await runWarm(['config', 'set', 'timezone', 'Australia/Sydney'], { cwd });
  await runWarm(['plan', 'set', '1. a'], { cwd });
  const said = { role: 'user', content: 'hello', timestamp: '2026-02-05T14:30:07Z' };
  writeFileSync(join(cwd, 't.jsonl'), `${JSON.stringify(said)}\n`);
  const args = ['report', '-t', 't.jsonl', '--output', '-', '--now', '2026-02-05T15:00:00Z'];
  const { stdout } = await runWarm(args, { cwd });
  expect(stdout).toContain('made 2026-02-06 02:00:00, times in Australia/Sydney');
  expect(stdout).toContain('<td class="time">2026-02-06 01:30:07</td>');
});

test('plan, notes and refs in full, a compaction in the timeline', async () => {
  const cwd = testDir();
  const at = (minute: number): string => `2026-02-06T01:0${minute}:00.000Z`;
  const records = [
    {
      type: 'user',
      uuid: 'a',
      timestamp: at(1),
      message: { role: 'user', content: 'make it `fast` please' },
    },
    {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'b',
      timestamp: at(3),
      compactMetadata: { trigger: 'auto', preTokens: 9 },
    },
    { type: 'user', uuid: 'c', timestamp: at(5), message: { role: 'user', content: 'go on' } },
  ].map((record) => JSON.stringify({ sessionId: 's1', cwd, ...record }));
  writeFileSync(join(cwd, 't.jsonl'), `${records.join('\n')}\n`);
  await runWarm(['notes', 'add', `**Primary:** ${'a long note about the importer '.repeat(5)}`], { cwd });
  await runWarm(['plan', 'set', '1. `parse()` <b>now</b>\n2. Docs'], { cwd });
  await runWarm(['plan', 'done', '1'], { cwd });
  await runWarm(['refs', 'add', 'https://example.com/a?b=1&c - the format', 'src/a.ts'], { cwd });
  const { stdout } = await runWarm(['report', '-t', 't.jsonl', '-o', '-'], { cwd, env: { TZ: 'UTC' } });
  expect(stdout).toContain('2026-02-06 01:01 to 01:05: 2 messages of the person, 0 answers of the agent');
  expect(stdout).toContain('1 of 2 steps done, next: 2. Docs. Kept: 1 line of notes and 2 references.');
  expect(stdout).toContain('1. ~~`parse()` &#60;b&#62;now&#60;/b&#62;~~ DONE');
  expect(stdout).toContain('**Primary:** a long note');
  expect(stdout).toContain('&#38;c" rel="noreferrer">https://example.com/a?b=1&#38;c</a> - the format\n');
  expect(stdout).toContain(
    '<td class="time">2026-02-06 01:03:00</td><td class="system">system</td><td>context compacted</td>',
  );
  expect([...stdout.matchAll(/<h2>([^<]*)/g)].map(([, title]) => title)).toEqual([
    ...['Plan', 'Notes', 'References', 'Timeline'],
  ]);
});
