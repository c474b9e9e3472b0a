import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moment } from '../contracts/host.ts';
import { git } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

/** What a new session is told of the one before it, at each hook. */

const HOURS = 3_600_000;
const ASK = 'Round the totals of the cart to cents. Never touch the coupon code, Ines owns it.';
const RULE = 'and the log line stays exactly `cart <id> <total>`, Grafana parses it';
const TODOS = [
  { content: 'Round in cart.py', status: 'in_progress' },
  { content: 'Cover it with a test', status: 'pending' },
];

interface Left {
  cwd: string;
  /** A hook of the next session. */
  next(name: string, more?: object): Promise<string>;
  ask(prompt: string): Promise<string>;
}

/** A repository with a session of yesterday in it. */
async function left(work: (talk: ClaudeSession, cwd: string) => void, ends = true): Promise<Left> {
  const cwd = testDir({
    'SCRATCHPAD.md': '# Pad\n',
    '.scratchpad/.gitignore': '*\n',
    '.gitignore': 'SCRATCHPAD.md\n*.jsonl\n',
  });
  git(cwd, 'init', '-q', '-b', 'main');
  git(cwd, 'add', '-A');
  execFileSync(
    'git',
    ['-C', cwd, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'first'],
    {
      // Before the session.
      env: { ...process.env, GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z' },
    },
  );
  const talk = new ClaudeSession({
    cwd,
    session: 's1',
    branch: 'main',
    day: new Date(Date.now() - 16 * HOURS),
  });
  work(talk, cwd);
  writeFileSync(join(cwd, 's.jsonl'), talk.text);
  await moment(cwd, 'Stop', { last_assistant_message: 'x' });
  if (ends) await moment(cwd, 'SessionEnd', { reason: 'exit' });
  const next = (name: string, more: object = {}): Promise<string> =>
    moment(cwd, name, { session_id: 's2', transcript_path: join(cwd, 's2.jsonl'), ...more });
  return { cwd, next, ask: (prompt) => next('UserPromptSubmit', { prompt }) };
}

function cutOff(talk: ClaudeSession, cwd: string): void {
  mkdirSync(join(cwd, 'src'));
  writeFileSync(join(cwd, 'src/cart.py'), 'x = 1\n');
  talk
    .person(ASK)
    .use('TodoWrite', { todos: TODOS })
    .use('Write', { file_path: join(cwd, 'src/cart.py'), content: 'x = 1\n' })
    .person(RULE)
    .bash('pytest', 'FAILED test_cart.py::test_total\n1 failed', 1);
}

describe('a session after one that was cut off', () => {
  test('is told nothing of it at its start', async () => {
    const { next } = await left(cutOff);
    expect(await next('SessionStart', { source: 'startup' })).not.toMatch(/last session|Round|coupon/);
  });

  test('that goes on is told where it stands, and the words of the person whole', async () => {
    const { next, ask } = await left(cutOff);
    await next('SessionStart', { source: 'startup' });
    const told = await ask('Please go on with the cart.');
    for (const words of [ASK, RULE]) expect(told).toContain(`“${words}”`);
    expect(told).toMatch(
      /Last session here, 1[56]h ago: ended after a tool call, without a closing word; uncommitted: src\/cart\.py/,
    );
    expect(told).toContain('open tasks: Round in cart.py; Cover it with a test');
    expect(told).toMatch(/a record of 1[56]h ago; the prompt goes before it/);
    // The line stands before the words, and nothing is said twice.
    expect(told.indexOf('Last session here')).toBeLessThan(told.indexOf(ASK));
    expect(await ask('and now?')).not.toContain('cart');
  });

  test('in any of several languages', async () => {
    for (const prompt of [
      'mach weiter',
      'continúa por favor',
      'on reprend: continue',
      '続きをお願いします',
      '请继续',
    ]) {
      const { ask } = await left(cutOff);
      expect(await ask(prompt), prompt).toContain(ASK);
    }
  });

  test('that does other work is told a line of state, and not the words', async () => {
    const { ask } = await left(cutOff);
    const told = await ask(
      'Write an essay of two pages on the history of bread for my website, in French, with sources',
    );
    expect(told).toContain('uncommitted: src/cart.py');
    expect(told).not.toContain('coupon');
  });

  test('that asks for a commit is told of the files once', async () => {
    const { ask } = await left(cutOff);
    expect((await ask('commit it')).match(/src\/cart\.py/g)).toHaveLength(1);
  });

  test('that brings its own plan is told of the files alone', async () => {
    const { ask } = await left(cutOff);
    const told = await ask(`Build this. ${'The importer reads each line and writes it down. '.repeat(40)}`);
    expect(told).toMatch(/Left uncommitted by the last session here, 1[56]h ago: src\/cart\.py/);
    expect(told).not.toMatch(/coupon|open tasks/);
  });

  test('takes the words for itself: the next one gets the line', async () => {
    const { cwd, ask } = await left(cutOff);
    expect(await ask('go on please')).toContain(ASK);
    const third = await moment(cwd, 'UserPromptSubmit', {
      session_id: 's3',
      transcript_path: join(cwd, 's3.jsonl'),
      prompt: 'go on please',
    });
    expect(third).toContain('uncommitted: src/cart.py');
    expect(third).not.toContain(ASK);
  });

  test('not where it only asked what was said: the next one that goes on gets the words', async () => {
    const { cwd, ask } = await left(cutOff);
    expect(await ask('what did I ask for yesterday?')).toContain(ASK);
    const talk = new ClaudeSession({
      cwd,
      branch: 'main',
      session: 's2',
      day: new Date(Date.now() - 600_000),
    });
    writeFileSync(
      join(cwd, 's2.jsonl'),
      talk
        .person('what did I ask for yesterday?')
        .agent('The red one.')
        .person('use pytest for the cart, never unittest')
        .agent('I will.').text,
    );
    await moment(cwd, 'Stop', {
      session_id: 's2',
      transcript_path: join(cwd, 's2.jsonl'),
      last_assistant_message: 'x',
    });
    await moment(cwd, 'SessionEnd', { session_id: 's2', transcript_path: join(cwd, 's2.jsonl') });
    const { stdout } = await runWarm(['handover'], { cwd, env: { ...process.env, CLAUDECODE: '' } });
    for (const words of ['uncommitted: src/cart.py', ASK, 'use pytest']) expect(stdout).toContain(words);
    const third = await moment(cwd, 'UserPromptSubmit', {
      session_id: 's3',
      transcript_path: join(cwd, 's3.jsonl'),
      prompt: 'go on please',
    });
    expect(third).toContain(ASK);
    // The work is of one session and some of the words of another: each has its own age.
    expect(third).toMatch(/Last session here that did work, 1[56]h ago/);
    expect(third).toMatch(/\(\d+ ?min ago\) “use pytest for the cart, never unittest”/);
  });

  test('and is cut off itself: the third one is told the words of both', async () => {
    const { cwd, ask } = await left(cutOff);
    expect(await ask('go on please')).toContain(ASK);
    const talk = new ClaudeSession({
      cwd,
      session: 's2',
      branch: 'main',
      day: new Date(Date.now() - 2 * HOURS),
    })
      .person('go on please, and keep the old tests')
      .bash('ls');
    const file = join(cwd, 's2.jsonl');
    writeFileSync(file, talk.text);
    await moment(cwd, 'SessionEnd', { session_id: 's2', transcript_path: file });
    const third = { session_id: 's3', transcript_path: join(cwd, 's3.jsonl'), prompt: 'please continue' };
    const told = await moment(cwd, 'UserPromptSubmit', third);
    for (const words of [ASK, RULE, 'keep the old tests']) expect(told).toContain(words);
    // Each with its own age where the heading gives another.
    expect(told).toMatch(/\(1[56]h ago\) “Round the totals/);
    expect(told).not.toMatch(/ago\) “go on please, and keep/);
    const { stdout } = await runWarm(['handover', '--session', 's2'], { cwd });
    expect(stdout).toContain(RULE);
  });

  test('hears of files only as long as they are not committed', async () => {
    const { cwd, ask } = await left((talk, cwd) => {
      writeFileSync(join(cwd, 'cart.py'), 'x = 1\n');
      talk
        .person(ASK)
        .use('Write', { file_path: join(cwd, 'cart.py') })
        .agent('Done.');
    });
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'Round by hand');
    const told = await ask('what is the state of the importer in the warehouse?');
    expect(told).not.toContain('uncommitted');
    expect(told).toMatch(/ago: [0-9a-f]{7} Round by hand/);
  });

  test('and is still running: its words are not taken from it', async () => {
    const { ask } = await left(cutOff, false);
    const told = await ask('go on please');
    expect(told).toContain('(it may be running)');
    expect(told).not.toContain(ASK);
  });

  test('whose file is gone: what was known is told', async () => {
    const { cwd, ask } = await left(cutOff);
    rmSync(join(cwd, 's.jsonl'));
    expect(await ask('please go on')).toContain(ASK);
    expect((await runWarm(['status'], { cwd })).stdout).not.toContain('fault');
  });
});

