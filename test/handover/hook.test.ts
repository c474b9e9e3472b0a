import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identifyProcess } from '../../src/base/fs/index.ts';
import { remember } from '../../src/hosts/session-memory.ts';
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
async function left(
  work: (talk: ClaudeSession, cwd: string) => void,
  { ends = true, began = new Date(Date.now() - 16 * HOURS) } = {},
): Promise<Left> {
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
    day: began,
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
      /The last session here, 1[56] h ago: ended without a closing message; open tasks: “Round in cart\.py”; “Cover it with a test/,
    );
    expect(told).toContain("The person's messages there (the prompt overrides them)");
    // Claude Code shows its model the files and the commits.
    expect(told).not.toContain('uncommitted');
    // The line stands before the words, and nothing is said twice.
    expect(told.indexOf('The last session here')).toBeLessThan(told.indexOf(ASK));
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

  test.each([
    'Write an essay of two pages on the history of bread for my website, in French, with sources',
    `Build this. ${'The importer reads each line and writes it down. '.repeat(40)}`,
    'Something else: write a small haiku generator in haiku.py that prints three lines, without tests',
    'New topic: draft a limerick about tea and commit it',
    'please continue in haiku.py',
    'review this PR #7369',
    'good morning',
  ])('that does other work is told nothing of it: “%s”', async (prompt) => {
    const { ask } = await left(cutOff);
    expect(await ask(prompt)).not.toMatch(/last session|coupon|cart/);
  });

  test('that does other work is told of the error that cut the work off', async () => {
    const { ask } = await left((talk, cwd) => {
      cutOff(talk, cwd);
      const text = "You've hit your usage limit. Your limit resets at 3pm.";
      const message = { id: 'e', role: 'assistant', model: '<synthetic>', content: [{ type: 'text', text }] };
      talk.line({ type: 'assistant', isApiErrorMessage: true, message });
    });
    const told = await ask('Which port does the web server of the warehouse listen on in staging?');
    expect(told).toMatch(
      /The last session here, 1[56] h ago: cut off by a limit of the host; “You've hit your usage/,
    );
    expect(told).not.toContain('coupon code, Ines');
  });

  test('takes the words for itself: the next one gets the line', async () => {
    const { cwd, ask } = await left(cutOff);
    expect(await ask('go on please')).toContain(ASK);
    const third = await moment(cwd, 'UserPromptSubmit', {
      session_id: 's3',
      transcript_path: join(cwd, 's3.jsonl'),
      prompt: 'go on please',
    });
    expect(third).toContain('open tasks: “Round in cart.py”');
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
    expect(third).toMatch(/The last session that did work here, 1[56] h ago/);
    expect(third).toMatch(/messages in a later session of this work, \d+ min ago/);
    expect(third).toContain('“use pytest for the cart, never unittest”');
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
    expect(told).toMatch(/in an earlier session of this work, 1[56] h ago\n- “Round the/);
    expect(told).toMatch(/in the last session here, 1 h 5\d m ago \(.*\)\n- “go on please, and keep/);
    const { stdout } = await runWarm(['handover', '--session', 's2'], { cwd });
    expect(stdout).toContain(RULE);
  });

  test.each([
    ['is still running: its words are not taken from it', (talk: ClaudeSession) => talk.bash('ls'), false],
    [
      'is over, and the host has not said so yet',
      (talk: ClaudeSession) => talk.agent('Half done. Go on?'),
      true,
    ],
  ])('and %s', async (_, work, hands) => {
    const began = new Date(Date.now() - 3 * 60_000);
    const { ask } = await left((talk) => void work(talk.person(ASK)), { ends: false, began });
    const told = await ask('go on please');
    expect(told.includes('(it may be running)')).toBe(!hands);
    expect(told.includes("The person's messages in")).toBe(hands);
  });

  test('and whose host was killed within a call hands over at once', async () => {
    const began = new Date(Date.now() - 3 * 60_000);
    const { cwd, ask } = await left((talk) => void talk.person(ASK).bash('ls'), { ends: false, began });
    const gone = spawnSync('true').pid;
    await remember(join(cwd, '.scratchpad'), 's1', (memory) => ({
      ...memory,
      process: { ...identifyProcess(), pid: gone },
    }));
    const told = await ask('go on please');
    expect(told).toContain(ASK);
    expect(told).not.toContain('it may be running');
  });

  test('on another branch is told of, and on which', async () => {
    const { cwd, ask } = await left(cutOff);
    git(cwd, 'switch', '-q', '-c', 'feature/other');
    const told = await ask('please go on');
    expect(told).toMatch(/The last session here, 1[56] h ago \(on main; this is feature\/other\): /);
    expect(told).toContain(ASK);
  });

  test('on another branch of its own goes on only in words that say so', async () => {
    const { cwd, ask } = await left(cutOff);
    const prompt = 'round the totals of the cart';
    git(cwd, 'switch', '-q', '-c', 'feature/other');
    expect(await ask(prompt)).not.toMatch(/last session|coupon/);
    git(cwd, 'switch', '-q', 'main');
    expect(await (await left(cutOff)).ask(prompt)).toContain(ASK);
  });

  test('with three long messages is told all of them whole, as long as there is room', async () => {
    const rule = (k: number): string =>
      `Rule ${k}: ${'the amounts stay in cents, and the names of the columns are as the accountant wrote them; '.repeat(4)}`;
    const { ask } = await left((talk) => {
      for (let k = 0; k < 4; k += 1) talk.person(rule(k)).bash('ls');
    });
    const told = await ask('continue');
    for (let k = 0; k < 4; k += 1) expect(told).toContain(rule(k).trim());
    expect(told).not.toContain('left out');
  });

  test('behind sessions of scripts, and sessions that only read', async () => {
    const { cwd, ask } = await left(cutOff);
    const later = (session: string, hours: number, work: (talk: ClaudeSession) => void): Promise<string> => {
      const day = new Date(Date.now() - hours * HOURS);
      const talk = new ClaudeSession({ cwd, session, branch: 'main', day });
      work(talk);
      const file = join(cwd, `${session}.jsonl`);
      writeFileSync(file, talk.text);
      return moment(cwd, 'Stop', { session_id: session, transcript_path: file, last_assistant_message: 'x' });
    };
    for (let k = 0; k < 9; k += 1)
      await later(`script-${k}`, 9 - k / 10, (talk) =>
        talk
          .person(`Check the dependencies, run ${k}.`, { entrypoint: 'sdk-cli' })
          .bash('npm audit')
          .agent('Fine.'),
      );
    await later('look', 2, (talk) =>
      talk
        .person('What is in the README of this project?')
        .use('Read', { file_path: 'README.md' })
        .agent('A title.'),
    );
    const told = await ask('please go on');
    expect(told).toContain(ASK);
    expect(told).not.toMatch(/dependencies|README/);
  });

  test('and whose messages that only ask to go on are left out', async () => {
    const { ask } = await left((talk) => {
      talk.person(ASK).bash('ls');
      for (const text of ['go on', 'please continue', 'weiter', 'push it', 'yes', '继续'])
        talk.person(text).agent(`Done: ${text}.`).bash('ls');
      talk.person('the header stays');
    });
    const told = await ask('please go on');
    expect(told.match(/^- “.*$/gm)?.slice(0, 2)).toEqual([`- “${ASK}”`, '- “the header stays”']);
  });

  test.each([
    [
      '请把购物车页面的总额改成按合计来算，然后写一段简短的说明，讲清楚改了什么，为什么要改。',
      '绝对不要动优惠券的代码',
    ],
    ['ยอดรวมของตะกร้าผิดไปหนึ่งสตางค์ กรุณาตรวจสอบการคำนวณในหน้านี้ '.repeat(2), 'ห้ามแตะโค้ดคูปองเด็ดขาด'],
  ])('with one message that is longer than all room: it is shortened (%#)', async (part, rule) => {
    const { ask } = await left((talk) => {
      talk.person(`${part.repeat(20)}${rule}`).bash('ls');
    });
    expect(await ask('please go on')).toContain(rule);
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

test('a session that ended clean is not told of, and its analysis is if the prompt goes on with it', async () => {
  const work = (talk: ClaudeSession, cwd: string): void => {
    talk
      .person('Please explain how the importer reads the price list of Brandt.')
      .use('Read', { file_path: join(cwd, 'x.py') })
      .agent('Now I will look at the mapper.')
      .use('Read', { file_path: join(cwd, 'y.py') })
      .agent('It reads line by line, and skips the first one.');
  };
  const other = await left(work);
  expect(await other.ask('Which port does the web server listen on in staging?')).not.toMatch(
    /last session|Brandt/,
  );
  const told = await (await left(work)).ask('please go on');
  expect(told).toContain("## The agent's last messages, unchecked\n- “It reads line by line, and skips");
  expect(told).not.toContain('look at the mapper');
});

describe("the agent's own messages", () => {
  const LONG =
    'The token expires in local time, and the server compares it with UTC, so sessions are lost at night.';

  test('since its last edit are told of work that was cut off, without code and announcements', async () => {
    const { ask } = await left((talk, cwd) => {
      talk
        .person('Why are people logged out at night?')
        .agent('It may be the cookie, let us see.')
        .use('Edit', { file_path: join(cwd, 'a.py') })
        .agent(`Found it: ${LONG}\n\n\`\`\`py\nnow = datetime.now()\n\`\`\`\nLet me check the tests.`)
        .bash('pytest')
        .person('and look at the clock of the worker, too')
        .agent('The clock of the worker runs in UTC, it is not affected.')
        .bash('date');
    });
    const told = await ask('continue');
    const [, agent = ''] = told.split("## The agent's last messages, unchecked\n");
    expect(agent).toContain(
      `- “Found it: ${LONG}”\n- “The clock of the worker runs in UTC, it is not affected.”`,
    );
    expect(agent).not.toMatch(/cookie|datetime|check the tests/);
  });

  test('are shortened to 120 tokens, the newest first', async () => {
    const { ask } = await left((talk) => {
      talk.person('Why are people logged out at night?');
      for (let k = 0; k < 12; k += 1) talk.agent(`Part ${k}. ${LONG}`).bash('ls');
    });
    const told = await ask('continue');
    expect(told).toContain('Part 11.');
    expect(told).not.toContain('Part 7.');
  });

  test('are told where the person refused the change, or the last sentence announces one', async () => {
    for (const end of ["I'll compare in UTC then.", 'Now to the fix:']) {
      const { ask } = await left((talk) => {
        talk.person('Why are people logged out at night?').agent(LONG).bash('ls').agent(`It is so. ${end}`);
      });
      expect(await ask('continue')).toMatch(/ended before doing what it announced[\s\S]*The token expires/);
    }
  });

  test('keep the sentence that names a list', async () => {
    const { ask } = await left((talk) => {
      talk
        .person('Why are people logged out at night?')
        .agent('These three must change:\n1. `auth.py`\n2. `clock.py`\n3. `job.py`\n\nLet me begin.')
        .bash('ls');
    });
    expect(await ask('continue')).toContain('These three must change: `auth.py` `clock.py`');
  });

  test('are told with what the next change is for, and not with what a look is for', async () => {
    const { ask } = await left((talk) => {
      talk
        .person('Why are people logged out at night?')
        .agent(`${LONG} Let me check what \`clock.py\` does:`);
      talk
        .bash('cat clock.py')
        .agent("I'll compare in `auth.py`, since the worker has no time zone.")
        .bash('ls');
    });
    const told = await ask('continue');
    for (const words of [LONG, '`auth.py`, since the worker has no time zone']) expect(told).toContain(words);
    expect(told).not.toContain('check what');
  });

  test('are not told where the turn ended with a change', async () => {
    const { ask } = await left((talk, cwd) => {
      talk
        .person('Fix the logout at night.')
        .use('Edit', { file_path: join(cwd, 'a.py') })
        .agent(LONG);
    });
    expect(await ask('continue')).not.toContain(LONG);
  });
});

test('notes from before the last calls of the session are said to be', async () => {
  const { cwd, ask } = await left((talk) => {
    talk.person('Why are people logged out at night?').bash('ls');
  });
  const now = new Date(Date.now() - 15.975 * HOURS).toISOString();
  await runWarm(['notes', 'append', 'the cookie is fine', '--now', now], { cwd });
  const { stdout } = await runWarm(['notes', 'show'], { cwd });
  expect(stdout).toContain('cookie');
  expect(await ask('continue')).toContain('its notes are from before its last 1 call');
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
  expect(told).toContain(
    'It asked: “There are two ways: 1. Round up 2. Keep halves Which one do you prefer?”',
  );
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
  // Words of a refusal are of one call: the agent has taken another way since.
  expect(told).not.toContain('until Friday');
  expect(told).not.toContain('yes please');
  expect(told).toContain('It asked: “Fine. Shall I begin?”');
  expect(told).not.toContain("The agent's last");
});

test('a rule beside an order that was carried out is told where later work was cut off', async () => {
  const rule =
    "One test file for each function, named after it like total.test.js, I don't like those big ones.";
  const { ask } = await left((talk, folder) => {
    talk.person(`Add a test that the total of an empty list is 0. ${rule}`);
    talk.use('Write', {
      file_path: join(folder, 'total.test.js'),
      content: 'the total of an empty list is 0',
    });
    talk.agent('total.test.js tests that the total of an empty list is 0, and nothing else.');
    talk.person('Now the discounts, never on tobacco.').bash('ls');
  });
  expect(await ask('please go on')).toContain(rule);
});

test('words of a refusal are told if the session ended with them', async () => {
  const { ask } = await left((talk) => {
    talk.person('We need a cache for the price list.').agent('I clear the old one first.');
    talk.rejected('Bash', { command: 'rm -rf cache' }, 'keep the old cache folder until Friday');
  });
  const told = await ask('continue with the cache');
  expect(told).toContain('(refusing Bash rm -rf cache) “keep the old cache folder until Friday”');
});

test('of two messages of which the second corrects a slip in the first, the second is told', async () => {
  const { ask } = await left((talk) => {
    talk.person('have a look at ticket MCP-108, we will work on that here').bash('ls');
    talk.line({ type: 'user', message: { content: '[Request interrupted by user]' } });
    talk.person('have a look at ticket ENT-108, we will work on that here').bash('ls');
  });
  const told = await ask('please continue');
  expect(told).toContain('ENT-108');
  expect(told).not.toContain('MCP-108');
});

test('work whose last call was its commit is not called cut off', async () => {
  const { cwd, ask } = await left((talk, folder) => {
    talk.person('Round the totals of the cart to cents.');
    talk.use('Write', { file_path: join(folder, 'cart.ts') });
    talk.call('Bash', { command: 'git add -A && git commit -m "Round the totals"' });
  });
  git(cwd, 'status');
  const told = await ask('please go on');
  expect(told).toContain('(answered; the prompt overrides them)');
  expect(told).not.toContain('without a closing message');
});

test('work that a call cut off is called so, although an earlier call looked at commits', async () => {
  const { cwd, ask } = await left((talk, folder) => {
    talk.person('Round the totals of the cart to cents.');
    talk.bash('git log --grep commit');
    talk.call('Edit', { file_path: join(folder, 'cart.ts'), new_string: 'git commit' });
  });
  git(cwd, 'status');
  expect(await ask('please go on')).toContain('without a closing message');
});

test('a question stays open over a session that only went on', async () => {
  const { cwd, ask } = await left((talk) => {
    talk.person('We need a cache for the price list.').agent('Keep it in memory, or in Redis?');
  });
  expect(await ask('go on')).toContain('It asked: “Keep it in memory, or in Redis?”');
  const day = new Date(Date.now() - HOURS);
  const talk = new ClaudeSession({ cwd, session: 's2', branch: 'main', day }).person('go on');
  const file = join(cwd, 's2.jsonl');
  writeFileSync(file, talk.use('Write', { file_path: join(cwd, 'cache.ts') }).text);
  await moment(cwd, 'Stop', { session_id: 's2', transcript_path: file });
  await moment(cwd, 'SessionEnd', { session_id: 's2', transcript_path: file });
  const third = { session_id: 's3', transcript_path: join(cwd, 's3.jsonl') };
  const told = await moment(cwd, 'UserPromptSubmit', { ...third, prompt: 'good morning, please go on' });
  expect(told).toContain('It asked: “Keep it in memory, or in Redis?”');
});

test('a question that nobody answered is told whatever the prompt is about', async () => {
  const { ask } = await left((talk) => {
    talk.person('We need a cache for the price list.').agent('Two ways:\n1. Memory\n2. Redis\n\nWhich one?');
  });
  const told = await ask('Which port does the web server of the warehouse listen on in staging?');
  expect(told).toMatch(/16 h ago, asked without an answer: “Two ways: 1\. Memory 2\. Redis Which one\?”/);
  expect(told).not.toContain("The person's messages");
});

test('a question below a list that does not fit is not told with the last item alone', async () => {
  const long = `1. **Rebase on main**, which resolves it ${'since the files were overwritten '.repeat(5)}`;
  const { ask } = await left((talk) => {
    talk
      .person('We need a cache for the price list.')
      .agent(`Should I:\n\n${long}\n2. **Check if tests pass** before the rebase\n\nWhich would you prefer?`);
  });
  const told = await ask('Which port does the web server of the warehouse listen on in staging?');
  expect(told).not.toContain('tests pass');
});

test.each([
  'The cache is in. Want me to commit it?',
  'Which way do you want to go?',
  'I read the three files. Soll ich den Cache einbauen?',
])('what no work waits for is not told to other work: “%s”', async (words) => {
  const { ask } = await left((talk) => talk.person('We need a cache for the price list.').agent(words));
  const told = await ask('Which port does the web server of the warehouse listen on in staging?');
  expect(told).not.toContain('asked without an answer');
});

test('an open end is told to one session only', async () => {
  const { cwd, ask } = await left((talk) => {
    talk.person('We need a cache for the price list.').agent('Two ways:\n1. Memory\n2. Redis\n\nWhich one?');
  });
  const other = 'Which port does the web server of the warehouse listen on in staging?';
  expect(await ask(other)).toContain('asked without an answer');
  const third = await moment(cwd, 'UserPromptSubmit', {
    session_id: 's3',
    transcript_path: join(cwd, 's3.jsonl'),
    prompt: other,
  });
  expect(third).not.toContain('asked without an answer');
});

test.each([
  ['the host ran the hooks of the end', { type: 'progress', data: { hookEvent: 'Stop' } }, ''],
  ['the host wrote how long the turn took', { type: 'system', subtype: 'turn_duration' }, ''],
  [
    'the person interrupted it',
    { type: 'user', message: { content: '[Request interrupted by user]' } },
    'interrupted',
  ],
])('a turn that ends with a call is not called cut off where %s', async (_, record, state) => {
  const { ask } = await left((talk, cwd) => {
    cutOff(talk, cwd);
    talk.line(record);
  });
  const told = await ask('go on please');
  expect(told).toContain('Never touch the coupon code, Ines owns it.');
  expect(told).toContain(state);
  expect(told).not.toMatch(/cut off|may be running/);
});

test('a session that ended after an edit is not called cut off, and its request is quoted to its end', async () => {
  const request =
    'Return .bash_profile if ~/.bash_profile exists in the home folder, otherwise return .bashrc.';
  const { next } = await left(
    (talk, cwd) => {
      talk.person(request).use('Write', { file_path: join(cwd, 'src/setup.go'), content: 'x' });
    },
    { ends: false, began: new Date(Date.now() - 150_000) },
  );
  const told = await next('UserPromptSubmit', { prompt: 'go on with setup.go' });
  expect(told).toContain(`“${request}”`);
  expect(told).toContain('ended without a closing message; its last edit, setup.go, succeeded');
  expect(told).not.toContain('cut off');
});

test.each([
  ['nothing of it', '', false],
  ['what was edited since', 'src/cart.py', true],
])('a prompt that says the last message again is told %s', async (_, file, isTold) => {
  const again = 'have a look at ticket ENT-108, we will work on that here';
  const { ask } = await left((talk, cwd) => {
    talk.person(again.replace('we will', 'we shall')).bash('ls');
    if (file !== '') talk.use('Write', { file_path: join(cwd, file), content: 'x' });
  });
  const told = await ask(`please ${again}, continue`);
  expect(told).not.toContain('ENT-108');
  expect(told.includes('last session')).toBe(isTold);
});

test('an option that is picked by its letter is told with its text, or not at all', async () => {
  const { ask } = await left((talk) => {
    talk
      .person('Thank the outside authors in the changelog of each release.')
      .agent('**Option A — New section**\n\nSimple.\n\n**Option C — Thank you footer**\n\nShort.')
      .person('I like Option C')
      .agent('Fine.')
      .person('and use option B')
      .agent("Here's the file:\n\n```md\n# Changes\n- one\n```\n\nWant me to create CHANGELOG.md?");
  });
  const told = await ask('yes, go on with the changelog');
  expect(told).toContain('(option c: Thank you footer) “I like Option C”');
  expect(told).not.toContain('use option B');
  expect(told).toContain("It asked: “Here's the file: [… 2 lines …] Want me to create CHANGELOG.md?”");
});

test.each([
  ['**Three fixes applied:**\n\n', ' “Three fixes applied:”'],
  ['## Fixes\n', ' “Fixes”'],
  ['I mended two things.\n', ''],
])('an item of a list is told with what leads to the list: %j', async (before, heading) => {
  const { ask } = await left((talk) => {
    talk
      .person('Mend the totals of the cart.')
      .agent(`${before}1. \`cart.py\` rounds once\n2. The test counts cents`);
  });
  expect(await ask('1')).toContain(`Of its last list${heading}, item 1: \`cart.py\` rounds once`);
});

test('a long list of which the question asks is never told in part', async () => {
  const list = Array.from({ length: 20 }, (_, at) => `- **Option ${at + 1}**: ${'a long story '.repeat(5)}`);
  const { ask } = await left((talk) => {
    talk.person('We need a cache for the price list.').agent(`Which one?\n\n${list.join('\n')}`);
  });
  const told = await ask('Continue with the price list, please.');
  // What was left out is marked.
  expect(told).toContain('It asked: “[…] Which one?”');
  expect(told).not.toContain('long story');
});

test('a request that words alone have answered is over, unless the next prompt agrees to it', async () => {
  const { ask } = await left((talk) => {
    talk.person('We need a cache for the price list.').agent('I read on.');
    talk.person('Does the shop have one already?').agent('No.');
    talk.person('could the mapper use it too?').agent('Yes, it could.').person('yes');
    talk.agent('In.').person('Keep the log line as it is.').bash('pytest', 'FAILED', 1);
  });
  const told = await ask('continue');
  expect(told).not.toContain('have one already');
  for (const words of ['a cache for the price list', 'the mapper use it too', 'Keep the log line'])
    expect(told).toContain(words);
  expect(told).toMatch(/Since its last answer, unfinished:?\n- “Keep the log line/);
  expect(told).not.toContain('more: `scratchpad handover`');
});

test('a message that points at something is told with the question that it answers, or not at all', async () => {
  const { ask } = await left((talk) => {
    talk.person('Write a reader for the price list.').agent('Written. Should the reader skip empty rows?');
    talk.person('only for that one').agent('In.').person('remove this again').bash('pytest', 'FAILED', 1);
  });
  const told = await ask('continue');
  expect(told).toContain('(answering “Should the reader skip empty rows?”) “only for that one”');
  expect(told).not.toContain('remove this again');
});

test('a prompt that names a file of another branch is told of the session that edited it', async () => {
  const { cwd, next, ask } = await left(cutOff);
  await workOnLabels(cwd, (talk) =>
    talk.use('Write', { file_path: join(cwd, 'src/invoice.js') }).agent('The labels are in the invoice.'),
  );
  const day = new Date(Date.now() - 2 * HOURS);
  const other = new ClaudeSession({ cwd, session: 's4', branch: 'main', day });
  const file = join(cwd, 's4.jsonl');
  writeFileSync(
    file,
    other
      .person('Write the README')
      .use('Write', { file_path: join(cwd, 'README.md') })
      .agent('Done.').text,
  );
  await moment(cwd, 'Stop', { session_id: 's4', transcript_path: file });
  await next('SessionStart', { source: 'startup' });
  const told = await ask('fix src/invoice.js for credit notes');
  expect(told).toContain('(on labels; this is main)');
  expect(told).toContain('24 characters');
  expect(told).not.toContain(ASK);
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

test('a request for a commit is told the uncommitted files of both sessions, where both have some', async () => {
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

/** A session on a branch of its own, which has ended; `main` is checked out again. */
async function workOnLabels(cwd: string, work: (talk: ClaudeSession) => ClaudeSession): Promise<void> {
  git(cwd, 'switch', '-q', '-c', 'labels');
  const day = new Date(Date.now() - 3 * HOURS);
  const talk = new ClaudeSession({ cwd, session: 's3', branch: 'labels', day });
  const file = join(cwd, 's3.jsonl');
  const asked = talk.person('Write the labels of the plants. Never more than 24 characters in a line.');
  writeFileSync(file, work(asked).text);
  await moment(cwd, 'Stop', { session_id: 's3', transcript_path: file });
  await moment(cwd, 'SessionEnd', { session_id: 's3', transcript_path: file });
  git(cwd, 'switch', '-q', 'main');
}

test('a prompt later in a session that goes back to the work of another branch is told of it', async () => {
  const { cwd, next, ask } = await left(() => undefined);
  await workOnLabels(cwd, (talk) => talk.bash('ls'));
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

test('who says to go on is told the open work of this branch, not what is finished on another one', async () => {
  const { cwd, next, ask } = await left(cutOff);
  await workOnLabels(cwd, (talk) =>
    talk.use('Write', { file_path: join(cwd, 'labels.txt') }).agent('The labels are written.'),
  );
  await next('SessionStart', { source: 'startup' });
  const told = await ask('continue');
  expect(told).toContain('The last session on main');
  expect(told).toContain(RULE);
  expect(told).not.toContain('24 characters');
});

test('a first prompt that answers what this agent said to a command does not go on with other work', async () => {
  const { cwd, ask } = await left(
    (talk) => void talk.person(ASK).agent('Two ways:\n1. Up\n2. Down\n\nWhich one?'),
  );
  const day = new Date(Date.now() - 60_000);
  const talk = new ClaudeSession({ cwd, session: 's2', branch: 'main', day });
  const command = '<command-name>/review</command-name><command-message>review</command-message>';
  writeFileSync(join(cwd, 's2.jsonl'), talk.person(command).agent('Found:\n1. A leak\n2. A race').text);
  for (const prompt of ['1', "yeah let's do it"]) expect(await ask(prompt)).not.toMatch(/cart|last session/);
  expect(await ask('please continue with the cart')).toContain(ASK);
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
    expect(greeted).not.toMatch(/last session|cart/);
    wrote(cwd, 'good morning');
    const told = await ask('please go on with the cart');
    for (const words of [ASK, RULE]) expect(told).toContain(`“${words}”`);
    expect(await ask('please go on with the cart')).not.toContain(ASK);
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

test.each(['before-compaction', 'after-compaction'])(
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
    expect(await ask('prompt', 'Look at the pool. Never close it twice.')).not.toContain('twice');
    say('user', 'Look at the pool. Never close it twice.');
    say('assistant', 'The pool leaks.');
    await ask('stop');
    await ask(compaction);
    write('reset', { reason: 'new' });
    const told = await ask('prompt', 'look at the pool again');
    expect(told).toContain('in the last session here');
    expect(told).not.toContain('it may be running');
    expect(told).toContain('Never close it twice.');
    say('user', 'look at the pool again');
    say('assistant', 'Done.');
    await ask('stop');
    // OpenClaw dropped it after the turn before.
    expect(await ask('prompt', 'go on')).toContain('Never close it twice.');
    await ask('after-compaction');
    write('reset', { reason: 'new' });
    expect(await ask('prompt', 'write the labels')).not.toContain('twice');
  },
);

test('a commit after the end of a session is not one of its own', async () => {
  let ended = '';
  const { cwd } = await left((talk, folder) => {
    cutOff(talk, folder);
    ended = /"timestamp":"([^"]+)"/.exec(talk.lines.at(-1) ?? '')?.[1] ?? '';
  });
  const commit = (subject: string, at: string): void => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    const env = { ...process.env, GIT_COMMITTER_DATE: at };
    execFileSync('git', ['-C', cwd, ...who, 'commit', '-q', '--allow-empty', '-m', subject], { env });
  };
  commit('theirs', ended);
  commit('mine', new Date().toISOString());
  const { stdout } = await runWarm(['handover'], { cwd });
  expect(stdout).toContain('theirs');
  expect(stdout).not.toContain('mine');
});

test('a message that commits have followed says how many', async () => {
  const { cwd, ask, next } = await left((talk, folder) => {
    talk.person("Round the totals, but don't commit anything yet");
    talk.use('Edit', { file_path: join(folder, 'cart.py') }).bash('ls');
  });
  git(cwd, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'Round');
  await next('SessionStart', { source: 'startup' });
  expect(await ask('continue')).toContain("don't commit anything yet” (1 commit since)");
});
