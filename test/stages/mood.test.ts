import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const AT = '2026-02-06T01:00:00Z';
const said = (content: string, sender?: string) => ({ role: 'user', content, timestamp: AT, sender });

/** A workspace whose config may name an engine of the user's own, a shell script. */
async function workspace(script?: string, more: Record<string, unknown> = {}) {
  const root = testDir({ 'work/': '', 'home/': '' });
  const cwd = join(root, 'work');
  const env = { HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'home/.config') };
  await runWarm(['init'], { cwd, env });
  if (script !== undefined) {
    writeFileSync(join(cwd, 'engine.sh'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(cwd, 'engine.sh'), 0o755);
    const command = { command: './engine.sh', ...more };
    writeFileSync(join(cwd, '.scratchpad/config.yaml'), JSON.stringify({ sentiment: { command } }));
  }
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

const TIRED = `printf '%s' '{"confidence": 0.9, "fatigue": 0.8, "valence": -0.3}'`;

describe('an engine of the user', () => {
  test('reads the messages and its state makes the block; who spoke is told by the messages', async () => {
    const { cwd, assemble, run } = await workspace(
      `cat > seen.json; printf '%s' '{"confidence": 0.9, "fatigue": 0.8, "valence": -0.3, "sender": "Eve"}'`,
    );
    await run(['trust']);
    const { status, reason, lines } = await assemble(said('hello there, all fine', 'Ada'));
    expect({ status, reason }).toEqual({ status: 'ok', reason: undefined });
    expect(lines).toContain('- **Primary:** tired (0.80)');
    expect(lines).toContain('- **Speaker:** Ada');
    expect(JSON.parse(readFileSync(join(cwd, 'seen.json'), 'utf8'))).toMatchObject({
      scratchpad: 1,
      stage: 'sentiment',
      workspace: cwd,
      now: '2026-02-06T01:00:00.000Z',
      messages: [
        {
          role: 'user',
          content: 'hello there, all fine',
          sender: 'Ada',
          timestamp: '2026-02-06T01:00:00.000Z',
        },
      ],
    });
  });

  test('`mood` asks it too', async () => {
    const { run } = await workspace(TIRED);
    await run(['trust']);
    const input = JSON.stringify([said('hello there, all fine')]);
    const shown = await run(['mood', '--messages', '-'], input);
    expect(shown.stdout).toMatch(/^tired \(confidence 0.90, 1 message\)/);
  });

  test.each([
    ['no JSON', 'echo sad', 'its answer is not a state: state is sad, expected JSON'],
    ['no confidence', 'echo "{}"', 'confidence'],
    ['a number out of range', `echo '{"confidence": 7}'`, 'confidence is 7, expected a number from 0 to 1'],
    ['nothing', 'true', 'it printed nothing'],
    ['a failure', 'echo "no model" >&2; exit 3', 'exit code 3: no model'],
    ['no answer', 'sleep 60', 'no answer within 200 ms'],
    ['a flood', 'yes', 'it printed too much'],
  ])('%s: the built-in engine serves, and status says so', async (_, script, reason) => {
    const { assemble, run } = await workspace(script, script.startsWith('sleep') ? { timeout: '200ms' } : {});
    await run(['trust']);
    const stage = await assemble(said('why do you keep ignoring my instructions'));
    expect(stage.status).toBe('ok');
    expect(stage.reason).toContain(reason);
    expect(stage.lines[0]).toMatch(/^- \*\*Primary:\*\* frustrated/);
    const { stdout } = await run(['status']);
    expect(stdout).toMatch(/sentiment ok \(sentiment\.command: .*; used the built-in engine/);
    expect(stdout).toContain(reason);
  });

  test('not before it is trusted', async () => {
    const { assemble } = await workspace(`touch ran; ${TIRED}`);
    const stage = await assemble(said('why do you keep ignoring my instructions'));
    expect(stage.reason).toContain('not trusted');
    expect(stage.lines[0]).toMatch(/^- \*\*Primary:\*\* frustrated/);
  });
});

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
      ...heard(12, 'Mia', 'haha poor robot :) do the magic again', 'Here we go.'),
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
