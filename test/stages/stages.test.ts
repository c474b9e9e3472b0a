import { describe, expect, test } from 'vitest';
import { buildConfig } from '../../src/config/values.ts';
import { activeStage } from '../../src/stages/active.ts';
import { alertsStage } from '../../src/stages/alerts.ts';
import { openClock } from '../../src/stages/clock.ts';
import { createStageContext } from '../../src/stages/context.ts';
import { memoryStage } from '../../src/stages/memory.ts';
import { routingStage } from '../../src/stages/routing.ts';
import { sentimentStage, strategyStage } from '../../src/stages/sentiment.ts';
import type { BuiltInStage, Section } from '../../src/stages/stage.ts';
import type { Message } from '../../src/transcript/types.ts';
import { testDir } from '../helpers/test-dir.ts';

interface Scene {
  files?: Record<string, string>;
  now?: string;
  said?: [role: Message['role'], content: string, minutesAgo: number][];
  plan?: string;
  notes?: string;
  config?: [key: string, value: string][];
  /** Files that the session changed, newest first. */
  edited?: string[];
}

const NOTHING_OPEN = { session: 's', at: 0, open: [], commits: [], others: 0, tasks: [] };

async function lines(
  stage: BuiltInStage,
  { files = {}, now = '2026-02-06T14:00:00Z', said = [], plan = '', notes = '', config = [], edited }: Scene,
) {
  const at = Date.parse(now);
  const context = createStageContext({
    workspace: testDir(files),
    now: at,
    clock: openClock({ kind: 'offset', minutes: 0 }),
    messages: said.map(([role, content, minutesAgo], k) => ({
      id: String(k),
      role,
      content,
      timestamp: new Date(at - minutesAgo * 60_000).toISOString(),
      session: 's',
    })),
    facts: undefined,
    spaces: { plan, notes, refs: '' },
    config: buildConfig(new Map(config)),
    previous: undefined,
    openHandover: async () => edited && { line: '', state: { ...NOTHING_OPEN, edited } },
  });
  const section: Section | null = await stage.run(context, {
    ms: 1000,
    signal: new AbortController().signal,
  });
  return section === null ? null : section.lines.map(({ text }) => text);
}

describe('active context', () => {
  test('the files that the session changed, as many as fit', async () => {
    const names = (count: number): string[] =>
      Array.from({ length: count }, (_, k) => `src/part-${k}/index.ts`);
    expect(await lines(activeStage, { edited: names(2) })).toEqual([
      '- Files: src/part-0/index.ts, src/part-1/index.ts',
    ]);
    expect((await lines(activeStage, { edited: names(40) }))?.join()).toMatch(
      /^- Files: src.{60,120} and 3\d more$/,
    );
    expect(await lines(activeStage, { edited: [] })).toBeNull();
  });

  test('the current step of the plan is the work at hand', async () => {
    const scene: Scene = {
      plan: '1. ~~Reproduce~~ DONE\n2. Bisect the regression <-- current\n3. Fix',
      said: [['user', 'The upload test fails on main. It started on Tuesday.', 125]],
    };
    expect(await lines(activeStage, scene)).toEqual([
      '- Working on: Bisect the regression',
      '- Last topic: The upload test fails on main. It started on Tuesday.',
      '- Session gap: 2h 5m (short: the context is still there)',
    ]);
  });

  test.each([9.5, 0.2, -2, -600])(
    'a gap of %s minutes is none: the talk goes on, or a clock was set back',
    async (minutes) => {
      const said: Scene['said'] = [['user', 'please look at the flaky test', minutes]];
      expect((await lines(activeStage, { said }))?.join()).not.toContain('Session gap');
    },
  );

  test('pasted code and logs are not the topic', async () => {
    const said: Scene['said'] = [
      ['user', '```\nError: at foo (bar.js:1)\n```\nwhy does this happen on startup?', 1],
    ];
    expect((await lines(activeStage, { said }))?.join()).toContain('why does this happen on startup?');
    expect((await lines(activeStage, { said }))?.join()).not.toContain('bar.js');
  });

  test('the last entry of the day’s note', async () => {
    const files = {
      'memory/2026-02-05.md': '- older\n',
      'memory/2026-02-06.md': '- first\n- moved the backup\n',
    };
    expect(await lines(activeStage, { files })).toEqual([
      "- Today's note: moved the backup (memory/2026-02-06.md:2)",
    ]);
  });

  test('the last entry of yesterday’s note, when there is none of today', async () => {
    const files = {
      'memory/2026-02-05.md':
        '# Thu\n\n- built the image\n- pushed it, **not** deployed\n\n## Tasks\n- [ ] deploy\n',
    };
    expect(await lines(activeStage, { files })).toEqual([
      "- Yesterday's note: pushed it, **not** deployed (memory/2026-02-05.md:4)",
    ]);
    expect(await lines(activeStage, { files, now: '2026-02-08T14:00:00Z' })).toBeNull();
  });
});

