import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { minimalEnv, PROGRAM } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const pad = (cwd: string): string => readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8');

describe('notes', () => {
  test('append creates the pad, says what is used, and shows the text again', async () => {
    const cwd = testDir();
    const first = await runWarm(['notes', 'append', 'Root cause: timezone mismatch'], { cwd });
    expect(first).toEqual({
      exitCode: 0,
      stdout: 'added: Root cause: timezone mismatch\nnotes: 29 of 4,000 characters\n',
      stderr: '',
    });
    await runWarm(['notes', 'append', '- seen in login.ts'], { cwd });
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe(
      'Root cause: timezone mismatch\n- seen in login.ts\n',
    );
    expect(pad(cwd)).toContain(
      '<!-- scratchpad:notes -->\nRoot cause: timezone mismatch\n- seen in login.ts\n<!-- /scratchpad:notes -->',
    );
  });

  test('set over the limit is cut with a warning that has both figures', async () => {
    const cwd = testDir();
    const done = await runWarm(['notes', 'set', '-'], { cwd, input: 'x'.repeat(5200) });
    expect(done.exitCode).toBe(0);
    expect(done.stdout).toBe('set: 1 line\nnotes: 4,000 of 4,000 characters\n');
    expect(done.stderr).toContain('notes truncated to 4,000 characters (original: 5,200)');
  });

  test('append over the limit is refused with the figures and changes nothing', async () => {
    const cwd = testDir();
    await runWarm(['notes', 'set', 'y'.repeat(3990)], { cwd });
    const before = pad(cwd);
    const refused = await runWarm(['notes', 'append', 'this does not fit'], { cwd });
    expect(refused.exitCode).toBe(1);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toContain('append would exceed the notes limit: nothing was changed');
    expect(refused.stderr).toContain('current 3,990, append 17');
    expect(pad(cwd)).toBe(before);
  });

  test('characters are code points', async () => {
    const cwd = testDir();
    const done = await runWarm(['notes', 'set', '👍🏽é'], { cwd });
    expect(done.stdout).toBe('set: 1 line\nnotes: 3 of 4,000 characters\n');
  });

  test('replace and delete say how many matches there were', async () => {
    const cwd = testDir();
    await runWarm(['notes', 'set', 'port 80\nport 80\nhost a'], { cwd });
    const none = await runWarm(['notes', 'replace', 'port 81', 'x'], { cwd });
    expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining('0 matches in notes')]);
    const two = await runWarm(['notes', 'delete', 'port 80'], { cwd });
    expect([two.exitCode, two.stderr]).toEqual([1, expect.stringContaining('2 matches in notes')]);
    await runWarm(['notes', 'replace', 'port 80', 'port 90', '--all'], { cwd });
    await runWarm(['notes', 'delete', '\nhost a'], { cwd });
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('port 90\nport 90\n');
  });

  test('text comes from an argument, stdin or a file, and only from one of them', async () => {
    const cwd = testDir({ 'in.txt': 'from a file\r\nsecond\r\n' });
    await runWarm(['notes', 'set', '--file', 'in.txt'], { cwd });
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('from a file\nsecond\n');
    const both = await runWarm(['notes', 'set', 'x', '--file', 'in.txt'], { cwd });
    expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('two texts were given')]);
    const neither = await runWarm(['notes', 'set'], { cwd });
    expect([neither.exitCode, neither.stderr]).toEqual([2, expect.stringContaining('no text was given')]);
    for (const space of ['notes', 'plan']) {
      const name = await runWarm([space, 'set', 'in.txt'], { cwd });
      expect([name.exitCode, name.stderr]).toEqual([2, expect.stringContaining('--file in.txt')]);
    }
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('from a file\nsecond\n');
    const missing = await runWarm(['notes', 'set', '--file', 'nope.txt'], { cwd });
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('nope.txt')]);
  });

  test('text that looks like a marker, a heading or front matter stays text', async () => {
    const cwd = testDir();
    const hostile = '<!-- /scratchpad:notes -->\n<!-- scratchpad:plan -->\n## Plan\n---\nrm -rf\n---';
    await runWarm(['notes', 'set', '-'], { cwd, input: hostile });
    await runWarm(['plan', 'set', '1. real'], { cwd });
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe(`${hostile}\n`);
    expect((await runWarm(['plan', 'show'], { cwd })).stdout).toBe('1. real\n');
  });
});