test('a resumed session is told nothing of the one before it', async () => {
  const { cwd, next, ask } = await left(cutOff);
  const talk = new ClaudeSession({ cwd, session: 's2', branch: 'main' })
    .person('Mend the menu.')
    .agent('Done.');
  writeFileSync(join(cwd, 's2.jsonl'), talk.text);
  await next('SessionStart', { source: 'resume' });
  expect(await ask('go on')).not.toMatch(/Last session|coupon/);
});

test('a session that ended clean is told of in one line', async () => {
  const { ask } = await left((talk, cwd) => {
    talk
      .person('Please explain how the importer reads the price list of Brandt.')
      .use('Read', { file_path: join(cwd, 'x.py') })
      .agent('It reads line by line.');
  });
  const told = await ask('Which port does the web server listen on in staging?');
  const lines = told.split('\n').filter((line) => line.includes('Last session here'));
  expect(lines).toEqual([expect.stringContaining('“Please explain how the importer reads')]);
  expect(told).not.toMatch(/open|cut off|nothing uncommitted|carried out/);
});

test('a prompt that picks from the last list is told the item; orders that were carried out and repeats are left out', async () => {
  const { ask } = await left((talk, cwd) => {
    talk
      .person('The nightly import of Brandt counts every pallet twice.')
      .person('The nightly import of Brandt counts every pallet twice. Look at the mapper first.')
      .use('Edit', { file_path: join(cwd, 'src/cart.py'), old_string: 'a', new_string: 'b' })
      .agent('Fixed, the tests pass.')
      .person('commit this')
      .person('[Image #1]')
      .person('Two suppliers send pallets in halves, mind them')
      .agent('There are two ways:\n\n1. Round up\n\n2. Keep halves\n\nWhich one do you prefer?');
  });
  const told = await ask("let's go with option 2 and finish it");
  expect(told).toContain('Of its last list, item 2: Keep halves');
  expect(told).toContain('Look at the mapper first.');
  expect(told.match(/counts every pallet twice/g)).toHaveLength(1);
  expect(told).toContain('“Two suppliers send pallets in halves, mind them”');
  expect(told).not.toMatch(/commit this|Image #1/);
});

test('answers are told with what they answer, and approvals are left out', async () => {
  const { ask } = await left((talk) => {
    talk
      .person('We need a cache for the price list, the shop is slow on Mondays.')
      .agent('Two ways:\n1. Keep it in memory\n2. Keep it in Redis\n\nWhich one?')
      .person('2')
      .agent('And the lifetime?')
      .person('yes please')
      .rejected('Bash', { command: 'rm -rf cache' }, 'keep the old cache folder until Friday')
      .agent('Fine. Shall I begin?');
  });
  const told = await ask('continue with the cache');
  expect(told).toContain('(option 2: Keep it in Redis) “2”');
  expect(told).toContain('(refusing Bash rm -rf cache) “keep the old cache folder until Friday”');
  expect(told).not.toContain('yes please');
  expect(told).toContain('Last session here, 16h ago\nIt asked: “Fine. Shall I begin?”');
});

test('a question that nobody answered is told whatever the prompt is about', async () => {
  const { ask } = await left((talk) => {
    talk.person('We need a cache for the price list.').agent('Two ways:\n1. Memory\n2. Redis\n\nWhich one?');
  });
  const told = await ask('Which port does the web server of the warehouse listen on in staging?');
  expect(told).toContain('It asked: “Two ways: 1. Memory 2. Redis Which one?”');
  expect(told).not.toContain("The person's messages");
});

test('a pasted log is cut out of the middle of a message, the words around it are not', async () => {
  const log = Array.from(
    { length: 300 },
    (_, k) => `2026-11-20T10:00:${String(k % 60).padStart(2, '0')} ERROR worker ${k} failed`,
  ).join('\n');
  const { ask } = await left((talk) => {
    talk
      .person(
        `This is what staging says, never restart it by yourself:\n\n${log}\n\nKeep the retries at three.`,
      )
      .bash('ls');
  });
  const told = await ask('go on');
  expect(told).toContain('never restart it by yourself');
  expect(told).toContain('Keep the retries at three.');
  expect(told).toContain('[… pasted lines …]');
  expect(told.length).toBeLessThan(2500);
});

test('secrets and one-time codes are not repeated', async () => {
  const key = `sk-ant-api03-${'Ab1'.repeat(30)}AA`;
  const { ask } = await left((talk) => {
    talk.person(`Deploy with the key ${key} and never log it.`).bash('ls');
  });
  const told = await ask('go on');
  expect(told).toContain('never log it');
  expect(told).not.toContain(key.slice(0, 30));
});

describe('what the person forbade', () => {
  const work = (talk: ClaudeSession): void => {
    talk
      .person('Mend the totals. Do not push before Ines is back.')
      .use('Edit', { file_path: '/x' })
      .agent('Done.');
  };

  test('is said whole at a prompt that asks for it, once', async () => {
    const { ask } = await left(work);
    expect(await ask('what is the capital of France and of Spain, by the way?')).not.toContain(
      'The person said',
    );
    const told = await ask('commit this and push it');
    expect(told).toMatch(
      /The person said in an earlier session here, 1[56]h ago: “Mend the totals\. Do not push before Ines is back\.”/,
    );
    expect(await ask('push it')).not.toContain('Ines');
  });

  test('is not said for other requests, or mere mentions', async () => {
    for (const prompt of [
      'show me the totals',
      'do not push yet',
      'why did the push notification fail in the app for so many users last week, do we know?',
    ]) {
      const { ask } = await left(work);
      await ask('Tell me about the weather in Lisbon in the coming days please, and what to wear');
      expect(await ask(prompt), prompt).not.toContain('Ines');
    }
  });

  test('in the running session only where a compaction took it out of sight', async () => {
    const { cwd } = await left(() => undefined);
    const talk = new ClaudeSession({ cwd, session: 's2', branch: 'main' })
      .person('Never push to main, Ines does it.')
      .agent('ok');
    const file = join(cwd, 's2.jsonl');
    writeFileSync(file, talk.text);
    const hook = (name: string, more: object): Promise<string> =>
      moment(cwd, name, { session_id: 's2', transcript_path: file, ...more });
    expect(await hook('UserPromptSubmit', { prompt: 'push it' })).not.toContain('Ines');
    writeFileSync(file, talk.compaction('We talked.').person('thanks').agent('ok').text);
    expect(await hook('UserPromptSubmit', { prompt: 'push it' })).toContain(
      'The person said earlier in this session',
    );
  });
});

describe('after a compaction', () => {
  const compacted = async (summary: string): Promise<string> => {
    const { cwd } = await left(() => undefined);
    const file = join(cwd, 's2.jsonl');
    const talk = new ClaudeSession({ cwd, session: 's2', branch: 'main' })
      .person(ASK)
      .bash('pytest', 'FAILED test_cart.py::test_total\n1 failed, 3 passed', 1)
      .person('reply in bullet points only')
      .agent('ok');
    writeFileSync(file, talk.compaction(summary).text);
    return moment(cwd, 'SessionStart', { session_id: 's2', transcript_path: file, source: 'compact' });
  };

  test('the words that the summary has lost are told, those that it holds are not', async () => {
    const told = await compacted(`The user asked: "${ASK}" We worked on it; test_cart.py::test_total fails.`);
    expect(told).toContain('“reply in bullet points only”');
    expect(told).not.toContain('coupon');
  });

  test('the request for the summary asks to keep the words', async () => {
    const { cwd } = await left(() => undefined);
    const input = JSON.stringify({
      session_id: 's2',
      transcript_path: join(cwd, 's2.jsonl'),
      cwd,
      trigger: 'manual',
    });
    const { stdout } = await runWarm(['hook', 'claude-code', 'PreCompact'], { cwd, input });
    expect(stdout).toMatch(/^Keep each requirement.* word for word/);
  });
});

test('a request for a commit is told the uncommitted files of both sessions', async () => {
  const { cwd, next, ask } = await left(cutOff);
  await ask('Tell me about the weather in Lisbon in the coming days please, and what to wear');
  writeFileSync(join(cwd, 'menu.py'), 'y\n');
  const talk = new ClaudeSession({ cwd, session: 's2', branch: 'main', day: new Date(Date.now() - 600_000) })
    .person('Tell me about the weather')
    .use('Write', { file_path: join(cwd, 'menu.py') })
    .agent('Done.');
  appendFileSync(join(cwd, 's2.jsonl'), talk.text);
  const told = await next('UserPromptSubmit', { prompt: 'commit this' });
  expect(told).toContain('Uncommitted, edited in this session: menu.py');
  expect(told).toContain('Uncommitted, left by the last session here: src/cart.py');
});

test('a prompt later in a session that goes back to the work of another branch is told of it', async () => {
  const { cwd, next, ask } = await left(() => undefined);
  git(cwd, 'switch', '-q', '-c', 'labels');
  const talk = new ClaudeSession({
    cwd,
    session: 's3',
    branch: 'labels',
    day: new Date(Date.now() - 3 * HOURS),
  })
    .person('Write the labels of the plants. Never more than 24 characters in a line.')
    .bash('ls');
  const file = join(cwd, 's3.jsonl');
  writeFileSync(file, talk.text);
  await moment(cwd, 'Stop', { session_id: 's3', transcript_path: file });
  await moment(cwd, 'SessionEnd', { session_id: 's3', transcript_path: file });
  git(cwd, 'switch', '-q', 'main');
  await next('SessionStart', { source: 'startup' });
  expect(await ask('Fix the opening hours in the README, they are 9 to 18')).not.toContain('24 characters');
  const day = new Date(Date.now() - 600_000);
  const second = new ClaudeSession({ cwd, session: 's2', branch: 'main', day })
    .person('Fix it')
    .use('Write', { file_path: join(cwd, 'README.md') })
    .agent('Done.');
  writeFileSync(join(cwd, 's2.jsonl'), second.text);
  expect(await ask('which labels do we have on GitHub?')).not.toContain('24 characters');
  git(cwd, 'switch', '-q', '-c', 'other');
  git(cwd, 'switch', '-q', 'labels');
  expect(await ask('and now continue with what we began here')).toContain('24 characters');
  expect(await ask('continue')).not.toContain('24 characters');
});

describe('a session that does not begin with the work of before', () => {
  /** What the host writes of a prompt that was asked, and its answer. */
  const wrote = (cwd: string, text: string): void => {
    const day = new Date(Date.now() - 60_000);
    const talk = new ClaudeSession({ cwd, session: 's2', branch: 'main', day }).person(text).agent('Sure.');
    writeFileSync(join(cwd, 's2.jsonl'), talk.text);
  };

  test('after a greeting is told by the prompt that goes on with it, once', async () => {
    const { cwd, ask } = await left(cutOff);
    const greeted = await ask('good morning');
    expect(greeted).toMatch(/uncommitted: src\/cart\.py.*; 2 messages: `scratchpad handover`/);
    expect(greeted).not.toContain(ASK);
    wrote(cwd, 'good morning');
    const told = await ask('please go on with the cart');
    for (const words of [ASK, RULE]) expect(told).toContain(`“${words}”`);
    expect(await ask('please go on with the cart')).not.toContain(ASK);
  });

  test('and names what a message forbids is told that message once', async () => {
    const { ask } = await left(cutOff);
    const told = await ask('go on with the cart, and remove the coupon code please');
    expect(told.split('Never touch the coupon code')).toHaveLength(2);
  });

  test('and asks for the hand-over is given the session before its own', async () => {
    const { cwd, ask } = await left(cutOff);
    wrote(cwd, 'good morning');
    await ask('how are you?');
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's2' };
    const { stdout } = await runWarm(['handover'], { cwd, env });
    for (const words of [ASK, RULE]) expect(stdout).toContain(words);
    expect(stdout).not.toContain('good morning');
  });

  test('after work in words that name nothing is not taken for greeted', async () => {
    const { cwd, ask } = await left(cutOff);
    const other = 'can you write a test that fails right now, for each item, to show that it is an issue?';
    await ask(other);
    wrote(cwd, other);
    for (const prompt of ["let's implement a fix for both then", '"mise run test:ci" fails'])
      expect(await ask(prompt)).not.toContain(ASK);
  });
});

