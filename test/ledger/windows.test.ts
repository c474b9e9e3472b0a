import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const PLAN = ['1. Find the leak', '2. Test it', '3. Write it up'];
const NOTES = ['- release() is skipped on timeout', '- the pool holds 12 sockets'];

/** A host session in a workspace, with a transcript as Claude Code writes it. */
class Talk {
  readonly cwd: string;
  readonly transcript: string;
  #minute = 0;
  #last: string | null = null;
  #count = 0;

  private constructor(cwd: string) {
    this.cwd = cwd;
    this.transcript = join(cwd, 'talk.jsonl');
    writeFileSync(this.transcript, '');
  }

  static async begin(): Promise<Talk> {
    const cwd = testDir();
    await runWarm(['plan', 'set', PLAN.join('\n')], { cwd });
    await runWarm(['notes', 'set', NOTES.join('\n')], { cwd });
    return new Talk(cwd);
  }

  /** One hook. @returns what the model is told */
  async hook(event: string, more: object = {}, session = 's1'): Promise<string> {
    this.#minute += 1;
    const now = `2026-02-06T10:${String(this.#minute).padStart(2, '0')}:00Z`;
    const input = { session_id: session, transcript_path: this.transcript, cwd: this.cwd, ...more };
    const done = await runWarm(['hook', 'claude-code', event, '--now', now], {
      cwd: this.cwd,
      input: JSON.stringify(input),
    });
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    if (done.stdout === '') return '';
    const answer = JSON.parse(done.stdout) as { hookSpecificOutput: { additionalContext: string } };
    return answer.hookSpecificOutput.additionalContext;
  }

  /** A prompt and its answer. @returns what the model is told, and the id of the answer */
  async turn(prompt: string): Promise<{ said: string; answer: string }> {
    const said = await this.hook('UserPromptSubmit', { prompt });
    this.write('user', prompt);
    return { said, answer: this.write('assistant', `Done: ${prompt}`) };
  }

  write(type: string, content: string): string {
    this.#count += 1;
    const uuid = `r${this.#count}`;
    const timestamp = `2026-02-06T10:${String(this.#minute).padStart(2, '0')}:01Z`;
    const record = {
      type,
      uuid,
      parentUuid: this.#last,
      sessionId: 's1',
      timestamp,
      message: { role: type, content },
    };
    appendFileSync(this.transcript, `${JSON.stringify(record)}\n`);
    this.#last = uuid;
    return uuid;
  }

  /** The person takes back what came after a record. */
  rewindTo(uuid: string | null): void {
    this.#last = uuid;
  }
}

const holdsPad = (said: string): boolean => [...PLAN, ...NOTES].every((line) => said.includes(line));