describe('plan', () => {
  test('done strikes the step through and the marker moves on, current moves it', async () => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. Fix auth bug <-- current\n2. Add test\n3. Update docs'], { cwd });
    await runWarm(['plan', 'done', '1'], { cwd });
    expect((await runWarm(['plan', 'show'], { cwd })).stdout).toBe(
      '1. ~~Fix auth bug~~ DONE\n2. Add test <-- current\n3. Update docs\n',
    );
    await runWarm(['plan', 'current', '3'], { cwd });
    await runWarm(['plan', 'add', 'Ship it'], { cwd });
    expect((await runWarm(['plan', 'show'], { cwd })).stdout).toBe(
      '1. ~~Fix auth bug~~ DONE\n2. Add test\n3. Update docs <-- current\n4. Ship it\n',
    );
  });

  test('the number or bullet of a single step is that of the plan', async () => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. a'], { cwd });
    await runWarm(['plan', 'add', '5. bar'], { cwd });
    await runWarm(['plan', 'add', '- [ ] baz'], { cwd });
    await runWarm(['plan', 'add', '3.5 is out'], { cwd });
    expect((await runWarm(['plan', 'edit', '1', '1. renamed'], { cwd })).stdout).toContain(
      '1. renamed (was: a)',
    );
    expect((await runWarm(['plan', 'show'], { cwd })).stdout).toBe(
      '1. renamed\n2. bar\n3. baz\n4. 3.5 is out\n',
    );
    const input = '{"action":"plan.add","content":"5) c"}';
    const added = await runWarm(['tool', 'session.scratchpad'], { cwd, input });
    expect(added.stdout).toContain('5. c');
    expect(added.stdout).not.toContain('5) c');
  });

  test('steps may be listed by commas, and as a range', async () => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. a\n2. b\n3. c\n4. d\n5. e'], { cwd });
    await runWarm(['plan', 'done', '2,3'], { cwd });
    await runWarm(['plan', 'done', '4-5', '1'], { cwd });
    expect((await runWarm(['plan', 'show'], { cwd })).stdout.match(/DONE/g)).toHaveLength(5);
    expect((await runWarm(['plan', 'undone', '3-9'], { cwd })).stderr).toContain('no step 6');
    expect((await runWarm(['plan', 'undone', '5-1'], { cwd })).stderr).toContain('found:    5-1');
  });

  test('an unknown step is refused with the numbers of the existing ones', async () => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. a\n2. b'], { cwd });
    const refused = await runWarm(['plan', 'done', '7'], { cwd });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('one of 1, 2')]);
    const wrong = await runWarm(['plan', 'done', '-', '2'], { cwd });
    expect(wrong.exitCode).toBe(2);
  });

  test('set over 2,000 characters is cut with a warning', async () => {
    const cwd = testDir();
    const done = await runWarm(['plan', 'set', 'p'.repeat(2100)], { cwd });
    expect([done.exitCode, done.stdout]).toEqual([
      0,
      `set: 1 step - next: 1. ${'p'.repeat(196)}…\nplan: 2,000 of 2,000 characters\n`,
    ]);
    expect(done.stderr).toContain('plan truncated to 2,000 characters (original: 2,100)');
  });
});

