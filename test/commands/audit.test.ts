import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

interface Said {
  role: 'user' | 'assistant';
  content: string;
  minute: number;
  sender?: string;
}

const at = (minute: number): string =>
  new Date(Date.parse('2026-02-06T09:00:00Z') + minute * 60_000).toISOString();

/** A session in the plain form: one message a line. */
function session(messages: readonly Said[]): string {
  return messages
    .map(({ minute, ...message }) => `${JSON.stringify({ ...message, timestamp: at(minute) })}\n`)
    .join('');
}

const TALK: readonly Said[] = [
  { role: 'user', content: 'List the pods of the web tier.', minute: 0 },
  {
    role: 'assistant',
    content: `Here is how.\n\`\`\`sh\nkubectl get pods and many more words\n\`\`\`\nThat is all.`,
    minute: 1,
  },
  { role: 'user', content: 'your answers are too long. Now list the nodes.', minute: 2 },
  { role: 'assistant', content: 'Four words are enough', minute: 3 },
  { role: 'user', content: 'good', minute: 4 },
];

function workspace(talk = TALK) {
  const cwd = testDir({
    'MEMORY.md': '- nothing\n',
    '.scratchpad/config.yaml': 'transcript: {paths: [sessions]}\n',
    'sessions/talk.jsonl': session(talk),
  });
  const run = (...args: string[]) => runWarm(args, { cwd });
  const audit = async () => JSON.parse((await run('audit', '--json')).stdout);
  return { run, audit };
}

describe('audit', () => {
  test('counts the words of each answer without its code, and gives each remark to the answer before it', async () => {
    const { turns } = await workspace().audit();
    expect(turns).toMatchObject([
      { at: at(0), words: 6, said: ['shorter'] },
      { at: at(2), words: 4, said: [] },
    ]);
  });

  test('counts feedback given at the command line', async () => {
    const { run, audit } = workspace();
    await run('feedback', 'that was perfect', '--now', at(5));
    await run('feedback', 'too short', '--now', at(500));
    expect((await audit()).turns.map((turn: { said: string[] }) => turn.said)).toEqual([
      ['shorter'],
      ['good'],
    ]);
  });

  test('prints a table that is aligned', async () => {
    const talk = Array.from({ length: 8 }, (_, k): Said[] => [
      {
        role: 'user',
        content:
          k === 5
            ? 'you are too verbose. Now restart the next node of the cluster.'
            : `Now restart node ${k} of the cluster.`,
        minute: 2 * k,
      },
      { role: 'assistant', content: 'word '.repeat(20 + 10 * k), minute: 2 * k + 1 },
    ]).flat();
    const { stdout, exitCode } = await workspace(talk).run('audit');
    expect(exitCode).toBe(0);
    const lines = stdout.split('\n');
    expect(lines).toContainEqual(expect.stringMatching(/^advice +answers +words +feedback$/));
    expect(lines).toContainEqual(expect.stringMatching(/ 8 +50 +shorter 1$/));
  });

  test('follows the feedback that was given before an answer', async () => {
    const { run, audit } = workspace();
    await run('feedback', 'too long', '--now', at(-60));
    expect((await audit()).turns[0]).toMatchObject({ strategy: { verbosity: 'minimal' } });
  });

  test('says what is missing', async () => {
    const cwd = testDir({ 'MEMORY.md': '- nothing\n' });
    const run = (...args: string[]) => runWarm(args, { cwd });
    const none = await run('audit');
    expect([none.exitCode, none.stderr]).toEqual([
      1,
      expect.stringContaining('no session of this workspace'),
    ]);
    for (const sessions of ['many', '0']) {
      const wrong = await run('audit', '--sessions', sessions);
      expect([wrong.exitCode, wrong.stderr]).toEqual([
        2,
        expect.stringContaining('a whole number of at least 1'),
      ]);
    }
  });
});
