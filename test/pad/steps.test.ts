import { describe, expect, test } from 'vitest';
import {
  addStep,
  markCurrent,
  markDone,
  markOpen,
  moveStep,
  removeSteps,
  rewordStep,
} from '../../src/pad/plan.ts';
import { findCurrentStep, parseSteps } from '../../src/pad/steps.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const texts = (plan: string): string[] => parseSteps(plan).map(({ text }) => text.trim());
const next = (plan: string): string | undefined => findCurrentStep(parseSteps(plan))?.text;

describe('a step that somebody marked as done', () => {
  test.each([
    '~~First~~ DONE',
    '~~First~~ done',
    '~~First~~',
    '~~First~~ ✅ (in PR 12)',
    '**~~First~~**',
    '✅ First',
    '✔️ First',
    '☒ First',
    '[x]First',
    'First ✅',
    'First ✅ - shipped',
    'First [complete]',
    'First [x]',
    'First (done)',
    'First (completed 2026-03-01)',
    'First（完了）',
    'First (erledigt)',
    'First - done',
    'First — Done.',
    'First: DONE',
    'First DONE',
    'Done: First',
    '(done) First',
    '[x] First',
    '[ x] First',
    '[✓] First',
    '[completed] First',
    '(x) First',
    '**[DONE]** First',
    '[DONE]First',
    '**Done:** First',
    '**✅ First**',
    '`[x]` First',
    '【已完成】First',
    'First 完了',
    'First (100%)',
    'First (เสร็จแล้ว)',
    'First ... Done!',
    ':white_check_mark: First',
    'First :heavy_check_mark:',
    'First **[DONE]**',
    'First _(completed)_',
    'First - **DONE**',
    'First — ✅ Done',
    'First (✓)',
    'First → done',
    'First | done',
    'First @done(2026-03-01)',
    'First (status: done)',
    'First (abgeschlossen)',
    'First (完了済み)',
    'First (cancelled)',
    '~First~',
    '<del>First</del>',
    'x 2026-03-01 First',
    '(/) First',
    'First -- done 3/1',
    '× First',
    '[×] First',
    '[N/A] First',
    '[dropped] First',
    'First ✅ 2026-03-01',
    'First ❌ 2026-03-01',
    'First @cancelled',
    'First (completed in PR 12)',
  ])('%s', (first) => {
    for (const plan of [`1. ${first}\n2. Second`, `- ${first}\n- [ ] Second`, `${first}\nSecond`]) {
      expect(next(plan)).toBe('Second');
      if (parseSteps(plan).length < 2) continue;
      const [step] = parseSteps(markOpen(plan, [1]).content);
      expect(step).toMatchObject({ done: false });
      expect(step?.text).toMatch(/^(?:2026-03-01 |\*\*)?First(?:\*\*| - shipped)?$/);
      expect(parseSteps(rewordStep(plan, 1, 'Other').content)[0]).toMatchObject({
        text: 'Other',
        done: true,
      });
      expect(parseSteps(markDone(plan, [1]).content)).toEqual(parseSteps(plan));
    }
  });

  test.each([
    'Get the well-done steak',
    'Add a ✅ icon to the list',
    'Agree on a definition of done',
    '~~First~~ Replace the parser instead',
    '[link](https://example.com) to follow',
    '[WIP] First',
    '[-] First',
    '[in progress] First',
    'Ask whether it is done?',
    'Complete the form',
    '**Complete** the form',
    'COMPLETE the form',
    'Return **done**',
    'First (not done)',
    '[/] First',
    '(?) First',
    'First - done by Ann',
    'Compute f (x)',
    'x axis is wrong',
    'x the old cron',
    'X API first',
    '☐ First',
    '⬜ First',
    '❌ First',
    '⏳ First',
    '[>] First',
    'WAITING First',
    'First @waiting',
    'Look at CI (skipped tests)',
    'First (complete rewrite)',
    '~/bin and ~/lib',
  ])('%s is not done', (text) => {
    expect(next(`1. ${text}\n2. Second`)).not.toBe('Second');
  });
});