test('a plan over the limit is cut, and begins as set', async () => {
  const cwd = testDir();
  const steps = Array.from({ length: 80 }, (_, k) => `${k + 1}. step number ${k + 1} with some words`);
  const first = await runWarm(['plan', 'set', '-'], { cwd, input: steps.join('\n') });
  expect(first.stdout).toMatch(/^set: 57 steps - next: 1\. /);
  expect(first.stderr).toContain('plan truncated to 1,9');
  // No step is half there.
  expect((await runWarm(['plan'], { cwd })).stdout).toMatch(/^57\. step number 57 with some words\n?$/m);
  const long = await runWarm(['plan', 'set', `1. ${'some words '.repeat(300)}`], { cwd });
  expect(long.stdout).toMatch(/^set: 1 step/);
});

test('times in lists follow the time zone, in JSON they are ISO', async () => {
  const cwd = testDir();
  await runWarm(['config', 'set', 'timezone', 'Asia/Tokyo'], { cwd });
  const at = ['--now', '2026-03-09T20:00:00Z'];
  await runWarm(['notes', 'add', 'x', ...at], { cwd });
  await runWarm(['entry', 'write', 'a', 'b', ...at], { cwd });
  for (const list of [['history'], ['entry', 'list']])
    expect((await runWarm(list, { cwd })).stdout).toMatch(/2026-03-10 05:00 (?!.*Z\b)/);
  // As old as its folder, not as the time that the command was given.
  expect((await runWarm(['session', 'list'], { cwd })).stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}main/);
  const { stdout } = await runWarm(['status', '--json', ...at], { cwd });
  expect(JSON.parse(stdout).origins.notes.at).toBe('2026-03-09T20:00:00.000Z');
});

test('a line for a prompt has a step as it is written', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. - foo\n2. b'], { cwd });
  expect((await runWarm(['line'], { cwd })).stdout).toBe('0/2 · - foo\n');
});

test.runIf(existsSync('/dev/full'))(
  'a disk that takes no output is named, not a bug of the program',
  async () => {
    const cwd = testDir();
    const { stdout: node } = await execa('sh', ['-c', 'command -v node']);
    const { stderr, exitCode } = await execa('sh', ['-c', `"${node}" "${PROGRAM}" plan set x > /dev/full`], {
      cwd,
      env: minimalEnv(),
      extendEnv: false,
      reject: false,
    });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('the output cannot be written');
    expect(stderr).not.toContain('SCRATCHPAD_DEBUG');
    expect((await runWarm(['plan', 'show'], { cwd })).stdout).toBe('x\n');
  },
);

describe('refs', () => {
  test('add takes several', async () => {
    const cwd = testDir();
    const added = await runWarm(['refs', 'add', 'a.ts', 'b.ts', 'c.ts'], { cwd });
    expect(added.stdout).toBe('added: a.ts\nadded: b.ts\nadded: c.ts\nrefs: 3 of 50 items\n');
    await runWarm(['refs', 'add', 'a.ts', 'd.ts', 'd.ts'], { cwd });
    expect((await runWarm(['refs'], { cwd })).stdout).toBe('b.ts\nc.ts\na.ts\nd.ts\n');
    expect((await runWarm(['refs', 'add', 'e.ts', ' '], { cwd })).exitCode).toBe(2);
    expect((await runWarm(['refs'], { cwd })).stdout).not.toContain('e.ts');
    expect((await runWarm(['refs', 'add', '-'], { cwd, input: 'f.ts\n' })).stdout).toContain('added: f.ts');
  });

  test('the 51st drops the oldest, a known one moves to the end, remove is exact', async () => {
    const cwd = testDir();
    const fifty = JSON.stringify([...Array.from({ length: 50 }, (_, k) => `src/${k}.ts`), 7, null]);
    expect((await runWarm(['refs', 'set', '-'], { cwd, input: fifty })).stdout).toBe(
      'set: 50 refs\nrefs: 50 of 50 items\n',
    );
    const added = await runWarm(['refs', 'add', 'new.ts'], { cwd });
    expect(added.stdout).toBe('added: new.ts\nrefs: 50 of 50 items\n');
    expect(added.stderr).toContain('dropped the oldest, src/0.ts');
    await runWarm(['refs', 'add', 'src/5.ts'], { cwd });
    const items = (await runWarm(['refs', 'list'], { cwd })).stdout.trim().split('\n');
    expect(items.slice(0, 2)).toEqual(['src/1.ts', 'src/2.ts']);
    expect(items.slice(-2)).toEqual(['new.ts', 'src/5.ts']);
    const absent = await runWarm(['refs', 'remove', 'src/5'], { cwd });
    expect([absent.exitCode, absent.stderr]).toEqual([1, expect.stringContaining('no such ref')]);
    expect((await runWarm(['refs', 'remove', 'src/5.ts'], { cwd })).stdout).toBe(
      'removed: src/5.ts\nrefs: 49 of 50 items\n',
    );
  });
});

