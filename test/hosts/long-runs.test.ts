import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { joinOwnWords } from '../../src/transcript/content.ts';
import { separateClaudeWords } from '../../src/transcript/formats/claude.ts';
import { openClawWords } from '../../src/transcript/formats/openclaw-words.ts';
import { extractProse, findPicked } from '../../src/transcript/pasted-text.ts';
import { ClaudeSession } from '../handover/claude-session.ts';
import { testRepository } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';

/**
 * A hook's deadline cannot come within one expression. One that takes the square of the length of these texts takes
 * minutes, and the test does not end.
 */
const RUNS = ['\u009d', ' ', '\n', '"', '\\"', '(', '-', '?', '~~~\n', '\n- ', 'password ', 'a'];
const LENGTH = 300_000;
const PLACES = ['prompt', 'message', 'answer', 'plan', 'pad', 'memory', 'settings'] as const;

const REPLY = 'Half done. Shall I go on?';

function writeSession(home: string, cwd: string, message: string, answer = REPLY): void {
  const folder = join(home, '.claude/projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
  const session = new ClaudeSession({ cwd, day: new Date(Date.now() - 3_600_000) });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'r1.jsonl'), session.person(message).agent(answer).text);
}

test.each(PLACES.flatMap((place) => RUNS.map((run) => [place, run] as const)))(
  'a hook ends with a long run in its %s: %j',
  async (place, run) => {
    const cwd = testRepository();
    const home = join(cwd, 'home');
    const env = { HOME: home };
    const long = `${run.repeat(LENGTH / run.length)}b`;
    const texts: Partial<Record<string, string>> = { [place]: long };
    await runWarm(['init', '--quiet'], { cwd, env });

    const plan = `Implement the following plan:\n\n# x\n${texts.plan}`;
    const message = texts.plan === undefined ? `Round the totals. ${texts.message ?? ''}` : plan;
    writeSession(home, cwd, message, texts.answer && `${texts.answer} ${REPLY}`);

    if (place === 'pad') {
      const pad = join(cwd, 'SCRATCHPAD.md');
      const fill = (mark: string): string => `${mark}\n- x ${long.slice(-50_000)}`;
      writeFileSync(pad, readFileSync(pad, 'utf8').replace(/<!-- scratchpad:(?:plan|notes) -->/g, fill));
    }

    if (place === 'memory') writeFileSync(join(cwd, 'MEMORY.md'), `# M\n\n- totals: ${long}\n`);

    if (place === 'settings') {
      mkdirSync(join(cwd, '.pi'));
      writeFileSync(join(cwd, '.pi/settings.json'), `{"a${long}`);
      const piFolder = join(home, '.pi/agent/sessions', `--${cwd.slice(1).replaceAll('/', '-')}--`);
      const time = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
      const lines = [
        { type: 'session', version: 3, id: 's1', timestamp: time(30), cwd },
        { type: 'message', id: 'a1', timestamp: time(20), message: { role: 'user', content: 'Round it.' } },
      ];
      mkdirSync(piFolder, { recursive: true });
      writeFileSync(join(piFolder, 's1.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }

    const prompt = `please go on with the totals ${texts.prompt ?? ''}`;
    const input = JSON.stringify({ session_id: 'n1', cwd, prompt });
    const { exitCode } = await runWarm(['hook', 'claude-code', 'UserPromptSubmit'], { cwd, env, input });
    expect(exitCode).toBe(0);
  },
);

const OPENINGS = [
  ...RUNS,
  ...[
    'SECURITY NOTICE:\n',
    '[Replying to \n',
    '(untrusted ',
    '[Forwarded from ',
    '```\n',
    '<a "',
    '[Queued ',
  ],
  ...['\n\nThe previous attempt ', '\n--- Content from MCP resource ', 'The user said:\n'],
];

test.each(OPENINGS)('the readers of messages end with a long run of %j', (opening) => {
  const readers = [
    openClawWords,
    separateClaudeWords,
    extractProse,
    (text: string) => joinOwnWords([text]),
    (text: string) => findPicked('2', text),
  ];
  for (const start of ['', 'x '])
    for (const read of readers)
      expect(() => read(`${start}${opening.repeat(LENGTH / opening.length)}b`)).not.toThrow();
});