/** What marks of other tools and habits mean: `dropped` counts as done, because nothing is left to do. */
describe('marks of other tools', () => {
  test.each([
    ['GitHub, Obsidian', '- [x] a', 'done'],
    ['Obsidian Tasks', '- a ✅ 2026-01-02', 'done'],
    ['Obsidian Tasks', '- [-] a ❌ 2026-01-02', 'dropped'],
    // Kiro and Roo write it for a step in progress, Org for a part: without a day it is open.
    ['Kiro, Roo Code, Org', '- [-] a', 'open'],
    ['Obsidian: half done', '- [/] a', 'open'],
    ['Obsidian: deferred, scheduled', '- [>] a', 'open'],
    ['Obsidian: question', '- [?] a', 'open'],
    ['bullet journal', '- × a', 'done'],
    ['the letter', '- x a', 'open'],
    ['bullet journal: struck', '- ~~a~~', 'dropped'],
    ['bullet journal: migrated', '- > a', 'open'],
    ['bullet journal: event', '○ a', 'open'],
    ['todo.txt', 'x 2026-01-02 2026-01-01 a', 'done'],
    ['todo.txt', '(A) 2026-01-01 a', 'open'],
    ['TaskPaper', '- a @done(2026-01-02)', 'done'],
    ['TaskPaper', '- a @cancelled', 'dropped'],
    ['TaskPaper', '- a @waiting', 'open'],
    ['Org', '* DONE a', 'done'],
    ['Org', '* CANCELLED a', 'dropped'],
    ['Org', '* TODO a', 'open'],
    ['Org', '* WAITING a', 'open'],
    ['signs', '- ☑ a', 'done'],
    ['signs', '- ☐ a', 'open'],
    ['signs: it failed', '- ❌ a', 'open'],
    ['signs', '- 🚧 a', 'open'],
    ['AsciiDoc', '* [*] a', 'done'],
    ['Jira', '- (/) a', 'done'],
    ['labels', '- [N/A] a', 'dropped'],
    ['labels', '- [wontfix] a', 'dropped'],
    ['labels', '- DEFERRED: a', 'open'],
  ])('%s: %s is %s', (_, line, state) => {
    expect(parseSteps(line).map(({ done }) => done)).toEqual([state !== 'open']);
  });
});