test('the line that holds a text is removed, and the answer shows which', async () => {
  const cwd = testDir();
  await runWarm(['notes', 'set', 'Root cause: timezone mismatch in expiry\nowner: Lena\nport 9090\n- x'], {
    cwd,
  });
  expect((await runWarm(['notes', 'remove', 'TimeZone'], { cwd })).stdout).toMatch(
    /^removed: Root cause: timezone mismatch in expiry\nnotes: /,
  );
  const several = await runWarm(['notes', 'delete', 'e'], { cwd });
  expect([several.exitCode, several.stdout]).toEqual([0, expect.stringContaining('removed: owner: Lena')]);
  // A number that is no line's is a text.
  expect((await runWarm(['notes', 'remove', '9090'], { cwd })).stdout).toContain('removed: port 9090\n');
  expect((await runWarm(['notes'], { cwd })).stdout).toBe('- x\n');
});

test('notes and refs take ranges of numbers; a range that the list has not may be a text', async () => {
  const cwd = testDir();
  await runWarm(['notes', 'set', 'a\nb\nc\nd\nof 2024-2026\ne'], { cwd });
  const removed = await runWarm(['notes', 'remove', '2-3', '6'], { cwd });
  expect(removed.stdout).toContain('removed: b\nremoved: c\nremoved: e\n');
  await runWarm(['notes', 'remove', '2024-2026'], { cwd });
  expect((await runWarm(['notes'], { cwd })).stdout).toBe('a\nd\n');

  await runWarm(['refs', 'set', 'one', 'two', 'three', 'four', '1-2'], { cwd });
  await runWarm(['refs', 'remove', '1-2'], { cwd });
  expect((await runWarm(['refs'], { cwd })).stdout).toBe('one\ntwo\nthree\nfour\n');
  await runWarm(['refs', 'remove', '2-4'], { cwd });
  expect((await runWarm(['refs'], { cwd })).stdout).toBe('one\n');
  expect(await runWarm(['refs', 'remove', '2-4'], { cwd })).toMatchObject({ exitCode: 1 });
});

test('a plan that replaces open steps says how many, and undo brings them back', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. a\n2. b\n3. c\n4. ~~d~~ DONE'], { cwd });
  const set = async (plan: string) => (await runWarm(['plan', 'set', plan], { cwd })).stdout;
  expect(await set('1. ~~a~~ DONE\n2. B\n3. c\n4. new')).not.toContain('replaced');
  expect(await set('1. z')).toContain(
    'next: 1. z\n3 open steps replaced; scratchpad undo brings the former plan back\n',
  );
  await runWarm(['undo'], { cwd });
  expect((await runWarm(['plan'], { cwd })).stdout).toContain('4. new');
});

