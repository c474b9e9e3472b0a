import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** What a person may type by mistake in a workspace in use: the exit code, and the words that say what to do. */
const MISTAKES: readonly (readonly [
  line: string,
  code: number,
  says: RegExp,
  input?: string | Uint8Array,
])[] = [
  // Commands that are none
  ['plna', 2, /perhaps scratchpad plan\n/],
  ['undoo', 2, /perhaps scratchpad undo\n/],
  ['help plna', 2, /unknown command 'plna'\n +expected: perhaps scratchpad plan\n/],
  ['plan help doen', 2, /perhaps scratchpad plan done\n/],
  ['plan fix the bug', 2, /perhaps scratchpad plan add "fix the bug"/],
  [
    'entry copy a b',
    2,
    /entry has no command 'copy'\n +expected: one of write, read, .*\n +next: +scratchpad entry --help/,
  ],
  // Words in another order, or one too few
  ['rm 1', 1, /no entry has that name/],
  [
    'fix the bug',
    2,
    /unknown command 'fix'\n +expected: perhaps scratchpad note "fix the bug" or scratchpad todo/,
  ],
  ['the bug', 2, /unknown command 'the'\n +next: +scratchpad --help/],
  ['refs src/b.ts', 2, /perhaps scratchpad refs add src\/b\.ts, or one of show, add, .*\n/],
  // Arguments and options
  ['history soon', 2, /not a number of changes\n +expected: a number such as 2\n/],
  ['plan set ""', 2, /the input is empty[\s\S]*next: .*scratchpad plan clear/],
  ['plan done -1', 2, /a number such as 2.*\n +found: +-1/],
  ['plan done 0', 1, /no step 0.*\n +expected: one of 1, 2/],
  [
    'notes add --text x',
    2,
    /unknown option '--text'\n +expected: one of .*--file.*\n +next: .*notes add --help/,
  ],
  ['undo -', 2, /a number such as 2\n +found: +two/, 'two'],
  ['undo abc', 2, /a number such as 2\n +found: +abc/],
  ['diff HEAD', 2, /a number such as 2\n +found: +HEAD/],
  ['--now tomorrow plan', 2, /an ISO 8601 time/],
  ['run --limit x true', 2, /a whole number of at least 0/],
  ['-w', 2, /argument missing/],
  ['-w SCRATCHPAD.md plan', 2, /name the directory that holds SCRATCHPAD\.md/],
  ['config get nope', 2, /no such setting\n +found: +nope\n +next: .*config list/],
  ['config set timezone Mars/Base', 2, /an IANA time zone such as Europe\/Berlin/],
  ['session delete main', 1, /next: .*session delete main --yes/],
  ['feedback purple', 1, /such as "too verbose"/],
  ['transcript show nope', 2, /scratchpad transcript list/],
  ['plan set fix the bug', 2, /one step, scratchpad plan set "fix the bug", or/],
  ['plan done two', 1, /no step that holds "two"[\s\S]*one of 1, 2/],
  ['plan done 9', 1, /no step 9.*\n +expected: one of 1, 2/],
  ['plan move 1', 2, /missing required argument 'to'/],
  ['plan edit 1', 2, /the text as an argument, - to read it from stdin/],
  ['plan add', 2, /no text was given/],
  ['plan --numbered', 2, /unknown option '--numbered'.*\n +expected: perhaps --numbers/],
  ['notes add ""', 2, /the text is empty/],
  ['notes remove 9', 1, /no line 9.*\n +expected: a number from 1 to 1/],
  ['notes replace nothing something', 1, /0 matches in notes/],
  ['refs remove x.ts', 1, /no such ref.*\n +expected: one of the 1 refs/],
  ['notes add --file nope.txt', 2, /cannot read the file/],
  // The way back
  ['undo 9', 1, /cannot undo 9 changes\n +expected: a number from 1 to 3/],
  ['undo 0', 1, /a number from 1 to 3/],
  ['redo', 1, /nothing to redo/],
  ['diff 1 b', 2, /not the number of a revision.*\n.*\n +found: +b/],
  ['show 99', 1, /a number from 0 to 3/],
  // What is looked for is not there
  ['edit', 3, /set EDITOR/],
  ['edit nope', 2, /no such space\n +expected: plan, notes, refs[\s\S]*scratchpad entry edit/],
  ['show nope', 2, /plan, notes, refs, state, or the number of a revision/],
  ['search foo', 1, /no match in plan, notes, refs, file, entries, sessions, memory/],
  ['report -o .', 2, /give a file name: scratchpad report -o report\.html/],
  ['entry read nope', 1, /no entry has that name/],
  ['session lst', 2, /perhaps scratchpad session list\n/],
  ['-s typo notes append', 2, /no text was given/],
  ['-s typo notes', 1, /no such session/],
  ['-s typo plan', 1, /no such session/],
  ['-s typo', 1, /no such session/],
  ['-s typo history', 1, /no such session/],
  ['-s typo search auth', 1, /no such session/],
  ['-s mian plan', 1, /expected: perhaps main/],
  ['-w nope show', 2, /not a directory/],
  // Values
  ['schedule --active-hours 9-5', 2, /unknown option/],
  ['assemble --ttl soon', 2, /90s, 30m, 2h/],
  ['config get timezon', 2, /perhaps timezone/],
  ['config set ttl soon', 2, /a duration such as 90s, 30m, 2h/],
  ['config set limits.notes 2000000', 2, /a whole number from 1 to 1,000,000\n +found: +2000000/],
  ['config set routing.low "a"', 2, /digits, spaces and _ ' ’ & , \. : \( \) \/ @ \+ -/],
  ['install vim', 2, /claude-code, codex, gemini-cli, copilot/],
  ['trail forget 9', 2, /scratchpad handover/],
  ['completion tcsh', 2, /zsh, bash, fish, powershell/],
  // Pipes and files that are empty: what should have written them has probably failed
  ['plan set -', 2, /the input is empty: nothing was changed.*\n.*\n.*\n +next: .*scratchpad plan clear/, ''],
  ['notes set -', 2, /the input is empty: nothing was changed/, ' \n'],
  ['refs set -', 2, /the input is empty: nothing was changed/, '\n'],
  ['notes set --file AGENTS.md', 2, /the input is empty[\s\S]*where: +AGENTS\.md/],
  ['notes add -', 2, /the text is empty/, ''],
  ['refs add -', 2, /a path, a URL or an identifier/, ''],
  ['assemble -m -', 2, /messages \{"role", "content"\}: one a line \(JSONL\), or a JSON array/, 'hello'],
  // Texts that are none
  [
    'notes add -',
    2,
    /UTF-8 or UTF-16 without NUL bytes\n +found: +bytes that are not UTF-8/,
    Uint8Array.of(104, 0xff),
  ],
  ['notes add -', 2, /found: +a NUL byte at 2/, 'ab\0c'],
  ['plan set -', 2, /found: +a NUL byte at 0/, '\0'],
];

describe('a mistake', () => {
  const made = testDir({ 'AGENTS.md': '' });

  beforeAll(async () => {
    await runWarm(['plan', 'set', '1. Fix auth bug\n2. Add test'], { cwd: made });
    await runWarm(['notes', 'add', 'Root cause: timezone'], { cwd: made });
    await runWarm(['refs', 'add', 'src/auth/login.ts'], { cwd: made });
  });

  test.concurrent.each(MISTAKES.map(([line, code, says, input]) => ({ line, code, says, input })))(
    '$line: $code',
    async ({ line, code, says, input }) => {
      const cwd = testDir();
      cpSync(made, cwd, { recursive: true });
      const args = line.split(' ').map((word) => (word === '""' ? '' : word));
      const done = await runWarm(args, { cwd, ...(input === undefined ? {} : { input }) });
      expect(done.stderr).toMatch(says);
      expect([done.exitCode, done.stdout]).toEqual([code, '']);
      const after = await runWarm(['history', '--json'], { cwd });
      expect((JSON.parse(after.stdout) as unknown[]).length).toBe(3);
    },
  );

  test.each(['1. fix\n2. test', 'it costs $HOME', "it's `here`", 'back\\slash "x"', 'a b'])(
    'names a command that a shell reads as it was typed: %j',
    async (text) => {
      const { stdout } = await runWarm(['plan', text, '--json'], { cwd: made });
      const { expected } = (JSON.parse(stdout) as { error: { expected: string } }).error;
      const named = /^perhaps scratchpad plan add (.*?)(?:, or one of .*)?$/s.exec(expected)?.[1] ?? '';
      expect(execFileSync('sh', ['-c', `printf %s ${named}`], { encoding: 'utf8' })).toBe(text);
    },
  );

  test('under --json is one value on stdout, too', async () => {
    for (const [args, error] of [
      [['plan', 'done', '9', '--json'], { kind: 'refused', found: '9', expected: 'one of 1, 2' }],
      [['plan', 'done', '--nope', '--json'], { kind: 'usage', message: "unknown option '--nope'" }],
      [['plna', '--json'], { kind: 'usage', expected: 'perhaps scratchpad plan' }],
    ] as const) {
      const { stdout, stderr } = await runWarm(args, { cwd: made });
      expect(JSON.parse(stdout)).toEqual({ error: expect.objectContaining(error) });
      expect(stderr).toContain('scratchpad: ');
    }
    expect((await runWarm(['run', 'no-such-program', '--json'], { cwd: made })).stdout).toBe('');
  });
});

/** The same in a directory without a workspace, where nothing may be made. */
const ELSEWHERE: readonly (readonly [line: string, code: number, says: RegExp])[] = [
  ['plan done 1', 1, /no scratchpad here: nothing was written[\s\S]*run scratchpad init here/],
  ['notes add x', 1, /run scratchpad init here/],
  ['assemble', 1, /run scratchpad init here/],
  ['plan', 0, /there is no scratchpad here; create one with: scratchpad init/],
  ['context', 0, /there is no scratchpad here; create one with: scratchpad init/],
  ['report', 1, /create it with: scratchpad init/],
  ['undo', 1, /there is no scratchpad here: nothing to undo[\s\S]*scratchpad init/],
  ['redo', 1, /there is no scratchpad here: nothing to redo/],
  ['history', 1, /there is no scratchpad here: no changes/],
  ['entry list', 1, /there is no scratchpad here: no entries/],
  ['search x', 1, /there is no scratchpad here: no match/],
  ['mood', 1, /--transcript FILE, or --messages FILE/],
  ['audit', 1, /scratchpad transcript list/],
  ['uninstall', 2, /one of claude-code, codex/],
];

test.each(ELSEWHERE.map(([line, code, says]) => ({ line, code, says })))(
  'in a wrong directory: $line: $code',
  async ({ line, code, says }) => {
    const cwd = testDir();
    const done = await runWarm(line.split(' '), { cwd, env: { SCRATCHPAD_INIT: '' } });
    expect(done.stderr).toMatch(says);
    expect([done.exitCode, done.stdout, readdirSync(cwd)]).toEqual([code, '', []]);
  },
);

describe('what is not a mistake but may surprise is reported', () => {
  test('a text that is cut, a session that begins, a pad that nothing has happened to', async () => {
    const cwd = testDir();
    const cut = await runWarm(['plan', 'set', 'p'.repeat(2100)], { cwd });
    expect([cut.exitCode, cut.stderr]).toEqual([0, expect.stringContaining('plan truncated to 2,000')]);
    const quiet = await runWarm(['-q', 'plan', 'set', 'q'.repeat(2100)], { cwd });
    expect(quiet).toMatchObject({ stdout: '', stderr: expect.stringContaining('plan truncated to 2,000') });
    const begun = await runWarm(['-s', 'typo', 'notes', 'append', 'x'], { cwd });
    expect([begun.exitCode, begun.stderr]).toEqual([0, expect.stringContaining('this starts session typo')]);
    const again = await runWarm(['-s', 'typo', 'notes', 'append', 'y'], { cwd });
    expect(again.stderr).toBe('');
    const other = testDir();
    await runWarm(['init'], { cwd: other });
    const none = await runWarm(['diff'], { cwd: other });
    expect([none.exitCode, none.stdout, none.stderr]).toEqual([0, 'no changes yet\n', '']);
    expect((await runWarm(['version'], { cwd: other })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('check reports a damaged file with its exit code', async () => {
    const cwd = testDir();
    await runWarm(['assemble', '-w', cwd], { cwd });
    expect((await runWarm(['check'], { cwd })).exitCode).toBe(0);
    const pad = join(cwd, 'SCRATCHPAD.md');
    writeFileSync(pad, readFileSync(pad, 'utf8').replace('<!-- /scratchpad:plan -->\n', ''));
    const done = await runWarm(['check'], { cwd });
    expect([done.exitCode, done.stdout]).toEqual([1, expect.stringContaining('plan')]);
  });
});