describe('the lines that are steps', () => {
  test('hold a mark at the end behind an earlier colon, and no fence in a quotation', () => {
    expect(next('1. 第一步：写（完成）\n2. Second')).toBe('Second');
    expect(texts('> 1. Run\n> ```\n> 2. no\n> ```\n> 2. Check')).toEqual(['Run', 'Check']);
  });

  test('of a plan without a list are all lines of text', () => {
    const plan = '# Work\nGoal:\nFix login\n  with the new key\n\nWrite tests';
    expect(texts(plan)).toEqual(['Fix login', 'Write tests']);
    const done = markDone(plan, [1]).content;
    expect(done).toBe('# Work\nGoal:\n~~Fix login~~ DONE\n  with the new key\n\nWrite tests');
    expect(next(done)).toBe('Write tests');
    expect(addStep(plan, 'Ship').content).toBe(`${plan}\nShip`);
    expect(markCurrent(markCurrent(plan, 1).content, 2).content).toBe(`${plan} <-- current`);
    expect(removeSteps(plan, [1]).content).toBe('# Work\nGoal:\nWrite tests');
  });

  test('are the headings of a plan that has nothing else', () => {
    const plan = '# Work\n## Read [DONE]\n## Round';
    expect(texts(plan)).toEqual(['Read', 'Round']);
    expect(markDone(plan, []).content).toBe('# Work\n## Read [DONE]\n## ~~Round~~ DONE');
    expect(texts('# Work\n## Notes')).toEqual([]);
  });

  test('are none in fenced code or a comment, unless these are never closed', () => {
    expect(texts('1. Write\n```\n1. no\n3. no\n```\n2. Run')).toEqual(['Write', 'Run']);
    expect(texts('- a\n  ~~~sh\n- no\n  ```\n- no\n  ~~~\n- b')).toEqual(['a', 'b']);
    expect(texts('<!--\n- [ ] no\n-->\n- a')).toEqual(['a']);
    expect(texts('1. a\n```\n2. b')).toEqual(['a', 'b']);
    expect(texts('- ~~~/.env~~ a\n- b')).toHaveLength(2);
  });

  test('are those with checkboxes where there are some', () => {
    const plan =
      '### Look\n- [x] Read\n- **Status:** completed\n\n### Do\n- [ ] Round\n- a remark\n\n1. A question?';
    expect(texts(plan)).toEqual(['Read', 'Round']);
    expect(texts('- **Phase**\n  - [x] a\n  - [ ] b')).toEqual(['a', 'b']);
    expect(texts('1. Build\n   - [x] a\n2. Test')).toEqual(['Build', 'Test']);
    expect(texts('1. Look\n2. Build\n- [x] Test\n4. Ship')).toEqual(['Look', 'Build', 'Test', 'Ship']);
    expect(texts('1. Build\n- [x] a\n2. Test\n- [ ] b')).toEqual(['a', 'b']);
    // Somebody checked off a step of a numbered list.
    expect(texts('1. [x] a\n2. b')).toEqual(['a', 'b']);
    expect(texts('- [x] a\n- b\n- **Due:** Friday\n\nNotes:\n- c')).toEqual(['a', 'b']);
  });

  test.each([
    ['numbers', '1. [Done] a\n2. [WIP] b\n3. c'],
    ['one number', '1. [Done] a\n1. [In review] b\n1. c'],
    ['bullets', '- [Done] a\n  why\n- [In Progress] b\n\n- c\n\nNotes:\n- no'],
    ['a bullet before them', '- a\n- [WIP] b\n- c'],
    ['boxes before numbers', '1. [x] a\n2. [ ] b\n3. c\n\nAsk:\n1. no'],
  ])('are all of a list in which some say how far they are: %s', (_, plan) => {
    expect(texts(plan)).toEqual(['a', 'b', 'c']);
  });

  test('may say that they are done as often as anybody likes', () => {
    expect(parseSteps(`1. Ship it ${'DONE '.repeat(20_000)}`)).toMatchObject([{ done: true }]);
  });

  test('are no facts about the steps', () => {
    expect(texts('- Read\n- Round\n- **Status:** in_progress\n- **Due date**: Friday')).toEqual([
      'Read',
      'Round',
    ]);
    expect(texts('1. **Read:** the cart\n2. **Round:** the totals')).toHaveLength(2);
    expect(texts('- **Read:** the cart\n- **Round:** the totals')).toHaveLength(2);
  });

  test('headings and facts between steps stay where they are', () => {
    const plan = '## A\n- [ ] a\n- [ ] b\n- **Status:** open\n\n## B\n- [ ] c';
    expect(removeSteps(plan, [2]).content).toBe('## A\n- [ ] a\n- **Status:** open\n\n## B\n- [ ] c');
    expect(moveStep(plan, 3, 1).content).toBe('## A\n- [ ] c\n- [ ] a\n- **Status:** open\n\n## B\n- [ ] b');
  });
});