test("a person's search finds the entries of all sessions, an agent's only its own", async () => {
  const cwd = testDir();
  const agent = (id: string) => ({ cwd, env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: id } });
  await runWarm(['init'], { cwd });
  await runWarm(['entry', 'write', 'rows', '29998 of one'], agent('0af3c6f2-1111-4222-8333-444455556666'));
  await runWarm(['entry', 'write', 'rows', '29998 mine'], { cwd });
  const found = await runWarm(['search', '29998'], { cwd });
  expect(found.stdout.trim().split('\n').sort()).toEqual([
    'entry rows of session 0af3c6f2:1: 29998 of one',
    'entry rows:1: 29998 mine',
  ]);
  const other = await runWarm(['search', '29998'], agent('7d3c2f10-1111-4222-8333-444455556666'));
  expect(other.stdout).not.toContain('of one');
  const named = await runWarm(['-s', '0af3c6f2', 'search', '29998'], { cwd });
  expect(named.stdout).toBe('entry rows:1: 29998 of one\n');
});

test('refs remove takes several, each by the number it had before', async () => {
  const cwd = testDir();
  await runWarm(['refs', 'add', 'a.ts', 'b.ts', 'c.ts', 'd.ts'], { cwd });
  const none = await runWarm(['refs', 'remove', '1', '9'], { cwd });
  expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining('no such ref')]);
  expect((await runWarm(['refs', 'remove', '1', '2', 'd.ts'], { cwd })).stdout).toBe(
    'removed: a.ts\nremoved: b.ts\nremoved: d.ts\nrefs: 1 of 50 items\n',
  );
});

describe('history', () => {
  test('undo says whose change it was', async () => {
    const cwd = testDir();
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: '7c1f0a52-1111' };
    await runWarm(['notes', 'set', 'one'], { cwd, env });
    // A person is asked before the change of a session is taken back.
    const asked = await runWarm(['undo'], { cwd });
    expect([asked.exitCode, asked.stderr]).toEqual([
      1,
      expect.stringMatching(/notes set, by claude-code 7c1f0a52[\s\S]*scratchpad undo --others/),
    ]);
    // An agent's commands run unasked.
    const agent = await runWarm(['undo', '--others'], {
      cwd,
      env: { ...env, CLAUDE_CODE_SESSION_ID: 'another' },
    });
    expect([agent.exitCode, agent.stderr]).toEqual([1, expect.stringContaining('--others is for a person')]);
    expect((await runWarm(['undo', '--others'], { cwd })).stdout).toMatch(
      /^undid revision 1: notes set \(\+ one\), by claude-code 7c1f0a52\n/,
    );
  });

  test('a session undoes its own changes, and what others added since stays', async () => {
    const cwd = testDir();
    const by = (id: string) => ({ cwd, env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: id } });
    await runWarm(['notes', 'set', 'start'], { cwd });
    await runWarm(['notes', 'append', 'of one'], by('one'));
    await runWarm(['notes', 'append', 'of two'], by('two'));
    expect((await runWarm(['undo'], by('one'))).exitCode).toBe(0);
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('start\nof two\n');
    expect((await runWarm(['undo'], by('one'))).stderr).toContain('nothing to undo');
    expect((await runWarm(['redo'], by('one'))).exitCode).toBe(0);
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toContain('of one');
    expect((await runWarm(['undo'], by('two'))).exitCode).toBe(0);
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('start\nof one\n');
  });

  test('undo and redo walk the changes, a person’s edit included', async () => {
    const cwd = testDir();
    await runWarm(['notes', 'set', 'one'], { cwd });
    await runWarm(['notes', 'append', 'two'], { cwd });
    writeFileSync(join(cwd, 'SCRATCHPAD.md'), pad(cwd).replace('two', 'two, by hand'));
    expect((await runWarm(['undo'], { cwd })).stdout).toContain(
      'undid revision 3: notes edit (+ two, by hand), by hand\n',
    );
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('one\ntwo\n');
    await runWarm(['undo'], { cwd });
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('one\n');
    await runWarm(['redo'], { cwd });
    await runWarm(['redo'], { cwd });
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('one\ntwo, by hand\n');
    const none = await runWarm(['redo'], { cwd });
    expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining('nothing to redo')]);
    const rows = JSON.parse((await runWarm(['history', '--json'], { cwd })).stdout) as {
      op: string;
      by: string;
    }[];
    expect(rows.map(({ op, by }) => `${op} ${by}`)).toEqual([
      'redo cli',
      'redo cli',
      'undo cli',
      'undo cli',
      'edit edit',
      'append cli',
      'set cli',
    ]);
  });

  test('diff shows added and removed lines', async () => {
    const cwd = testDir();
    await runWarm(['notes', 'set', 'a\nb'], { cwd });
    await runWarm(['notes', 'replace', 'b', 'c'], { cwd });
    const { stdout } = await runWarm(['diff'], { cwd });
    expect(stdout).toContain('-b\n+c\n');
    const far = await runWarm(['diff', '9'], { cwd });
    expect([far.exitCode, far.stderr]).toEqual([1, expect.stringContaining('no such revision')]);
  });
});