describe('alerts', () => {
  const files = {
    'memory/2026-02-04.md':
      '- [ ] send the storage report to Priya (due 2026-02-06)\n- [ ] water plants by 2026-02-07\n',
    'memory/2026-02-06.md':
      '- [x] **Send** the storage report to Priya.\n- [ ] renew the certificate (due: 2026-02-05)\n- [ ] read a book (due 2026-03-01)\n',
  };

  test('open tasks that are due, the most urgent first; one that a later note ticks off is done', async () => {
    expect(await lines(alertsStage, { files })).toEqual([
      '- Task overdue since 2026-02-05: renew the certificate (memory/2026-02-06.md:2)',
      '- Task due tomorrow: water plants (memory/2026-02-04.md:2)',
    ]);
  });

  test.each([
    ['names', 'Renew passport of Kim', 'Renew passport of Kay'],
    ['numbers', 'Pay invoice 101', 'Pay invoice 102'],
    ['letters', 'Call flat A', 'Call flat B'],
    ['signs', 'Learn C++', 'Learn C#'],
    ['the order of words', 'Move Kim to Kay', 'Move Kay to Kim'],
  ])('tasks that differ in %s are two, of one list and of two', async (_, first, second) => {
    const line = (task: string): string => `- [ ] ${task} (due 2026-02-06)\n`;
    const told = [expect.stringContaining(first), expect.stringContaining(second)];
    const older = 'memory/2026-02-05.md';
    const newer = 'memory/2026-02-06.md';
    expect(await lines(alertsStage, { files: { [newer]: line(first) + line(second) } })).toEqual(told);
    expect(await lines(alertsStage, { files: { [older]: line(first), [newer]: line(second) } })).toHaveLength(
      2,
    );
    const ticked = { [older]: line(first), [newer]: `- [x] ${second}\n` };
    expect(await lines(alertsStage, { files: ticked })).toEqual([expect.stringContaining(first)]);
  });

  test('the alerts after the third that are not of today are counted and named', async () => {
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
    const list = (most: number): string =>
      names
        .slice(0, most)
        .map((name) => `- [ ] Call flat ${name} (due 2026-02-07)\n`)
        .join('');
    const last = async (most: number) =>
      (await lines(alertsStage, { files: { 'memory/2026-02-06.md': list(most) } }))?.slice(3);
    expect(await last(3)).toEqual([]);
    expect(await last(5)).toEqual(['- And 2 more: Call flat D; Call flat E']);
    expect(await last(8)).toEqual(['- And 5 more: Call flat D; Call flat E; Call flat F; Call flat G; …']);
  });
});

describe('mood and strategy', () => {
  test('with nobody’s words to read they say nothing', async () => {
    const said: Scene['said'] = [['assistant', 'Done.', 1]];
    expect(await lines(sentimentStage, { said })).toBeNull();
    expect(await lines(strategyStage, { said })).toBeNull();
  });

  test('the trend of a session is told as long as its mood is', async () => {
    const said = (minutes: number): NonNullable<Scene['said']> => [
      ['user', 'this is STILL broken!! stop guessing, you keep ignoring me', minutes + 3],
      ['assistant', 'Mended.', minutes + 2],
      ['user', 'thanks, that works now', minutes],
    ];
    const trend = async (minutes: number) =>
      (await lines(sentimentStage, { said: said(minutes) }))?.some((line) => line.includes('Trajectory'));
    expect(await trend(1)).toBe(true);
    expect(await trend(60)).toBe(true);
    // From here on no mood is named.
    expect(await trend(180)).toBeUndefined();
    expect(await trend(3 * 1440)).toBeUndefined();
  });

  test('an old outburst is not the present mood', async () => {
    const outburst = 'this is STILL broken!! stop guessing, you keep ignoring me';
    const said = (minutes: number): NonNullable<Scene['said']> => [
      ['user', outburst, minutes + 1],
      ['user', outburst, minutes],
    ];
    expect((await lines(sentimentStage, { said: said(1) }))?.[0]).toMatch(/^- \*\*Primary:\*\* frustrated/);
    expect(await lines(sentimentStage, { said: said(3 * 1440) })).toBeNull();
    expect(await lines(strategyStage, { said: said(3 * 1440) })).toBeNull();
  });
});

