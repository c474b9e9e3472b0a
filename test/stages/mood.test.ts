import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const AT = '2026-02-06T01:00:00Z';
const said = (content: string, sender?: string) => ({ role: 'user', content, timestamp: AT, sender });

async function workspace() {
  const root = testDir({ 'work/': '', 'home/': '' });
  const cwd = join(root, 'work');
  const env = { HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'home/.config') };
  await runWarm(['init'], { cwd, env });
  const assemble = async (...messages: unknown[]) => {
    const input = JSON.stringify(messages);
    const args = ['assemble', '--now', AT, '--messages', '-', '--json'];
    const { stdout, exitCode } = await runWarm(args, { cwd, env, input });
    expect(exitCode).toBe(0);
    type Stage = { id: string; status: string; reason?: string; lines: { text: string }[] };
    const { stages } = JSON.parse(stdout) as { stages: Stage[] };
    const found = stages.find(({ id }) => id === 'sentiment');
    return { ...found, lines: found?.lines.map(({ text }) => text) ?? [] };
  };
  return { cwd, env, assemble, run: (args: string[], input = '') => runWarm(args, { cwd, env, input }) };
}

describe('one reading', () => {
  test.each([
    ['neutral', ['please rename the column'], undefined],
    ['frustrated', ['add a test', 'why do you keep ignoring my instructions'], undefined],
    ['frustrated, told to be brief', ['why do you keep ignoring my instructions'], 'too long'],
    ['neutral, told to be brief', ['please rename the column'], 'too long'],
  ])('the block and `mood` agree: %s', async (_, words, remark) => {
    const { cwd, env } = await workspace();
    const run = (args: string[], input = '') => runWarm([...args, '--now', AT], { cwd, env, input });
    if (remark !== undefined) expect((await run(['feedback', remark])).exitCode).toBe(0);
    const messages = words.map((content) => said(content));
    const json = async (args: string[], input: unknown) =>
      JSON.parse((await run([...args, '--json'], JSON.stringify(input))).stdout);
    const block = await json(['assemble', '--messages', '-'], messages);
    const mood = await json(['mood', '--messages', '-'], messages);
    const stage = block.stages.find(({ id }: { id: string }) => id === 'strategy');
    const told = stage.lines.map(({ text }: { text: string }) => text).join(' ');
    if (mood.strategy.style === 'neutral' && remark === undefined) expect(told).toBe('');
    else for (const part of ['style', 'tone', 'verbosity']) expect(told).toContain(mood.strategy[part]);
    if (remark !== undefined) expect(mood.strategy.verbosity).toBe('minimal');
  });
});

describe('a session in a language that is not read', () => {
  const german = [
    'Die Scanner lehnen alles ab, auf allen vier steht ungültige Signatur',
    'Das ist doch lächerlich, ich habe dir schon gesagt, dass das nicht geht!',
  ];

  test.each([
    ['German', german, true],
    ['German, with a terse end', [...german, 'Druck jetzt sofort die Liste aus'], true],
    ['German, short, with an English error', ['Wieder "this is not a function", verdammt!'], true],
    ['German, without a small word of another language', ['Verdammt, Login klappt nicht!!'], true],
    ['German, then English', [...german, 'sorry, I will write in English from now on'], false],
    ['terse English', ['rename column', 'fix lint'], false],
  ])('%s', async (_, words, isUnread) => {
    const { assemble, run } = await workspace();
    const messages = words.map((content) => said(content));
    const { lines } = await assemble(...messages);
    expect(lines).toEqual(isUnread ? ['- **Primary:** not read: only English is'] : []);
    const mood = (await run(['mood', '-m', '-'], JSON.stringify(messages))).stdout;
    expect(mood.startsWith('not read: only English is (')).toBe(isUnread);
    const json = (await run(['mood', '-m', '-', '--json'], JSON.stringify(messages))).stdout;
    const { state } = JSON.parse(json);
    expect(state.emotion).toBe(isUnread ? 'not read' : 'neutral');
    expect(state.confidence > 0).toBe(!isUnread);
  });
});

test('tiredness is no frustration, unless the agent is blamed', async () => {
  const { assemble } = await workspace();
  const first = async (content: string) => (await assemble(said(content))).lines[0];
  expect(await first("I'm completely exhausted, can barely keep my eyes open")).toContain('tired');
  expect(await first("I'm completely exhausted and it is still the same error again")).toContain(
    'frustrated',
  );
});

describe('a group', () => {
  test('the speaker is shown, others only where their mood is another', async () => {
    const { assemble } = await workspace();
    const angry = said('why do you keep ignoring my instructions', 'Ray');
    const calm = said('please rename the column', 'Mia');
    const furious = said('this is so frustrating, you broke it again', 'Kim');
    expect((await assemble(angry, calm)).lines).toContain('- **Speaker:** Mia');
    expect((await assemble(angry, calm)).lines.at(-1)).toMatch(
      /^- \*\*Others:\*\* Ray frustrated \(0\.\d+\)$/,
    );
    expect((await assemble(calm, angry)).lines.join()).not.toContain('Others');
    expect((await assemble(furious, angry)).lines.join()).not.toContain('Others');
  });

  test('of WhatsApp, as OpenClaw keeps it', async () => {
    const { cwd, run } = await workspace();
    const heard = (minute: number, who: string, words: string, reply: string) => [
      // Each entry hangs on the one before: what does not is another branch.
      {
        type: 'message',
        id: `u${minute}`,
        parentId: minute === 10 ? null : `a${minute - 2}`,
        timestamp: `2026-01-18T00:${minute}:00.000Z`,
        message: {
          role: 'user',
          content: `[WhatsApp 120363040@g.us +30s Sun 2026-01-18 00:${minute}:00 UTC] ${who}: ${words}`,
        },
      },
      {
        type: 'message',
        id: `a${minute}`,
        parentId: `u${minute}`,
        timestamp: `2026-01-18T00:${minute}:20.000Z`,
        message: { role: 'assistant', content: [{ type: 'text', text: reply }] },
      },
    ];
    const session = { type: 'session', version: 3, id: 'wa', timestamp: '2026-01-18T00:00:00.000Z', cwd };
    const entries = [
      session,
      ...heard(10, 'Ray', 'you booked the wrong day again, this is so annoying', 'I am sorry.'),
      ...heard(12, 'Mia', 'haha poor robot :) do your magic', 'Here we go.'),
      ...heard(14, 'Ben', 'which bus goes to the museum', 'The 12.'),
    ];
    const file = join(cwd, 'group.jsonl');
    writeFileSync(file, entries.map((entry) => JSON.stringify(entry)).join('\n'));
    const args = ['--transcript', file, '--now', '2026-01-18T00:15:00Z', '--json'];
    const mood = JSON.parse((await run(['mood', ...args])).stdout) as {
      state: { sender: string; emotion: string };
      others: Record<string, { emotion: string; windowSize: number }>;
    };
    expect(mood.state).toMatchObject({ sender: 'Ben', windowSize: 1 });
    expect(mood.state.emotion).not.toBe('frustrated');
    expect(mood.others).toMatchObject({
      Ray: { emotion: 'frustrated', windowSize: 1 },
      Mia: { emotion: 'playful', windowSize: 1 },
    });
    const block = (await run(['assemble', '--dry-run', ...args.slice(0, -1)])).stdout;
    expect(block).toMatch(/^- \*\*Speaker:\*\* Ben$/m);
    expect(block).toMatch(/^- \*\*Others:\*\* Mia playful \(0\.\d+\), Ray frustrated \(0\.\d+\)$/m);
  });
});