test('sessions keep their own pads', async () => {
  const cwd = testDir();
  await runWarm(['notes', 'set', 'primary'], { cwd });
  await runWarm(['notes', 'set', 'child', '--session', 'Agent:7/../../x'], { cwd });
  expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('primary\n');
  expect((await runWarm(['notes', 'show', '-s', 'Agent:7/../../x'], { cwd })).stdout).toBe('child\n');
  expect(existsSync(join(cwd, '..', 'x'))).toBe(false);
});

test('a plan is told as what it is: lines of text, text without steps, and line breaks that a shell passed on as text', async () => {
  const cwd = testDir();
  const set = (text: string) => runWarm(['plan', 'set', text], { cwd });
  expect((await set('Fix login\nWrite tests')).stdout).toContain('set: 2 steps - next: 1. Fix login');
  expect((await runWarm(['next'], { cwd })).stdout).toBe('1. Fix login\n');
  expect((await set('1. Fix login\\n2. Write tests')).stderr).toContain('the plan contains \\n as text');
  expect((await set('1. Print \\n after a line')).stderr).toBe('');
  expect((await set('1. Fix login 2. Write tests')).stderr).toBe(
    'warning: the plan is one step that holds others; put each step on a line of its own\n',
  );
  expect((await set('1. Go from 1. to 2. place\n2. Rest')).stderr).toBe('');
  expect((await set('# Only a heading')).stderr).toContain('the plan has text but no steps');
  expect((await runWarm(['next'], { cwd })).stderr).toContain('the plan has text but no steps');
});

test('text that a shell pipes in is taken where a text is missing, and nowhere else', async () => {
  const cwd = testDir();
  const piped = (input: string, ...words: string[]) => runWarm(words, { cwd, input });
  const inShell = async (line: string): Promise<string> => {
    const words = line.replaceAll('scratchpad', `"${process.execPath}" "${PROGRAM}"`);
    return (await execa('sh', ['-c', words], { cwd, env: minimalEnv(), extendEnv: false })).stdout;
  };
  expect(await inShell('echo found it | scratchpad note')).toContain('added: found it\n');
  expect((await piped('1. a\n2. b\n', 'plan', 'set')).stdout).toContain('set: 2 steps');
  expect(await inShell('echo c | scratchpad todo --json')).toContain('"message": "added: 3. c"');
  expect(await inShell("printf 'src/a.ts\nsrc/b.ts\n' | scratchpad ref")).toContain(
    'added: src/a.ts\nadded: src/b.ts\n',
  );
  expect((await piped('more', 'notes', 'add')).stdout).toContain('added: more');
  expect((await piped('content', 'entry', 'write', 'e')).stdout).toContain('7 characters');
  // A loop over lines leaves its list to the loop.
  expect((await piped('next line', 'note', 'this')).stdout).toContain('added: this\n');
  expect((await piped('next line', 'notes')).stdout).toBe('found it\nmore\nthis\n');
  expect(await inShell("printf ' \n' | scratchpad note 2>&1; echo $?")).toMatch(/stdin is empty[\s\S]*\n2$/);
  expect(await inShell("printf '' | scratchpad notes")).toBe('found it\nmore\nthis');
  expect((await piped('', 'plan', 'set')).exitCode).toBe(2);
});

