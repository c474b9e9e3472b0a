import { cpSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { wordsOf } from '../helpers/docs-calls.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** What people type who have not read the help, written down before anyone looked at the code. */
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
  ['notes "the client wants blue"', /scratchpad notes add "the client wants blue"/],
  ['add note "the client wants blue"', /scratchpad notes add "the client wants blue"/],
  ['add "the client wants blue"', /scratchpad notes add "the client wants blue"/],
  ['remember "the client wants blue"', /scratchpad notes add "the client wants blue"/],
  ['append "the client wants blue"', /scratchpad notes add "the client wants blue"/],
  ['write "the client wants blue"', /scratchpad notes set "the client wants blue"/],
  ['set notes "all new"', /scratchpad notes set "all new"/],
  ['notes', /^The client prefers PDF\n/],
  ['notes list', /^The client prefers PDF\n/],
  ['notes ls', /^The client prefers PDF\n/],
  ['notes remove PDF', /^removed: The client prefers PDF\n/],
  ['notes delete PDF', /^removed: The client prefers PDF\n/],
  ['notes remove the', /2 matches in notes[\s\S]*1\. The client prefers PDF; 2\. The budget is 4000/],
  ['notes rm 1', /^removed: The client prefers PDF\n/],
  ['notes remove 4000', /^removed: The budget is 4000 euros\n/],
  ['notes clear', /^notes is empty now\n/],
  ['note remove old files', /two meanings: nothing was done[\s\S]*scratchpad note "remove old files"/],
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
  ['plan "call the bank"', /scratchpad plan add "call the bank"/],
  ['plan', /^1\. Collect the figures\n/],
  ['plan list', /^1\. Collect the figures\n/],
  ['plan done 1', /^1\. ~~Collect the figures~~ DONE/],
  ['plan done "send report"', /^3\. ~~Send report~~ DONE/],
  ['plan done Send report', /^3\. ~~Send report~~ DONE/],
  ['plan done the', /2 steps of the plan hold "the"[\s\S]*1\. Collect the figures; 2\. Write the draft/],
  ['plan check 1', /perhaps done/],
  ['plan tick 1', /perhaps done/],
  ['plan finish 1', /perhaps done/],
  ['plan start 2', /perhaps current/],
  ['plan undo 1', /perhaps undone/],
  ['plan reopen 1', /1\. Collect the figures - open/],
  ['plan uncheck 1', /perhaps undone/],
  ['plan rm 2', /^removed: 2\. Write the draft\n/],
  ['plan delete "send report"', /^removed: 3\. Send report\n/],
  ['plan edit draft "Write the summary"', /^2\. Write the summary \(was: Write the draft\)/],
  ['plan next', /^1\. Collect the figures\n/],
  ['done 1', /^1\. ~~Collect the figures~~ DONE/],
  ['done "send report"', /^3\. ~~Send report~~ DONE/],
  ['done', /^1\. ~~Collect the figures~~ DONE/],
  ['check 1', /perhaps scratchpad plan done 1|expected: scratchpad plan done 1/],
  ['complete 1', /^1\. ~~Collect the figures~~ DONE/],
  ['finish 1', /scratchpad plan done 1/],
  ['reopen 1', /1\. Collect the figures - open/],
  ['next', /^1\. Collect the figures\n/],
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
  ['todo tick 2', /two meanings[\s\S]*scratchpad plan done 2, or scratchpad todo "tick 2"/],
  ['todo undo', /two meanings[\s\S]*scratchpad undo, or scratchpad todo -- undo/],
  ['todo search budget', /two meanings[\s\S]*scratchpad search budget, or scratchpad todo "search budget"/],
  ['todo search for a hotel', /^added: 4\. search for a hotel\n/],
  ['todo 2', /two meanings[\s\S]*scratchpad plan done 2, or scratchpad todo -- 2/],
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
  ['note 1 "two litres"', /scratchpad notes edit 1 "two litres", or scratchpad note "1 two litres"/],
  ['reopen', /missing required argument 'steps'[\s\S]*scratchpad plan undone --help/],
  [
    'edit 1 "buy oat milk"',
    /scratchpad plan edit 1 "buy oat milk", or scratchpad notes edit 1 "buy oat milk"/,
  ],
  ['edit plan "1. All new"', /scratchpad plan set "1\. All new"/],
  // Refs
  ['ref https://example.com/a docs/b.md -q', /^$/],
  ['ref https://example.com/a', /^added: https:\/\/example\.com\/a\n/],
  ['refs rm https://example.com/spec', /^removed: https:\/\/example\.com\/spec\n/],
  ['link https://example.com/a', /perhaps refs/],
  // Entries, and the whole
  ['ls', /^SCRATCHPAD\.md {3}session main\n/],
  ['list', /^SCRATCHPAD\.md {3}session main\n/],
  ['cat', /^---\nscratchpad: 1\n/],
  ['cat research', /^What I found about pricing/],
  ['show research', /^What I found about pricing/],
  ['read research', /perhaps show/],
  ['open research', /perhaps show/],
  ['rm research', /^deleted: research\nrestore with: scratchpad entry undelete "research"/],
  ['rm 2', /several meanings[\s\S]*scratchpad plan remove 2.*or scratchpad entry delete 2/],
  ['rm', /scratchpad entry delete --help/],
  ['save', /scratchpad entry write NAME -/],
  ['head', /scratchpad show/],
  ['head research', /scratchpad entry read NAME --limit/],
  ['tail research', /scratchpad entry read NAME --tail 20/],
  ['entries', /characters .* research/],
  ['trail', /no session of this workspace is known yet/],
  ['remind me', /scratchpad note "- \[ \] call Ann by Friday"/],
  ['clean', /scratchpad notes clear/],
  ['config set color never', /NO_COLOR=1/],
  ['toString', /unknown command/],
  ['delete research', /scratchpad entry delete research/],
  ['put research "text"', /scratchpad entry write research text/],
  // What happened
  ['log', /refs {3}add .*https:\/\/example\.com\/spec/],
  ['log 1', /refs {3}add .*https:\/\/example\.com\/spec/],
  ['help done', /scratchpad plan done/],
  ['log "tried the new build"', /perhaps history; to keep a text: scratchpad note/],
  ['find budget', /^notes:2: The budget/],
  ['add call the dentist', /scratchpad plan add "call the dentist"/],
  ['note -- "-dash"', /^added: -dash\n/],
  ['undo', /^undid revision 4/],
  ['sessions', /perhaps session list/],
  ['resume', /perhaps handover/],
  ['-v', /^\d+\.\d+\.\d+\n/],
  ['settings', /perhaps config/],
  ['setup', /perhaps install/],
  ['clear', /scratchpad notes clear/],
  ['notes search PDF', /perhaps scratchpad search PDF/],
  ['notes undo', /perhaps scratchpad undo/],
  ['notes pop', /perhaps remove/],
  ['plan status', /perhaps scratchpad status/],
  ['plan init', /perhaps set/],
  ['plan swap 1 2', /perhaps move/],
  ['mark 1 done', /scratchpad plan done 1/],
  ['url https://example.com/a', /perhaps refs/],
  ['dump', /perhaps show/],
  ['state', /perhaps show/],
  ['info', /perhaps status/],
  ['sync', /perhaps assemble/],
  ['blame', /perhaps history/],
  ['switch main', /perhaps session list/],
  ['last', /perhaps handover/],
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