describe('a window is shown the pad once', () => {
  test('from a start on, and again after a clear and a compaction', async () => {
    const talk = await Talk.begin();
    expect(holdsPad(await talk.hook('SessionStart', { source: 'startup' }))).toBe(true);
    for (const words of ['find it', 'go on', 'and now?']) expect((await talk.turn(words)).said).toBe('');
    expect(holdsPad(await talk.hook('SessionStart', { source: 'compact' }))).toBe(true);
    expect((await talk.turn('go on')).said).toBe('');
    expect(holdsPad(await talk.hook('SessionStart', { source: 'clear' }))).toBe(true);
    expect((await talk.turn('go on')).said).toBe('');
  });

  test('a resumed session is shown what has changed since, and nothing else', async () => {
    const talk = await Talk.begin();
    await talk.hook('SessionStart', { source: 'startup' });
    await talk.turn('find it');
    expect(await talk.hook('SessionStart', { source: 'resume' })).toBe('');
    await runWarm(['notes', 'add', 'the driver is to blame'], { cwd: talk.cwd });
    const said = await talk.hook('SessionStart', { source: 'resume' });
    expect(said).toContain('## Notes, changed\nthe driver is to blame');
    expect(said).not.toContain(NOTES[0]);
  });

  test('a fork holds the window of its parent before its file exists', async () => {
    const talk = await Talk.begin();
    expect(holdsPad(await talk.hook('SessionStart', { source: 'startup' }))).toBe(true);
    await talk.turn('find it');
    const fork = { transcript_path: join(talk.cwd, 'nothing-yet.jsonl') };
    expect(await talk.hook('SessionStart', { source: 'fork', ...fork }, 's2')).toBe('');
    expect(await talk.hook('UserPromptSubmit', { prompt: 'another way', ...fork }, 's2')).toBe('');
    await runWarm(['notes', 'add', 'the driver is to blame'], { cwd: talk.cwd });
    const said = await talk.hook('UserPromptSubmit', { prompt: 'and now?', ...fork }, 's2');
    expect(said).toContain('the driver is to blame');
    expect(said).not.toContain('## Plan');
  });

  test('a fork of Codex names its parent, and holds what that was told before the fork', async () => {
    const talk = await Talk.begin();
    const line = (type: string, payload: object): string =>
      `${JSON.stringify({ timestamp: '2026-02-06T10:00:01.000Z', type, payload })}\n`;
    const begins = line('session_meta', { id: 's1', cwd: talk.cwd });
    const said = line('event_msg', { type: 'user_message', message: 'find it' });
    const file = { transcript_path: join(talk.cwd, 'rollout-s1.jsonl') };
    writeFileSync(file.transcript_path, begins + said);
    expect(holdsPad(await talk.hook('SessionStart', { source: 'startup', ...file }))).toBe(true);
    await talk.hook('UserPromptSubmit', { prompt: 'find it', ...file });
    for (const [id, end, isKnown] of [
      ['s2', (begins + said).length, true],
      ['s3', 10, false],
    ] as const) {
      const fork = { transcript_path: join(talk.cwd, `rollout-${id}.jsonl`) };
      const history_base = { thread_id: 's1', end_byte_offset: end };
      writeFileSync(
        fork.transcript_path,
        line('session_meta', { id, cwd: talk.cwd, forked_from_id: 's1', history_base }),
      );
      const told = await talk.hook('SessionStart', { source: 'fork', ...fork }, id);
      expect(holdsPad(told)).toBe(!isKnown);
    }
  });

  test('a fork holds the window of its parent: nothing twice, and its parent is no other session', async () => {
    const talk = await Talk.begin();
    await talk.hook('SessionStart', { source: 'startup' });
    await talk.turn('find it');
    await talk.turn('go on');
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };
    await runWarm(['plan', 'set', '1. Mine'], { cwd: talk.cwd, env });
    await talk.hook('PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: 'scratchpad plan set "1. Mine"' },
      tool_response: { stdout: 'set: 1 step - next: 1. Mine' },
    });
    await talk.turn('and now?');
    // The host copies the records with the fork's first prompt.
    const fork = { transcript_path: join(talk.cwd, 'fork.jsonl') };
    expect(await talk.hook('SessionStart', { source: 'fork', ...fork }, 's2')).toBe('');
    writeFileSync(fork.transcript_path, readFileSync(talk.transcript));
    expect(await talk.hook('UserPromptSubmit', { prompt: 'try the other way', ...fork }, 's2')).toBe('');
    // Its own changes are its own from then on.
    await runWarm(['plan', 'add', 'Of the fork'], {
      cwd: talk.cwd,
      env: { ...env, CLAUDE_CODE_SESSION_ID: 's2' },
    });
    const said = await talk.hook('SessionStart', { source: 'compact', ...fork }, 's2');
    expect(said).toContain('## Plan\n1. Mine\n2. Of the fork');
    expect(said).not.toContain('Another session');
    expect(await talk.hook('SessionStart', { source: 'compact' })).toContain('## Plan\n1. Mine\n\n');
  });

  test('a fork of a session that was never seen is shown everything at its first prompt', async () => {
    const talk = await Talk.begin();
    expect(await talk.hook('SessionStart', { source: 'fork' }, 's2')).toBe('');
    expect(holdsPad(await talk.hook('UserPromptSubmit', { prompt: 'go on' }, 's2'))).toBe(true);
  });

  /** A note is told in a turn that is then taken back. */
  const rewound = async (): Promise<Talk> => {
    const talk = await Talk.begin();
    await talk.hook('SessionStart', { source: 'startup' });
    const first = await talk.turn('find it');
    await runWarm(['notes', 'add', 'the driver is to blame'], { cwd: talk.cwd });
    expect((await talk.turn('go on')).said).toContain('the driver is to blame');
    talk.rewindTo(first.answer);
    await runWarm(['refs', 'add', 'src/driver.ts'], { cwd: talk.cwd });
    // The host writes nothing of the rewind before the next prompt is in its file.
    const { said } = await talk.turn('no, look at the pool');
    expect(said).toContain('src/driver.ts');
    expect(said).not.toContain('the driver is to blame');
    return talk;
  };
  const called = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: { stdout: 'a' } };

  test('after a rewind what was said since counts as never said: it is said at the next prompt', async () => {
    const talk = await rewound();
    const { said } = await talk.turn('go on');
    expect(said).toContain(`## Notes\n${NOTES.join('\n')}\nthe driver is to blame`);
    expect(said).not.toContain(PLAN[0]);
    expect(said).not.toContain('src/driver.ts');
    expect((await talk.turn('go on')).said).toBe('');
  });

  test('a rewind is noticed at the first tool call', async () => {
    const talk = await rewound();
    const said = await talk.hook('PostToolUse', called);
    expect(said).toContain('the driver is to blame');
    expect(said).not.toContain(PLAN[0]);
    expect(said).not.toContain('src/driver.ts');
    expect(await talk.hook('PostToolUse', called)).toBe('');
    expect((await talk.turn('go on')).said).toBe('');
  });

  test('after a rewind to before the first prompt everything counts as never said', async () => {
    const talk = await rewound();
    talk.rewindTo(null);
    await talk.turn('from the beginning');
    expect(holdsPad(await talk.hook('PostToolUse', called))).toBe(true);
    expect((await talk.turn('go on')).said).toBe('');
  });

  test('a call of a tool in a conversation that goes on says nothing', async () => {
    const talk = await Talk.begin();
    await talk.hook('SessionStart', { source: 'startup' });
    for (const words of ['find it', 'go on']) {
      await talk.turn(words);
      expect(await talk.hook('PostToolUse', called)).toBe('');
    }
  });

  test('a transcript that shrinks or is another one begins a new window', async () => {
    const talk = await Talk.begin();
    await talk.hook('SessionStart', { source: 'startup' });
    await talk.turn('find it');
    await talk.turn('go on');
    truncateSync(talk.transcript, 10);
    expect(holdsPad((await talk.turn('go on')).said)).toBe(true);
  });

  test('a ledger that is damaged, of another version or of another session is ignored', async () => {
    const talk = await Talk.begin();
    await talk.hook('SessionStart', { source: 'startup' });
    const dir = join(talk.cwd, '.scratchpad/hosts');
    const [name = ''] = readdirSync(dir);
    const whole = readFileSync(join(dir, name), 'utf8');
    const damages = [
      '',
      'null',
      whole.slice(0, whole.length / 2),
      whole.replace('"version":1', '"version":99'),
      whole.replace('"session":"s1"', '"session":"other"'),
      whole.replace('"began":', '"begun":'),
    ];
    for (const damage of damages) {
      writeFileSync(join(dir, name), damage);
      expect(holdsPad((await talk.turn('go on')).said), damage.slice(0, 80)).toBe(true);
    }
  });

  test('what was shown but could not be recorded is shown again', async () => {
    const talk = await Talk.begin();
    mkdirSync(join(talk.cwd, '.scratchpad/hosts/s1.json'), { recursive: true });
    expect(holdsPad(await talk.hook('SessionStart', { source: 'startup' }))).toBe(true);
    expect(holdsPad((await talk.turn('go on')).said)).toBe(true);
  });
});