test('a pipe names what to finish, find or print; where no text is read it is refused; an empty one changes nothing', async () => {
  const cwd = testDir();
  const piped = async (input: string, words: string) => {
    const line = `printf '%s\n' ${input} | "${process.execPath}" "${PROGRAM}" ${words}`;
    const options = { cwd, env: minimalEnv(), extendEnv: false, reject: false };
    const { stdout, stderr, exitCode } = await execa('sh', ['-c', line], options);
    return { stdout, stderr, exitCode };
  };
  const readPlan = async (): Promise<string> => (await runWarm(['plan'], { cwd })).stdout.trim();
  await runWarm(['plan', 'set', '1. alpha\n2. beta\n3. gamma\n4. delta'], { cwd });
  expect((await piped('3', 'done')).stdout).toContain('3. ~~gamma~~ DONE');
  const before = await readPlan();
  expect(await piped('nonsense', 'done')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('no step that holds "nonsense"'),
  });
  for (const words of ['undo -', 'redo -', 'plan take', 'reopen', 'plan remove', 'entry edit', 'mood', 'cat'])
    expect(await piped('nonsense', words)).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await readPlan()).toBe(before);
  for (const words of ['search -', 'search', 'find'])
    expect((await piped('delta', words)).stdout).toContain('plan:4: 4. delta');
  expect((await piped('plan', 'cat')).stdout).toBe(before);
  expect((await piped("''", 'cat')).stdout).toContain('SCRATCHPAD.md');
  expect((await piped("''", 'done')).stdout).toContain('1. ~~alpha~~ DONE');
  expect((await piped('2', 'undo -')).stdout).toMatch(/undid[^\n]*\nundid/);
  // A loop over lines leaves its list to the loop.
  for (const [word, answers] of [
    ['redo', 'redid'],
    ['undo', 'undid'],
  ] as const) {
    const loop = `printf 'one\\ntwo\\n' | while read line; do "${process.execPath}" "${PROGRAM}" ${word}; done`;
    const { stdout } = await execa('sh', ['-c', loop], { cwd, env: minimalEnv(), extendEnv: false });
    expect(stdout.match(new RegExp(`^${answers} `, 'gm'))).toHaveLength(2);
  }
  expect((await piped('4', 'done 2')).stdout).toContain('2. ~~beta~~ DONE');
  expect(await readPlan()).toContain('4. delta');
});

test('a session that a variable names is made only with --init, unless it is that of the host itself', async () => {
  const cwd = testDir({ '.scratchpad/': '' });
  const run = (env: Record<string, string>, ...words: string[]) =>
    runWarm(words, { cwd, env: { ...env, SCRATCHPAD_INIT: '' } });
  const mian = { SCRATCHPAD_SESSION: 'mian' };
  for (const words of [['plan'], ['note', 'x'], ['entry', 'write', 'e', 'text'], ['assemble']]) {
    const { exitCode, stderr } = await run(mian, ...words);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('mian (in SCRATCHPAD_SESSION)')]);
    expect(stderr).toContain('perhaps main');
  }
  expect(existsSync(join(cwd, '.scratchpad/sessions/mian'))).toBe(false);

  expect((await run(mian, 'note', 'x', '--init')).stderr).toContain('this starts session mian;');
  expect(await run(mian, 'note', 'y')).toMatchObject({ exitCode: 0, stderr: '' });
  expect((await run({ SCRATCHPAD_SESSION: 'main' }, 'note', 'z')).stderr).toBe('');
  const host = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'own' };
  expect((await run({ ...host, SCRATCHPAD_SESSION: 'own' }, 'note', 'x')).exitCode).toBe(0);
  expect((await run({ ...host, SCRATCHPAD_SESSION: 'other' }, 'note', 'x')).exitCode).toBe(1);
});