describe('routing', () => {
  test.each([
    ['what does this flag mean', 'LOW', 'LOW', 'small'],
    ['fix the failing test', 'LOW', 'MEDIUM', 'standard'],
    ['redesign the storage layer and weigh the trade-offs', 'LOW', 'HIGH', 'strongest'],
    [
      `deploy with ${['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')}`,
      'HIGH',
      'MEDIUM',
      'local only',
    ],
  ])('%s', async (content, sensitivity, complexity, model) => {
    expect(await lines(routingStage, { said: [['user', content, 1]] })).toEqual([
      `- Content sensitivity: ${sensitivity} | Task complexity: ${complexity} | Suggested model: ${model}`,
    ]);
  });

  test.each([
    ['pay DE89 3704 0044 0532 0130 00', 'MEDIUM', 'local only'],
    ['send it to 12 Marlowe Street, Hobart', 'MEDIUM', 'local only'],
    ['sie wohnt in der Lindenstraße 7', 'MEDIUM', 'local only'],
    ['il habite 4 rue de la Paix', 'MEDIUM', 'local only'],
    ['vive en la Calle de Alcalá, 42', 'MEDIUM', 'local only'],
    ['ring her: +44 20 7946 0958', 'MEDIUM', 'local only'],
    ['her phone is 0171 2345678', 'MEDIUM', 'local only'],
    ['call (555) 010-1234', 'MEDIUM', 'local only'],
    ['Tom, geboren am 3. Mai 1984', 'MEDIUM', 'local only'],
    ['DOB: 1984-05-03', 'MEDIUM', 'local only'],
    ['passport number C01X00T478', 'MEDIUM', 'local only'],
    ['SSN 078-05-1120', 'MEDIUM', 'local only'],
    ['Anna Berg was diagnosed with diabetes', 'HIGH', 'local only'],
    ['Frau Berg hat Brustkrebs, Krebs im Stadium 2', 'HIGH', 'local only'],
    ['show the passport 0.7.0 strategy and 5 Google Drive folders', 'LOW', 'small'],
    ['what does the mobile breakpoint 768 1024 mean', 'LOW', 'small'],
    ['what is cancer, the module', 'LOW', 'small'],
    ['clone git@github.com:ada/notes.git, author noreply@anthropic.com', 'LOW', 'small'],
    ['why is 2026-02-06 10:00:00 +0100 in the log', 'LOW', 'standard'],
  ])('personal data: %s', async (content, sensitivity, model) => {
    const [line] = (await lines(routingStage, { said: [['user', content, 1]] })) ?? [];
    expect(line).toContain(`sensitivity: ${sensitivity} `);
    expect(line).toContain(`model: ${model}`);
  });

  test('a secret that a tool printed counts', async () => {
    const key = ['AKIA', 'Q3EGRXVNP5HTJ2MK'].join('');
    const printed: Scene['said'] = [
      ['user', 'what does this flag mean', 2],
      ['tool', `AWS_ACCESS_KEY_ID=${key}`, 1],
    ];
    expect((await lines(routingStage, { said: printed }))?.[0]).toContain('sensitivity: HIGH');
  });

  test('the models are the config’s', async () => {
    const models: Scene['config'] = [
      ['routing.low', 'haiku'],
      ['routing.private', 'llama-on-the-desk'],
    ];
    const plain: NonNullable<Scene['said']> = [['user', 'what does this flag mean', 1]];
    const personal: NonNullable<Scene['said']> = [['user', 'write to ada@lovelace.io', 1]];
    const secret: NonNullable<Scene['said']> = [['user', 'the password: hunter2xyz9', 1]];
    const model = async (said: NonNullable<Scene['said']>) =>
      (await lines(routingStage, { said, config: models }))?.[0]?.split('model: ')[1];
    expect(await model(plain)).toBe('haiku');
    expect(await model(personal)).toBe('llama-on-the-desk');
    expect(await model(secret)).toBe('llama-on-the-desk');
  });
});

describe('memories', () => {
  test('a line that the notes hold already is not repeated', async () => {
    const files = {
      'MEMORY.md': '- The staging cluster config lives in ~/.kube/staging\n- Bananas ripen faster in a bag\n',
    };
    const said: Scene['said'] = [['user', 'where is the staging cluster config again?', 1]];
    expect(await lines(memoryStage, { files, said })).toEqual([
      '- The staging cluster config lives in ~/.kube/staging (MEMORY.md:1)',
    ]);
    const notes = 'The staging cluster config lives in ~/.kube/staging';
    expect(await lines(memoryStage, { files, said, notes })).toBeNull();
  });

  test('lines that share telling words with the talk, and no others', async () => {
    const files = {
      'MEMORY.md': [
        '- The cat is called Miso',
        '- mcp-memory-service v10.0 runs on the k8s cluster with the CPU tag, because the CUDA container failed',
        '- The deployment of chairs in the hall',
        '- Lab disk at 87 %',
      ].join('\n'),
    };
    const said: Scene['said'] = [
      ['user', 'the k8s deployment of mcp-memory-service fails, the CUDA container lacks libcublas', 1],
    ];
    expect(await lines(memoryStage, { files, said })).toEqual([
      expect.stringMatching(/CPU tag.* \(MEMORY\.md:2\)$/),
    ]);
  });

  test('a task that a newer note ticks off is not shown as open; one that the alerts tell is not told twice', async () => {
    const files = {
      'memory/2026-02-04.md':
        '- [ ] send Mei the visitor wifi password sheet\n- the visitor wifi sheet for Mei is in the drawer\n',
      'memory/2026-02-05.md':
        '- [x] send Mei the visitor wifi password sheet\n- [ ] visitor wifi renewal (due 2026-02-06)\n',
    };
    const said: Scene['said'] = [['user', 'where is the visitor wifi sheet for Mei?', 1]];
    const shown = (await lines(memoryStage, { files, said }))?.join('\n') ?? '';
    expect(shown).toContain('(memory/2026-02-04.md:2)');
    expect(shown).not.toContain('(memory/2026-02-04.md:1)');
    expect(shown).not.toContain('(memory/2026-02-05.md:2)');
  });
});
