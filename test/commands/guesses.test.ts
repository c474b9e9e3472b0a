import { cpSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { wordsOf } from '../helpers/docs-calls.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** What people type who have not read the help. */
const GUESSES: readonly (readonly [typed: string, answer: RegExp])[] = [
  // Notes
  ['note "the client wants blue"', /^added: the client wants blue\n/],
  ['note the client wants blue', /^added: the client wants blue\n/],
  ['note "- a list item"', /^added: - a list item\n/],
  ['note', /^The client prefers PDF\n/],
  ['note "-5 degrees at night"', /^added: -5 degrees at night\n/],
  ['note --file nope.txt', /cannot read the file/],
  ['note add "the client wants blue"', /^added: the client wants blue\n/],
  ['notes add "the client wants blue"', /^added: the client wants blue\n/],
  ['notes', /^The client prefers PDF\n/],
  ['notes list', /^The client prefers PDF\n/],
  ['notes ls', /^The client prefers PDF\n/],
  ['notes remove PDF', /^removed: The client prefers PDF\n/],
  ['notes delete PDF', /^removed: The client prefers PDF\n/],
  ['notes remove the', /2 matches in notes[\s\S]*1\. The client prefers PDF; 2\. The budget is 4000/],
  ['notes rm 1', /^removed: The client prefers PDF\n/],
  ['notes remove 4000', /^removed: The budget is 4000 euros\n/],
  ['notes clear', /^notes cleared\n/],
  ['note remove 1', /^removed: The client prefers PDF\n/],
  ['note replace 1', /missing required argument 'with'/],
  ['add "call the bank"', /unknown command 'add'[\s\S]*perhaps scratchpad notes add or scratchpad plan add/],
  ['undone 1', /perhaps scratchpad plan undone/],
  ['ref src/none.ts', /^(?=[\s\S]*not in the workspace yet: src\/none\.ts)added: src\/none\.ts\n/],
  ['get notes', /unknown command 'get'\n +expected: perhaps scratchpad notes\n/],
  ['set notes blue', /unknown command 'set'\n +expected: perhaps scratchpad notes set\n/],
  ['notes "the client"', /expected: perhaps scratchpad notes add "the client"\n/],
  ['plan check 1', /perhaps scratchpad plan add "check 1", or one of show, [^\n]*, done, /],
  ['session show main', /expected: one of list, fork, /],
  ['status --short', /unknown option '--short'\n +next:/],
  ['install --list', /expected: one of --scope, /],
  ['config set ttl', /missing required argument 'value'\n +expected: scratchpad config set <key> <value>\n/],
  ['history -n 1', /^ +4 [^\n]*\n3 older/],
  ['sessions', /main {2}\(primary/],
  ['sessions -n 1', /main {2}\(primary/],
  ['config set maxTokens 5', /perhaps state\.maxTokens or scratchpad\.maxTokens/],
  ['note -- pin 1', /^added: pin 1\n/],
  ['note pin the poster to the wall', /^added: pin the poster to the wall\n/],
  ['note remove old files', /two meanings: nothing was changed[\s\S]*scratchpad note "remove old files"/],
  // The plan
  ['todo "call the bank"', /^added: 4\. call the bank\n/],
  ['todo call the bank', /^added: 4\. call the bank\n/],
  ['todo add "call the bank"', /^added: 4\. call the bank\n/],
  ['todo', /^1\. Collect the figures\n/],
  ['todos', /^1\. Collect the figures\n/],
  ['tasks', /^1\. Collect the figures\n/],
  ['task add "call the bank"', /^added: 4\. call the bank\n/],
  ['todo done 1', /^1\. ~~Collect the figures~~ DONE/],
  ['plan add "call the bank"', /^added: 4\. call the bank\n/],
  ['plan', /^1\. Collect the figures\n/],
  ['plan list', /^1\. Collect the figures\n/],
  ['plan done 1', /^1\. ~~Collect the figures~~ DONE/],
  ['plan done "send report"', /^3\. ~~Send report~~ DONE/],
  ['plan done Send report', /^3\. ~~Send report~~ DONE/],
  ['plan done the', /2 steps of the plan hold "the"[\s\S]*1\. Collect the figures; 2\. Write the draft/],
  ['plan reopen 1', /1\. Collect the figures - open/],
  ['plan rm 2', /^removed: 2\. Write the draft\n/],
  ['plan delete "send report"', /^removed: 3\. Send report\n/],
  ['plan edit draft "Write the summary"', /^2\. Write the summary \(was: Write the draft\)/],
  ['plan next', /^1\. Collect the figures\n/],
  ['done 1', /^1\. ~~Collect the figures~~ DONE/],
  ['done "send report"', /^3\. ~~Send report~~ DONE/],
  ['done', /^1\. ~~Collect the figures~~ DONE/],
  ['complete 1', /^1\. ~~Collect the figures~~ DONE/],
  ['reopen 1', /1\. Collect the figures - open/],
  ['next', /^1\. Collect the figures\n/],
  ['todo --json', /"content": "1\. Collect the figures/],
  ['todo -s main', /^1\. Collect the figures\n/],
  ['todo buy milk -q', /^$/],
  ['todo buy milk --init', /^added: 4\. buy milk\n/],
  ['todo --init buy milk', /^added: 4\. buy milk\n/],
  ['todo buy milk --json', /"message": "added: 4\. buy milk"/],
  ['todo -- undo', /^added: 4\. undo\n/],
  ['todo -- clear the cache', /^added: 4\. clear the cache\n/],
  ['todo "clear the cache"', /^added: 4\. clear the cache\n/],
  ['todo clear the cache', /two meanings[\s\S]*scratchpad plan clear, or scratchpad todo "clear the cache"/],
  ['todo mv 2 1', /^moved: 1\. Write the draft\n/],
  ['todo move 2 1', /^moved: 1\. Write the draft\n/],
  ['todo del 2', /^removed: 2\. Write the draft\n/],
  ['todo undo', /two meanings[\s\S]*scratchpad undo, or scratchpad todo -- undo/],
  ['todo search for a hotel', /^added: 4\. search for a hotel\n/],
  ['todo 2', /two meanings[\s\S]*scratchpad plan show, or scratchpad todo -- 2/],
  ['todo 2 eggs', /^added: 4\. 2 eggs\n/],
  ['todo help', /scratchpad todo "call the bank"/],
  ['todo --help', /scratchpad todo "call the bank"/],
  ['help todo', /scratchpad todo "call the bank"/],
  ['note --help', /scratchpad note "Build fails only on arm64"/],
  ['ref -h', /scratchpad ref src\/auth\/login\.ts/],
  ['note the server is slow -q', /^$/],
  ['note -- -x is a flag', /^added: -x is a flag\n/],
  ['note "-x is a flag"', /^added: -x is a flag\n/],
  ['note -x is a flag', /-- comes before a text that begins with a dash/],
  ['note 1 "two litres"', /^added: 1 two litres\n/],
  ['reopen', /missing required argument 'steps'[\s\S]*scratchpad plan undone --help/],
  // Refs
  ['ref https://example.com/a docs/b.md -q', /^$/],
  ['ref https://example.com/a', /^added: https:\/\/example\.com\/a\n/],
  [
    'ref https://example.com/a "the format of the export"',
    /^added: https:\/\/example\.com\/a - the format of/,
  ],
  ['refs add src/a.ts "where it begins"', /^added: src\/a\.ts - where it begins\n/],
  ['ref "my notes.md" "other notes.md"', /^added: my notes\.md\nadded: other notes\.md\n/],
  ['ref remove https://example.com/spec', /^removed: https:\/\/example\.com\/spec\n/],
  ['ref remove nothing', /no such ref: nothing was changed/],
  ['ref rm 1', /^removed: https:\/\/example\.com\/spec\n/],
  ['ref -- remove', /^added: remove\n/],
  ['refs rm https://example.com/spec', /^removed: https:\/\/example\.com\/spec\n/],
  // Entries, and the whole
  ['ls', /^SCRATCHPAD\.md {3}session main\n/],
  ['list', /^SCRATCHPAD\.md {3}session main\n/],
  ['cat', /^---\nscratchpad: 1\n/],
  ['cat research', /^What I found about pricing/],
  ['show research', /^What I found about pricing/],
  ['rm research', /^deleted: research\nrestore with: scratchpad entry undelete "research"/],
  ['rm', /scratchpad entry delete --help/],
  ['entries', /characters .* research/],
  ['trail', /no session of this workspace is known yet/],
  ['toString', /unknown command/],
  // What happened
  ['log', /refs {3}add .*https:\/\/example\.com\/spec/],
  ['log 1', /refs {3}add .*https:\/\/example\.com\/spec/],
  ['help done', /scratchpad plan done/],
  ['find budget', /^notes:2: The budget/],
  ['note -- "-dash"', /^added: -dash\n/],
  ['undo', /^undid revision 4/],
  ['-v', /^\d+\.\d+\.\d+\n/],
  // No command does it, or another one
  ['plan add "write tests" "release it"', /^added: 4\. write tests\nadded: 5\. release it\n/],
  ['plan set "write tests" "release it"', /^set: 2 steps - next: 1\. write tests\n/],
  ['plan add fix the bug', /^added: 4\. fix the bug\n/],
  ['plan set fix the bug', /nothing was changed\n.*scratchpad plan set "fix the bug", or steps on lines/],
  ['notes add the server is slow', /^added: the server is slow\n/],
  ['todo "write tests" "release it"', /^added: 4\. write tests\nadded: 5\. release it\n/],
  ['note pin 1', /^added: pin 1\n/],
  ['notes -l', /^The client prefers PDF\n/],
  ['entry --list', /characters .* research/],
  ['-C . notes', /^The client prefers PDF\n/],
  ['notes --dir .', /^The client prefers PDF\n/],
  ['recall pnpm', /^no memory to search/],
  ['step 2 done', /two meanings[\s\S]*scratchpad plan show, or scratchpad step "2 done"/],
  ['ref 1', /two meanings[\s\S]*scratchpad refs show, or scratchpad ref -- 1/],
  ['install claude --dry-run', /^claude-code, for you in /],
  ['uninstall gemini', /^gemini-cli: not installed here\n/],
  ['plan set one two', /scratchpad plan set "\$\(printf '%s\\n' one two\)"/],
  ['show reserch', /perhaps scratchpad show research/],
  ['config list', /\nstages\.<id> +\(none\)\n/],
  ['step "call the bank"', /^added: 4\. call the bank\n/],
  ['steps', /^1\. Collect the figures\n/],
  ['grep found research', /^entry research:1: What I found about pricing\n/],
  ['install agents-md --file CLAUDE.md --dry-run', /scratchpad uninstall agents-md --file CLAUDE\.md/],
  ['cat 1', /revision 1, of \d{4}-\d\d-\d\d \d\d:\d\d/],
];

const made = testDir();

beforeAll(async () => {
  await runWarm(['plan', 'set', '1. Collect the figures\n2. Write the draft\n3. Send report'], { cwd: made });
  await runWarm(['notes', 'add', 'The client prefers PDF'], { cwd: made });
  await runWarm(['notes', 'add', 'The budget is 4000 euros'], { cwd: made });
  await runWarm(['refs', 'add', 'https://example.com/spec'], { cwd: made });
  await runWarm(['entry', 'write', 'research', 'What I found about pricing'], { cwd: made });
});

test.concurrent.each(GUESSES)('%s', async (typed, answer) => {
  const cwd = testDir();
  cpSync(made, cwd, { recursive: true });
  const done = await runWarm(wordsOf(typed), { cwd });
  expect(`${done.stdout}${done.stderr}`).toMatch(answer);
  const after = await runWarm(['history', '--json'], { cwd });
  const changed = (JSON.parse(after.stdout) as unknown[]).length !== 4;
  // Whatever was not understood has changed nothing, and says so with its exit code.
  if (done.exitCode !== 0) expect(changed).toBe(false);
});