describe('a letter and a dot', () => {
  test.each([
    ['I. M. Pei', ['I. M. Pei']],
    ['J. R. R. Tolkien\nC. S. Lewis', ['J. R. R. Tolkien', 'C. S. Lewis']],
    ['a. Fix it\nb. Test it', ['Fix it', 'Test it']],
    ['I. Fix it\nII. Test it', ['Fix it', 'Test it']],
    ['H. Fix it\nI. Test it', ['Fix it', 'Test it']],
    ['a) Fix it', ['Fix it']],
  ])('are a mark where the letters count: %s', (plan, texts) => {
    expect(parseSteps(plan).map(({ text }) => text)).toEqual(texts);
  });

  test('stay in a step that is added', () => {
    expect(addStep('1. Fix it', 'I. M. Pei').content).toBe('1. Fix it\n2. I. M. Pei');
    expect(addStep('1. Fix it', 'a. Test it\nb. Ship it').content).toBe('1. Fix it\n2. Test it\n3. Ship it');
    expect(addStep('1. Fix it', 'a) Test it').content).toBe('1. Fix it\n2. Test it');
  });
});

describe('a plan that is a table', () => {
  const plan = [
    '| # | Task | Owner | Status |',
    '|---|:-----|-------|--------|',
    '| 1 | Fix login | Al | ✅ Done |',
    '| 2 | Write `a \\| b` tests | Bo | in progress |',
    '',
    'Ask Al first.',
  ].join('\n');

  test('has its rows as steps, and its states in their cells', () => {
    expect(parseSteps(plan).map(({ text, done }) => [text, done])).toEqual([
      ['Fix login', true],
      ['Write `a \\| b` tests', false],
    ]);
    expect(markDone(plan, []).content).toBe(plan.replace('in progress', 'done'));
    expect(markOpen(plan, [1]).content).toBe(plan.replace('✅ Done', 'todo'));
  });

  test('has its steps in the column that is named so, else in the widest', () => {
    const wide = '| Task | Remark |\n|---|---|\n| Fix login | look at the cookie and the redirect first |';
    expect(parseSteps(wide).map(({ text }) => text)).toEqual(['Fix login']);
    expect(parseSteps(wide.replace('Task', 'Id')).map(({ text }) => text)).toEqual([
      'look at the cookie and the redirect first',
    ]);
  });

  test('may answer below "Done" whether they are', () => {
    const answers = '| Done? | Task |\n|---|---|\n| Yes | a |\n| ✓ | b |\n| x | c |\n| no | d |\n|  | e |';
    expect(parseSteps(answers).map(({ done }) => done)).toEqual([true, true, true, false, false]);
    const { content } = markDone(markDone(answers, [4]).content, [5]);
    expect(content).toContain('| yes | d |\n| yes | e |');
    expect(parseSteps(answers.replace('Done?', 'Blocked')).map(({ done }) => done)).toContain(false);
  });

  test('gets a new step as a row below the last', () => {
    const { content, message } = addStep(plan, 'Deploy');
    expect(content).toBe(plan.replace('progress |\n', 'progress |\n| 3 | Deploy |    | todo |\n'));
    expect(message).toBe('added: 3. Deploy');
  });

  test('marks words and current within the cell where no cell is a state', () => {
    const bare = 'Task | Owner\n--- | ---\nFix login | Al\nWrite tests | Bo';
    const current = markCurrent(markCurrent(bare, 2).content, 1).content;
    expect(current).toBe(bare.replace('login', 'login <-- current'));
    expect(markDone(current, []).content).toBe(
      bare.replace('Fix login', '~~Fix login~~ DONE').replace('tests', 'tests <-- current'),
    );
  });
});

test.each([
  [
    'numbered headings with text below',
    '## Step 1: Fix [DONE]\nsee a.ts\n\n## Step 2: Write\nsee b.ts',
    'Step 2: Write',
  ],
  [
    'a table of something else',
    '## Goal\nWrite it\n\n| Choice | Why |\n|---|---|\n| yaml | fast |',
    'Write it',
  ],
  ['a box with a sign of its own', '- [x] Fix\n- [✗] Write\n- [ ] Ship', 'Write'],
  ['a state behind its label', '- Fix - Status: done\n- Write', 'Write'],
  ['a bullet journal', '× Fix\n○ Write\n• Ship', 'Write'],
  ['signs in the place of bullets', '✓ Fix\n☐ Write\n- Ship', 'Write'],
  ['a label that is no box', '- [x] Fix\n- [D] Write\n- [ ] Ship', '[D] Write'],
  ['digits of another script', '١. ~~Fix~~\n٢. Write', 'Write'],
])('the next step with %s', (_, plan, step) => {
  expect(next(plan)).toBe(step);
});