test('an old plan is shown again: first its step in one line, then all of it', async () => {
  const talk = await Talk.begin();
  await talk.hook('SessionStart', { source: 'startup' });
  await talk.turn('find it');
  const words = (tokens: number): void => void talk.write('assistant', 'word '.repeat(tokens));
  words(9000);
  expect((await talk.turn('go on')).said).toBe('[Scratchpad] Plan: step 1 of 3, "Find the leak"; 3 open.');
  words(2000);
  expect((await talk.turn('go on')).said).toBe('');
  words(14000);
  const again = (await talk.turn('go on')).said;
  expect(again).toContain(`## Plan (reminder)\n${PLAN.join('\n')}`);
  expect((await talk.turn('go on')).said).toBe('');
  await runWarm(['config', 'set', 'recite.plan', '0'], { cwd: talk.cwd });
  await runWarm(['config', 'set', 'recite.step', '0'], { cwd: talk.cwd });
  words(60000);
  expect((await talk.turn('go on')).said).toBe('');
});

test('status and context --explain say what the window was told', async () => {
  const talk = await Talk.begin();
  await talk.hook('SessionStart', { source: 'startup' });
  await talk.turn('go on');
  const { stdout } = await runWarm(['context', '--explain'], { cwd: talk.cwd });
  expect(stdout).toMatch(/^session s1, window since 2026-02-06T10:01:00\.000Z \(start\)\n/);
  expect(stdout).toContain('Plan, 3 lines');
  expect((await runWarm(['status'], { cwd: talk.cwd })).stdout).toMatch(
    /^told: {7}plan \(3 lines\), .*; about \d+ tokens in all, the last .* ago \(session s1\)$/m,
  );
});

test('a pad that is withheld amid a window is told so once, and not told to be empty', async () => {
  const talk = await Talk.begin();
  await talk.hook('SessionStart', { source: 'startup' });
  await talk.turn('go on');
  // The record of what was made here: an unpacked archive has none that holds.
  rmSync(join(talk.cwd, '.scratchpad/made'));
  const { said } = await talk.turn('what is left?');
  expect(said).toMatch(/^\[Scratchpad\] \(Not used until the person runs `scratchpad trust`/);
  expect((await talk.turn('and now?')).said).toBe('');
  await runWarm(['trust'], { cwd: talk.cwd });
  await runWarm(['notes', 'add', '- and the queue'], { cwd: talk.cwd });
  const news = (await talk.turn('and then?')).said;
  expect(news).toContain('- and the queue');
  expect(news).not.toContain('release()');
});
