import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { endTrail, forget, openTrail, type Trail, trailFor } from '../../src/trail/index.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

const DAY = Date.UTC(2026, 1, 5);
const HOUR = 3_600_000;
const config = { trail: { kinds: [] }, transcript: { paths: [] } };
let base: string;
let root: string;

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    encoding: 'utf8',
    // Before all edits.
    env: { ...process.env, GIT_COMMITTER_DATE: '2026-02-01T00:00:00Z' },
  });

beforeEach(() => {
  base = testDir();
  root = join(base, 'shop');
  mkdirSync(join(root, '.scratchpad'), { recursive: true, mode: 0o700 });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
});

/** A session file that a host has written under `cwd`; its events begin at an hour of the day. */
function session(id: string, hour: number, cwd = root): ClaudeSession & { path: string; write(): void } {
  const talk = new ClaudeSession({
    cwd,
    branch: cwd === root ? 'main' : 'fast',
    session: id,
    day: new Date(DAY + hour * HOUR),
  });
  const folder = join(base, 'home/.claude/projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${id}.jsonl`);
  return Object.assign(talk, { path, write: () => writeFileSync(path, talk.text) });
}

function open(id: string, hour: number, transcript?: string, cwd = root): Promise<Trail> {
  return openTrail({
    root,
    cwd,
    session: id,
    ...(transcript !== undefined && { transcript }),
    now: DAY + hour * HOUR,
    config,
    env: { HOME: join(base, 'home') },
  });
}

const startOf = (trail: Trail): string[] =>
  trailFor(trail, { event: 'start', budgetTokens: 150 }).map(({ text }) => text);

describe('a new session begins with what the last one left', () => {
  test('that no hook has read to its end', async () => {
    const one = session('one', 9).person('go').bash('cargo test', 'test tests::a ... FAILED', 101);
    one.write();
    await open('one', 9, one.path);
    // Its only prompt was not in the file yet when the hook ran.
    const two = session('two', 10);
    await open('two', 10);
    two
      .person('mend it')
      .use('Edit', { file_path: join(root, 'src/b.rs') })
      .bash('cargo test', 'test result: ok.');
    two.agent('Green. Shall I delete the old module?').write();
    const trail = await open('three', 12);
    expect(trail.session).toBe('two');
    expect(startOf(trail)).toEqual([
      'You asked, not answered: “Shall I delete the old module?”',
      'Last check: `cargo test` passed',
      'Files (* not committed): src/b.rs*',
    ]);
  });

  test('not with one that only talked', async () => {
    const one = session('one', 9)
      .person('go')
      .use('Edit', { file_path: join(root, 'a.rs') });
    one.write();
    await open('one', 9, one.path);
    const two = session('two', 10).person('how do I exit vim?').agent(':q');
    two.write();
    await open('two', 10, two.path);
    expect(startOf(await open('three', 11))).toEqual(['Files (* not committed): a.rs*']);
  });

  test('and with what the one before left open', async () => {
    const one = session('one', 9)
      .person('Always run cargo fmt before a commit. Do not touch the docs.')
      .use('Edit', { file_path: join(root, 'src/parser.rs') })
      .bash('cargo test', 'test tests::empty ... FAILED', 101);
    one.write();
    await open('one', 9, one.path);
    const two = session('two', 10)
      .person('typo in the README')
      .use('Edit', { file_path: join(root, 'README.md') });
    two.write();
    await open('two', 10, two.path);
    expect(startOf(await open('three', 11))).toEqual([
      'Last check: `cargo test` failed',
      'Still failing: tests::empty',
      'The person said: “Always run cargo fmt before a commit.”',
      'Files (* not committed): README.md*, src/parser.rs*',
    ]);
    // The next session has run the check: what it says of it counts.
    const four = session('four', 12).person('go').bash('cargo test', 'test result: ok.');
    four.write();
    await open('four', 12, four.path);
    const later = startOf(await open('five', 13));
    expect(later).toContain('Last check: `cargo test` passed');
    expect(later.join()).not.toContain('Still failing');
  });
});

test('however many sessions on other branches came after it', async () => {
  const one = session('one', 1)
    .person('go')
    .use('Edit', { file_path: join(root, 'a.rs') });
  one.write();
  await open('one', 1, one.path);
  git('checkout', '-q', '-b', 'other');
  for (let hour = 2; hour < 12; hour += 1) {
    const next = new ClaudeSession({
      cwd: root,
      branch: 'other',
      session: `s${hour}`,
      day: new Date(DAY + hour * HOUR),
    });
    const path = join(one.path, '..', `s${hour}.jsonl`);
    writeFileSync(path, next.person('go').use('Edit', { file_path: join(root, 'b.rs') }).text);
    await open(`s${hour}`, hour, path);
  }
  git('checkout', '-q', 'main');
  expect(startOf(await open('new', 12))).toEqual(['Files (* not committed): a.rs*']);
});

describe('in a linked worktree', () => {
  test.each(['../side', '.claude/worktrees/w1'])('%s files are named from its top', async (place) => {
    git('worktree', 'add', '-q', '-b', 'fast', join(root, place));
    const tree = join(root, place);
    const one = session('one', 9, tree)
      .person('go')
      .use('Edit', { file_path: join(tree, 'src/fast.rs') });
    one.write();
    expect(startOf(await open('two', 10, undefined, tree))).toEqual([
      'Files (* not committed): src/fast.rs*',
    ]);
    await open('one', 9, one.path, tree);
    expect(startOf(await open('two', 10, undefined, tree))).toEqual([
      'Files (* not committed): src/fast.rs*',
    ]);
    expect(startOf(await open('three', 10))).toEqual([]);
  });

  test.each(['HEAD', ''])('outside a repository, where the host calls the branch "%s"', async (gitBranch) => {
    rmSync(join(root, '.git'), { recursive: true });
    const talk = session('old', 9);
    talk.person('look at the upload test').bash('npm test', '1 failed', 1);
    writeFileSync(talk.path, talk.text.replaceAll('"gitBranch":"main"', `"gitBranch":"${gitBranch}"`));
    expect(startOf(await open('new', 11))[0]).toBe('Last check: `npm test` failed');
  });

  test('also where it had the same id and file, as a chat of OpenClaw has', async () => {
    const talk = session('chat', 9).person('fix the upload').bash('npm test', '1 failed', 1);
    talk.write();
    await open('chat', 10, talk.path);
    writeFileSync(talk.path, session('chat', 11).person('good morning').text);
    expect(startOf(await open('chat', 12, talk.path))).toEqual([]);
    const empty = join(base, 'empty.jsonl');
    writeFileSync(empty, '');
    expect(startOf(await open('other', 12, empty))[0]).toBe('Last check: `npm test` failed');
  });

  test('says what it was about, in the words of the host', async () => {
    session('old', 9)
      .person('look at the upload test')
      .line({ type: 'ai-title', aiTitle: 'Fix the flaky upload test', sessionId: 'old' })
      .bash('npm test', '1 failed', 1)
      .write();
    expect(startOf(await open('new', 11))[0]).toBe('About: “Fix the flaky upload test”');
  });

  test('adds the name that the person gave it', async () => {
    session('old', 9)
      .person('look at the upload test')
      .line({ type: 'custom-title', customTitle: 'upload', sessionId: 'old' })
      .line({ type: 'ai-title', aiTitle: 'Fix the flaky upload test', sessionId: 'old' })
      .bash('npm test')
      .write();
    expect(startOf(await open('new', 11))[0]).toBe('About: “Fix the flaky upload test” (named “upload”)');
  });

  test('leaves out the titles of other sessions that the host wrote into its file', async () => {
    const talk = session('old', 9).line({
      type: 'summary',
      summary: 'Something else',
      leafUuid: 'elsewhere',
    });
    talk.person('look at the upload test').bash('npm test');
    talk.write();
    expect((await open('new', 11)).facts.filter(({ kind }) => kind === 'title')).toEqual([]);
    talk.lines.unshift(JSON.stringify({ type: 'summary', summary: 'Upload test', leafUuid: talk.last }));
    talk.write();
    expect(startOf(await open('newer', 11))[0]).toBe('About: “Upload test”');
  });

  test('says the recap of the host until the work goes on', async () => {
    const recap =
      'Making the upload test reliable; the retry is written and the test passes ten times in a row. Next: remove the sleep in upload.ts and push.';
    const talk = session('old', 9)
      .person('look at the upload test')
      .line({ type: 'ai-title', aiTitle: 'Fix the flaky upload test', sessionId: 'old' })
      .bash('npm test')
      .line({ type: 'system', subtype: 'away_summary', content: recap, isMeta: false });
    talk.write();
    const lines = startOf(await open('new', 11));
    expect(lines[0]).toBe(`Recap: ${recap}`);
    expect(lines.join()).not.toContain('About');
    talk.line({
      type: 'system',
      subtype: 'local_command',
      content: '<local-command-stdout>Waiting for a review.</local-command-stdout>',
      commandRun: { command: 'recap', args: '' },
    });
    talk.write();
    expect(startOf(await open('later', 11))[0]).toBe('Recap: Waiting for a review.');
    talk.person('remove it').bash('npm test').write();
    expect(startOf(await open('newer', 11))[0]).toBe('About: “Fix the flaky upload test”');
  });
});

describe('a session that has begun', () => {
  const write = (name: string): void => writeFileSync(join(root, name), 'x\n');

  test('still knows what the person said before it, until they say otherwise, and what nobody has committed', async () => {
    const one = session('one', 9)
      .person('Never commit the fixtures folder. Do not push before Ines is back. Do not touch the docs.')
      .use('Write', { file_path: join(root, 'credit.py') });
    write('credit.py');
    one.write();
    await open('one', 9, one.path);
    const two = session('two', 12).person('where were we?').agent('At credit.py.');
    two.write();
    const said = (trail: Trail): string[] =>
      trail.facts.filter(({ kind, open }) => kind === 'instruction' && open).map(({ text }) => text);
    const trail = await open('two', 13, two.path);
    expect(trail.from).toBe('session');
    expect(said(trail)).toEqual([
      '“Do not push before Ines is back.”',
      '“Never commit the fixtures folder.”',
    ]);
    const lines = trailFor(trail, { event: 'prompt', budgetTokens: 100, prompt: 'commit this and push' });
    expect(lines.map(({ text }) => text)).toEqual([
      'The person said: “Do not push before Ines is back.” (3h 59m ago)',
      'Left uncommitted by an earlier session: credit.py',
    ]);
    two.person('Ines is back. push it').bash('git push').write();
    expect(said(await open('two', 13, two.path))).toEqual(['“Never commit the fixtures folder.”']);
    // Nor does the session before the last one bring it back, and it is the third that a rule outlasts.
    for (const [id, hour] of [
      ['three', 14],
      ['four', 15],
      ['five', 16],
    ] as const) {
      const next = session(id, hour).person('go on').bash('make');
      next.write();
      expect(said(await open(id, hour, next.path))).toEqual(['“Never commit the fixtures folder.”']);
    }
    expect(startOf(await open('six', 17))).toContain('The person said: “Never commit the fixtures folder.”');
    expect(
      (await open('seven', 15 * 24 + 16)).facts.filter(({ kind, open: is }) => kind === 'instruction' && is),
    ).toEqual([]);
  });

  test('lists what it was told at its start, and lets it be forgotten', async () => {
    const one = session('one', 9)
      .person('Never commit the fixtures folder.')
      .bash('cargo test', 'test tests::a ... FAILED', 101)
      .agent('Shall I mend it?');
    one.write();
    await open('one', 9, one.path);
    const two = session('two', 12).person('where were we?').agent('At the test.');
    two.write();
    const listed = (): Promise<Trail> =>
      openTrail({
        root,
        session: 'two',
        transcript: two.path,
        now: DAY + 13 * HOUR,
        withBefore: true,
        config,
        env: { HOME: join(base, 'home') },
      });
    const { facts } = await listed();
    expect(facts.map(({ text, session: from }) => [text, from])).toEqual([
      ['“Shall I mend it?”', 'one'],
      ['`cargo test` failed', 'one'],
      ['tests::a', 'one'],
      ['“Never commit the fixtures folder.”', 'one'],
    ]);
    const rule = facts.filter(({ kind }) => kind === 'instruction');
    await forget({ root, now: DAY + 13 * HOUR, config, session: 'two' }, 'two', rule);
    expect((await listed()).facts.map(({ kind }) => kind)).toEqual(['question', 'check', 'failing']);
    expect((await open('two', 13, two.path)).facts).toEqual([]);
    two.bash('make').write();
    await open('two', 13, two.path);
    expect(startOf(await open('three', 14)).join()).not.toContain('fixtures');
    const three = session('three', 14).person('go on').bash('make');
    three.write();
    expect((await open('three', 15, three.path)).facts.map(({ text }) => text)).toEqual([
      '`make` passed',
      'make',
    ]);
    // Its own check replaces the one before it.
    two.bash('cargo test', 'test result: ok.').write();
    expect((await listed()).facts.filter(({ kind }) => kind === 'failing')).toEqual([]);
  });

  test('beside one that may still be running hears what that one does, not what it asked', async () => {
    const one = session('one', 9)
      .person('Never commit the fixtures folder. From now on run only the api tests.')
      .use('Edit', { file_path: join(root, 'api.rs') })
      .bash('cargo test', 'test tests::a ... FAILED', 101)
      .agent('Shall I mend it?');
    one.write();
    await open('one', 9, one.path);
    const beside = [
      'Last check: `cargo test` failed',
      'Still failing: tests::a',
      'The person said: “Never commit the fixtures folder.”',
      'Files (* not committed): api.rs*',
    ];
    expect(startOf(await open('two', 9.2))).toEqual(beside);
    endTrail(root, 'one');
    expect(startOf(await open('two', 9.2))[0]).toBe('You asked, not answered: “Shall I mend it?”');
  });
});

test('what failed before commits by hand is not said to fail still', async () => {
  const one = session('one', 9)
    .person('go')
    .use('Edit', { file_path: join(root, 'a.rs') })
    .bash('cargo test', 'test tests::a ... FAILED', 101)
    .bash('git commit -am wip', '[main 1a2b3c4] wip\n 1 file changed');
  one.write();
  const commit = (hour: number): string =>
    execFileSync(
      'git',
      ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x'],
      {
        encoding: 'utf8',
        env: { ...process.env, GIT_COMMITTER_DATE: new Date(DAY + hour * HOUR).toISOString() },
      },
    );
  await open('one', 10, one.path);
  // Its own commit changes nothing.
  commit(9.1);
  expect(startOf(await open('two', 12)).slice(0, 2)).toEqual([
    'Last check: `cargo test` failed',
    'Still failing: tests::a',
  ]);
  commit(10);
  const trail = await open('two', 12);
  expect(startOf(trail).slice(0, 2)).toEqual([
    'Last check (1 commit ago): `cargo test` failed',
    'Failed before the last commit: tests::a',
  ]);
  const lines = trailFor(trail, { event: 'prompt', budgetTokens: 100, prompt: 'still failing?' });
  expect(lines.map(({ text }) => text)).toEqual([
    'Last check (1 commit ago): `cargo test` failed',
    'Failed before the last commit: tests::a',
  ]);
});
