import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moment } from '../contracts/host.ts';
import { git } from '../helpers/git.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

/** Whose work a session is told of, where several have worked, and not all of them with tools for edits. */

const HOURS = 3_600_000;
const CART = 'Round the totals of the cart to cents, and keep the log line.';
const RULE = 'The lock must not reveal whether the account exists.';

function begin() {
  const ignored = 'SCRATCHPAD.md\n.scratchpad\n*.jsonl\n';
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/.gitignore': '*\n', '.gitignore': ignored });
  git(cwd, 'init', '-q', '-b', 'main');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-qm', 'begin');
  const fire = (id: string, name: string, more: object = {}): Promise<string> =>
    moment(cwd, name, { session_id: id, transcript_path: join(cwd, `${id}.jsonl`), ...more });
  /** A session so many hours ago, on the branch that is checked out. */
  const work = async (id: string, hours: number, act: (talk: ClaudeSession) => void): Promise<void> => {
    const branch = git(cwd, 'branch', '--show-current');
    const day = new Date(Date.now() - hours * HOURS);
    const talk = new ClaudeSession({ cwd, session: id, branch, day });
    act(talk);
    writeFileSync(join(cwd, `${id}.jsonl`), talk.text);
    await fire(id, 'Stop', { last_assistant_message: 'x' });
    await fire(id, 'SessionEnd', { reason: 'exit' });
  };
  const ask = (prompt: string): Promise<string> => fire('next', 'UserPromptSubmit', { prompt });

  return { cwd, work, ask };
}

const cutOff = (talk: ClaudeSession): void => {
  talk.person(CART).use('Edit', { file_path: 'src/cart.ts' }).bash('npm test', '1 failed', 1);
};

const PLANNED: [string, object][] = [
  ['Bash', { command: 'scratchpad plan set "1. Lock after five failures\n2. Test it"' }],
  ['Bash', { command: 'scratchpad notes add "Rule: the lock stays silent"' }],
  ['mcp__scratchpad__session_scratchpad', { action: 'set_plan', content: '1. Lock' }],
  ['mcp__scratchpad__session_scratchpad', { action: 'append_notes', content: 'Rule: the lock' }],
  ['TodoWrite', { todos: [{ content: 'Lock', status: 'pending' }] }],
];

test.each(PLANNED)(
  'on a branch, a session that set a plan, notes or tasks is gone on with: %s %j',
  async (tool, input) => {
    const { cwd, work, ask } = begin();
    git(cwd, 'switch', '-qc', 'feature-cart');
    await work('cart', 40, cutOff);
    git(cwd, 'switch', '-qc', 'fix-login', 'main');
    await work('login', 20, (talk) => talk.person(RULE).use(tool, input).agent('The plan stands.'));
    await work('look', 10, (talk) => talk.person('Which files are there?').bash('ls', 'x').agent('One.'));
    const told = await ask('please continue');
    expect(told).toContain(RULE);
    expect(told).not.toContain('cart');
  },
);

test('the last session of a branch is found behind many of others', async () => {
  const { cwd, work, ask } = begin();
  git(cwd, 'switch', '-qc', 'fix-login');
  await work('login', 60, (talk) =>
    talk.person(RULE).use('Edit', { file_path: 'lock.ts' }).agent('Done so far.'),
  );
  git(cwd, 'switch', '-qc', 'feature-cart', 'main');
  for (let hours = 50; hours > 40; hours -= 1) await work(`cart${hours}`, hours, cutOff);
  git(cwd, 'switch', '-q', 'fix-login');
  expect(await ask('please continue')).toContain(RULE);
});

test.each([
  "sed -i 's/a/b/' src/lock.ts",
  'git add -A && git commit -qm "Lock, part 1"',
  'echo "x" >> src/lock.ts',
])('work by a command is work: %s', async (command) => {
  const { work, ask } = begin();
  await work('cart', 40, cutOff);
  await work('lock', 20, (talk) => talk.person(RULE).bash(command).agent('The lock is in.'));
  const told = await ask('please continue');
  expect(told).toContain(RULE);
  expect(told).not.toMatch(/cut off|cart/);
});

test('a new file that git does not know is told of', async () => {
  const { cwd, work, ask } = begin();
  await work('cart', 20, (talk) => {
    writeFileSync(join(cwd, 'cart.js'), 'export const total = 0;\n');
    talk
      .person(CART)
      .use('Write', { file_path: join(cwd, 'cart.js') })
      .agent('The first half stands.');
  });
  expect(await ask('please go on with the cart')).toContain(CART);
});