test.each([
  ['> 1. Fix\n> 2. Write', '> 3. Ship'],
  ['a) Fix\nb) Write', 'c) Ship'],
  ['A. Fix\nB. Write', 'C. Ship'],
  ['(1) Fix\n(2) Write', '(3) Ship'],
  ['1.1 Fix\n1.2 Write', '1.3 Ship'],
  ['① Fix\n② Write', '③ Ship'],
  ['ii) Fix\niii) Write', 'iv) Ship'],
  ['I. Fix\nII. Write', 'III. Ship'],
  ['iv. Fix\nv. Write', 'vi. Ship'],
  ['h) Fix\ni) Write', 'j) Ship'],
  ['九、Fix\n十、Write', '十一、Ship'],
  ['1、Fix\n2、Write', '3、Ship'],
  ['• Fix\n• Write', '• Ship'],
  ['1. Fix\n1.1. part\na. part\n2. Write', '3. Ship'],
])('reads and goes on with the list %j', (plan, added) => {
  expect(texts(plan)).toEqual(['Fix', 'Write']);
  expect(addStep(plan, 'Ship').content).toBe(`${plan}\n${added}`);
});

test.each([
  'y) Fix\nz) Write',
  'Y. Fix\nZ. Write',
  '⑲ Fix\n⑳ Write',
  'xix) Fix\nxx) Write',
  '(v) Fix\n(w) Write',
])('adds nothing that is no step: %j', (plan) => {
  expect(texts(plan)).toEqual(['Fix', 'Write']);
  expect(() => addStep(plan, 'Ship')).toThrow('no step can follow');
});

test.each(['[x] Read', '- [X] Read', '~~Read~~ DONE', 'DONE: Read', 'Read (done)', 'Read <-- current'])(
  'new words do not mark a step: %s',
  (words) => {
    const plan = '1. Look\n2. Do <-- current';
    expect(rewordStep(plan, 1, words).content).toBe('1. Read\n2. Do <-- current');
    expect(() => rewordStep(plan, 1, '[x]')).toThrow('the step is empty');
  },
);

test('takes a step that is named twice once', () => {
  const plan = '1. Look\n2. Do <-- current\n3. Ship';
  const done = markDone(plan, [1, 2, 'look', 1]);
  expect(done.message).toBe('1. ~~Look~~ DONE\n2. ~~Do~~ DONE - next: 3. Ship');
  expect(done.content).toBe('1. ~~Look~~ DONE\n2. ~~Do~~ DONE\n3. Ship <-- current');
  expect(markOpen(done.content, [2, 1, 2]).message).toBe('2. Do - open\n1. Look - open');
});

test('counts a step as done when all checkboxes below it are checked', () => {
  const plan = '1. Look\n   - [x] Read\n2. Do\n   - [x] Fix\n   - [ ] Test';
  expect(parseSteps(plan).map(({ done }) => done)).toEqual([true, false]);
  expect(() => markOpen(plan, [1])).toThrow('checkboxes below it');
});

