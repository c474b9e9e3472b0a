import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCli } from '../../helpers/resident.ts';
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
  expect(html).toContain('No session of an agent was found here. There is no plan.');
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
    const said = page.getByRole('region', { name: 'Conversation' }).locator('.said');
    expect(await said.count()).toBe(16);
    expect(await said.first().innerText()).toContain(HOSTILE[0]);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect([requests, trouble]).toEqual([[address], []]);
    await page.close();
  });

  test('in print no message lies over the next, and a long one goes on on the next page', async () => {
    const cwd = await hostileWorkspace();
    const page = await browser.newPage();
    await page.goto(pathToFileURL(join(cwd, '.scratchpad/report.html')).href);
    await page.emulateMedia({ media: 'print' });
    const styles = await page.evaluate(
      "['.turn', '.said'].map((name) => getComputedStyle(document.querySelector(name))).map(({ display, breakInside }) => [display, breakInside])",
    );
    // Chromium breaks a flex box across pages by laying what follows over its end.
    expect(styles).toEqual([
      ['block', 'auto'],
      ['block', 'auto'],
    ]);
    await page.close();
  });

  test('the live page follows the session, and what the reader opened stays open', async () => {
    const cwd = testDir();
    await runWarm(['init'], { cwd });
    writeFileSync(join(cwd, 't.jsonl'), makeSession(cwd, 1));
    const live = startCli(['report', '--live', '-t', 't.jsonl'], { cwd });
    const { address } = (await live.next('serving')) as unknown as { address: string };
    const page = await browser.newPage();
    const trouble: string[] = [];
    page.on('console', (message) => trouble.push(message.text()));
    page.on('pageerror', (error) => trouble.push(error.message));
    await page.goto(address);
    await page.locator('summary', { hasText: 'npm test 0' }).click();
    writeFileSync(join(cwd, 't.jsonl'), makeSession(cwd, 2));
    await page.getByText('done 1').waitFor();

    expect(await page.locator('details').first().getAttribute('open')).toBe('');
    expect(trouble).toEqual([]);
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

test('of a session of 3,000 messages the newest 1,000 are on the page', async () => {
  const cwd = testDir();
  await runWarm(['init'], { cwd });
  const lines = Array.from({ length: 3000 }, (_, k) =>
    JSON.stringify({
      role: k % 2 === 0 ? 'user' : 'assistant',
      content: `message ${k}: ${'words of some length '.repeat(8)}`,
      timestamp: new Date(1_770_000_000_000 + k * 1000).toISOString(),
    }),
  );
  writeFileSync(join(cwd, 't.jsonl'), lines.join('\n'));
  const { stdout: html } = await runWarm(['report', '-t', 't.jsonl', '-o', '-'], { cwd });

  expect(html).toContain('The newest 1,000 parts of 3,000 events.');
  expect([html.includes('message 2999:'), html.includes('message 1999:')]).toEqual([true, false]);
  expect(html.length).toBeLessThan(1_000_000);
});

test('times are those of the person, and the page says of which zone and day', async () => {
  const cwd = testDir();
  await runWarm(['config', 'set', 'timezone', 'Australia/Sydney'], { cwd });
  await runWarm(['plan', 'set', '1. a'], { cwd });
  const said = { role: 'user', content: 'hello', timestamp: '2026-02-05T14:30:07Z' };
  writeFileSync(join(cwd, 't.jsonl'), `${JSON.stringify(said)}\n`);
  const args = ['report', '-t', 't.jsonl', '--output', '-', '--now', '2026-02-05T15:00:00Z'];
  const { stdout } = await runWarm(args, { cwd });
  expect(stdout).toContain('made 2026-02-06 02:00:00, times in Australia/Sydney');
  expect(stdout).toContain('2026-02-06 01:30 to 01:30');
  expect(stdout).toContain('<time datetime="2026-02-05T14:30:07.000Z">01:30</time>');
});

test('plan, notes and refs in full, a compaction in the conversation', async () => {
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
  expect(stdout).toContain(
    '2026-02-06 01:01 to 01:05: 2 messages of the person, 0 answers of the agent, 0 tool calls; compacted 1 time.',
  );
  expect(stdout).toContain('1 of 2 steps done.</p>');
  expect(stdout).toContain(
    '<li class="done">1. <code>parse()</code> &#60;b&#62;now&#60;/b&#62;</li><li class="current">2. Docs</li>',
  );
  expect(stdout).toContain('<strong>Primary:</strong> a long note');
  expect(stdout).toContain(
    '&#38;c" rel="noreferrer">https://<wbr>example.com/<wbr>a?b=1&#38;c</a> - the format</li>',
  );
  expect(stdout).toContain('<span>Context compacted</span> <time datetime="2026-02-06T01:03:00.000Z">');
  expect([...stdout.matchAll(/<h2>([^<]*)/g)].map(([, title]) => title)).toEqual([
    ...['Plan', 'Notes', 'References', 'Over the session', 'Conversation'],
  ]);
});

/** A session in Claude Code's form: a prompt, a call that fails, an answer; each answer with its tokens. */
function makeSession(cwd: string, turns: number): string {
  const at = (second: number): string => new Date(Date.UTC(2026, 1, 6, 1, 0, second)).toISOString();
  const records = Array.from({ length: turns }, (_, k) => {
    const usage = { input_tokens: 1000 * (k + 1), output_tokens: 10 };
    const call = { type: 'tool_use', id: `call${k}`, name: 'Bash', input: { command: `npm test ${k}` } };
    const result = {
      type: 'tool_result',
      tool_use_id: `call${k}`,
      is_error: true,
      content: `failing\n\n  at line ${k}`,
    };
    const base = { sessionId: 's1', cwd };
    return [
      {
        ...base,
        type: 'user',
        uuid: `u${k}`,
        timestamp: at(10 * k),
        message: { role: 'user', content: `do task ${k}` },
      },
      {
        ...base,
        type: 'assistant',
        uuid: `c${k}`,
        timestamp: at(10 * k + 1),
        message: { role: 'assistant', content: [call], usage },
      },
      {
        ...base,
        type: 'user',
        uuid: `r${k}`,
        timestamp: at(10 * k + 2),
        message: { role: 'user', content: [result] },
      },
      {
        ...{ ...base, type: 'assistant', uuid: `a${k}`, timestamp: at(10 * k + 3) },
        message: { role: 'assistant', content: [{ type: 'text', text: `done ${k}` }], usage },
      },
    ];
  });
  return records
    .flat()
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}

test('a turn shows its calls folded, with their outcome and the lines of their output, and the context grows', async () => {
  const cwd = testDir();
  await runWarm(['init'], { cwd });
  writeFileSync(join(cwd, 't.jsonl'), makeSession(cwd, 3));
  const { stdout } = await runWarm(['report', '-t', 't.jsonl', '-o', '-'], { cwd });

  expect(stdout).toContain('3 messages of the person, 3 answers of the agent, 3 tool calls (3 failed).');
  expect(stdout).toContain('<code>npm test 1</code><span class="failed"> failed</span></summary>');
  expect(stdout).toContain('>failing\n\n  at line 1</pre>');
  expect(stdout).toMatch(
    /<figcaption>Context, by answer: 3,0\d\d (?:of 200,000 tokens|tokens)<\/figcaption>/,
  );
});

describe('--live', () => {
  test('serves the page to nobody but who has its address, and follows the session', async () => {
    const cwd = testDir();
    await runWarm(['init'], { cwd });
    writeFileSync(join(cwd, 't.jsonl'), makeSession(cwd, 1));
    const live = startCli(['report', '--live', '-t', 't.jsonl'], { cwd });
    const { address } = (await live.next('serving')) as unknown as { address: string };
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
    const { origin, pathname } = new URL(address);
    const get = async (path: string, init: RequestInit = {}): Promise<[number, string]> => {
      const answer = await fetch(origin + path, init);
      return [answer.status, await answer.text()];
    };

    expect((await get(pathname))[1]).toContain('done 0');
    expect(await get('/')).toEqual([404, 'not found']);
    expect(await get(`/${'0'.repeat(32)}/main`)).toEqual([404, 'not found']);
    expect(await get(pathname, { method: 'POST' })).toEqual([405, 'read only']);

    const foreign = await new Promise<number | undefined>((answered) => {
      request(address, { headers: { host: 'attacker.example' } }, ({ statusCode }) =>
        answered(statusCode),
      ).end();
    });
    expect(foreign).toBe(403);

    writeFileSync(join(cwd, 't.jsonl'), makeSession(cwd, 2));
    await expect.poll(async () => (await get(`${pathname}main`))[1], { timeout: 20_000 }).toContain('done 1');
    live.child.kill('SIGINT');
    expect((await live.ended).code).toBe(0);
  });

  test('and --open are refused to an agent', async () => {
    const cwd = testDir();
    await runWarm(['init'], { cwd });
    for (const option of ['--live', '--open']) {
      const done = await runWarm(['report', option], { cwd, env: { CLAUDECODE: '1' } });
      expect([done.exitCode, done.stderr]).toEqual([2, expect.stringContaining('for a person at a shell')]);
    }
  });
});

test('a message is read as Markdown: headings, bold words, code in a list and tables', async () => {
  const cwd = testDir();
  const content =
    '# Plan: Count `from` one\n\n---\n\n## Goal <b>\n- **Lines 1-2** - `a**b**`:\n  ```go\n  x := 1\n  ```\n| a | b |\n|---|---|\n| 1 | 2 |\nEnd **`now`** of 2 ** 3 ** 4';
  writeFileSync(join(cwd, 't.jsonl'), `${JSON.stringify({ role: 'user', content })}\n`);
  await runWarm(['init'], { cwd });
  const { stdout } = await runWarm(['report', '-t', 't.jsonl', '-o', '-'], { cwd });
  expect(stdout).toContain('<p class="lead">“Plan: Count <code>from</code> one”</p>');
  const text = /<\/header>(.*)<\/div><\/article>/s.exec(stdout)?.[1];
  expect(text).toBe(
    '<div class="text"><strong>Plan: Count <code>from</code> one</strong>\n\n<strong>Goal &#60;b&#62;</strong>\n' +
      '- <strong>Lines 1-2</strong> - <code>a**b**</code>:</div><pre tabindex="0">  x := 1</pre>' +
      '<pre tabindex="0">| a | b |\n|---|---|\n| 1 | 2 |</pre>' +
      '<div class="text">End <strong><code>now</code></strong> of 2 ** 3 ** 4</div>',
  );
});