test.each(['before_compaction', 'after_compaction'])(
  'a chat that OpenClaw clears within its file, after %s, is told of the conversation before, once',
  async (compaction) => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    const path = join(cwd, 'chat.jsonl');
    const began = Date.now() - HOURS;
    let last: string | null = null;
    let count = 0;
    const write = (type: string, more: object): void => {
      const id = `r${++count}`;
      const timestamp = new Date(began + count * 1000).toISOString();
      appendFileSync(path, `${JSON.stringify({ type, id, parentId: last, timestamp, ...more })}\n`);
      last = id;
    };
    const say = (role: string, text: string): void =>
      write('message', { message: { role, content: [{ type: 'text', text }] } });
    const ask = async (event: string, prompt?: string): Promise<string> => {
      const input = { session_id: 'agent:main:main', transcript_path: path, cwd, prompt, standing: true };
      const given = JSON.stringify({ ...input, hook_event_name: event });
      return (await runWarm(['hook', 'openclaw'], { cwd, input: given })).stdout;
    };
    writeFileSync(path, `${JSON.stringify({ type: 'session', version: 4, id: 'c1', cwd })}\n`);
    expect(await ask('before_prompt_build', 'Look at the pool. Never close it twice.')).not.toContain(
      'twice',
    );
    say('user', 'Look at the pool. Never close it twice.');
    say('assistant', 'The pool leaks.');
    await ask('agent_end');
    await ask(compaction);
    write('reset', { reason: 'new' });
    const told = await ask('before_prompt_build', 'look at the pool again');
    expect(told).toContain('Last session here');
    expect(told).not.toContain('it may be running');
    expect(told).toContain('Never close it twice.');
    say('user', 'look at the pool again');
    say('assistant', 'Done.');
    await ask('agent_end');
    expect(await ask('before_prompt_build', 'go on')).not.toContain('twice');
  },
);