describe('boxes that are parts of a step, or of a section', () => {
  test.each([
    ['- Backend\n  - [x] api\n  - [x] db\n- Deploy', '+Backend -Deploy'],
    ['- Backend\n  - [x] api\n- Deploy\n  - run it', '+Backend -Deploy'],
    ['- Shop\n  - Backend\n    - [x] api\n  - Deploy', '+Backend -Deploy'],
    ['- Backend\n  - [x] api\n  - cache\n- ~~Deploy~~', '-Backend +Deploy'],
    ['1. Backend\n   - [x] api\n   - cache\n2. ~~Deploy~~', '-Backend +Deploy'],
    ['Phase 1:\n- [x] api\n\nPhase 2:\n- deploy', '+api -deploy'],
    ['## Phase 1\n- [x] api\n\n## Phase 2\nSoon:\n- deploy\n\n## Notes\n- by Ana', '+api -deploy'],
    ['- Backend\n  - [x] api\n\nNotes:\n- by Ana', '+api'],
  ])('%j leaves %s', (plan, steps) => {
    const list = (text: string): string =>
      parseSteps(text)
        .map((step) => (step.done ? '+' : '-') + step.text)
        .join(' ');
    expect(list(plan)).toBe(steps);
    expect(list(addStep(plan, 'Announce').content)).toBe(`${steps} -Announce`);
  });

  test('are told alike by every command', async () => {
    const cwd = testDir({ 'SCRATCHPAD.md': '', '.scratchpad/.gitignore': '*\n' });
    const run = async (...words: string[]): Promise<string> => (await runWarm(words, { cwd })).stdout.trim();
    expect(await run('plan', 'set', '- Backend\n  - [x] api\n- Deploy')).toContain(
      '2 steps - next: 2. Deploy',
    );
    expect(await run('line')).toContain('1/2');
    await run('todo', 'Announce');
    expect(await run('done', 'Deploy')).toContain('2. ~~Deploy~~ DONE - next: 3. Announce');
    expect(await run('line')).toContain('2/3');
  });
});

describe('below a heading that says "done"', () => {
  const board = '## Done\n- First\n\n## To do\n- Second\n- [ ] Third';

  test('a step is done, and a new one is filed elsewhere', () => {
    const plan = '## To do\n- Second\n  with care\n\n## Erledigt (1)\n- First';
    expect(parseSteps(plan).map(({ done }) => done)).toEqual([false, true]);
    const { content, message } = addStep(plan, 'Third\n  gently');
    expect(content).toBe('## To do\n- Second\n  with care\n- Third\n  gently\n\n## Erledigt (1)\n- First');
    expect(message).toBe('added: 2. Third');
    expect(addStep('## Done\n- First', 'Second').message).toBe('added: 1. Second');
  });

  test('a box says more, and a heading that holds more than the word says nothing', () => {
    expect(next(board.replace('- First', '- [ ] First'))).toBe('First');
    expect(next(board.replaceAll(/- \[ \]/g, '-'))).toBe('Second');
    expect(next('## Definition of done\n- First\n- Second')).toBe('First');
    expect(() => markOpen('## Done\n- First\n## Next\n- Second', [1])).toThrow('done by a heading above');
  });
});

test.each([
  ...[
    '1.✅First\n2.Second',
    '1.~~First~~\n2.Second',
    '１．✅ First\n２．Second',
    '１）~~First~~\n２）Second',
  ],
  ...[
    '**1.** ~~First~~\n**2.** Second',
    '1.[x]First\n2.[ ]Second',
    '(1)☑️First\n(2)Second',
    '1.DONE First\n2.Second',
  ],
  '1.~~修复~~\n2.Second',
])('a number written otherwise hides no mark behind it: %j', (plan) => {
  expect(parseSteps(plan).map(({ number, done, text }) => [number, done, text])).toEqual([
    [1, true, plan.includes('修复') ? '修复' : 'First'],
    [2, false, 'Second'],
  ]);
});

test('a line all in emphasis is done by the mark behind its number', () => {
  expect(parseSteps('**1. ~~First~~**\n**2. Second**').map(({ done }) => done)).toEqual([true, false]);
});

test('full-width numbers are counted on and changed as such', () => {
  const plan = addStep('１．First\n２．Release 3', 'Third').content;
  expect(plan).toBe('１．First\n２．Release 3\n３．Third');
  expect(removeSteps(plan, [1]).content).toBe('１．Release 3\n２．Third');
});
