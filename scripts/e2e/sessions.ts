/**
 * Whose the plan is, in a real Claude Code with a model on loopback: two sessions side by side, both compacted and
 * resumed; one session over two branches; a fork; a subagent that notes.
 *
 *   npx tsx scripts/e2e/sessions.ts FOLDER
 *
 * FOLDER has `npm i @anthropic-ai/claude-code` in it. Build the package first. Nothing leaves the machine.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { claudeCode, isSummary } from './hosts/claude-code.ts';

const [, , cache] = process.argv;
const PLAN = /\[Session Scratchpad[\s\S]*?\[End Scratchpad\]|\[Scratchpad\][^\n]*/g;

await Bench.with('sessions', async (bench) => {
  bench.onPath();
  const git = (...args: string[]): void => {
    const id = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    const { status, stderr } = spawnSync('git', [...id, ...args], { cwd: bench.workspace, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  bench.scratchpad('install', 'claude-code', '--yes');
  endsAreTold(bench.workspace);
  const run = claudeCode(bench, cache);
  let commands: string[] = [];
  bench.stub.reply = (asked) => {
    if (isSummary(asked)) return { text: '<summary>Worked on it.</summary>' };
    const command = asked.body.tools ? commands.shift() : undefined;
    return command === undefined ? { text: 'Done.' } : { tool: { name: 'Bash', input: { command } } };
  };
  /** One turn. @returns the session, and what our hooks said in it */
  const say = async (words: string, options: string[] = [], does: string[] = []) => {
    commands = [...does];
    const from = bench.stub.turns().length;
    const { session_id: session } = JSON.parse(await run([...options, words])) as { session_id: string };
    const turns = bench.stub.turns().slice(from);
    const asked = JSON.stringify(turns[0]?.body ?? '').replaceAll('\\n', '\n');
    return {
      session,
      told: asked.match(PLAN) ?? [],
      whole: asked,
      last: JSON.stringify(turns.at(-1)?.body ?? ''),
    };
  };
  const goOn = (session: string, words: string, does: string[] = []) =>
    say(words, ['--resume', session], does);

  const one = await say(
    'begin with the database',
    [],
    ['scratchpad plan set "1. Migrate the db\n2. Check it"'],
  );
  markRunning(bench.workspace, one.session);
  const two = await say(
    'begin with the docs',
    [],
    ['scratchpad plan set "1. Write the docs\n2. Print them"'],
  );
  markRunning(bench.workspace, two.session);
  bench.expect(
    'the second session is told of the first in one line, and gets no plan as its own',
    two.told.join().includes('Another session: Migrate the db, 0 of 2 done; it may be running') &&
      !two.told.join().includes('## Plan'),
    two.told.join('\n'),
  );
  for (const [each, own, other] of [
    [one, 'Migrate the db', 'Write the docs'],
    [two, 'Write the docs', 'Migrate the db'],
  ] as const) {
    await goOn(each.session, '/compact');
    markRunning(bench.workspace, one.session);
    markRunning(bench.workspace, two.session);
    const again = await goOn(each.session, 'go on', ['scratchpad plan done 1']);
    const told = again.told.join('\n');
    bench.expect(
      `after a compaction and a resume a session has its own plan: ${own}`,
      told.includes(`1. ${own}`) && !told.includes(`1. ${other}`),
      again.whole.slice(-3000),
    );
    markRunning(bench.workspace, each.session);
  }
  const pad = (): string => readFileSync(join(bench.workspace, 'SCRATCHPAD.md'), 'utf8');
  bench.expect(
    'SCRATCHPAD.md shows the plan of who worked last, and the other in a line',
    /scratchpad:plan -->\n1\. ~~Write the docs~~ DONE/.test(pad()) &&
      /- Plan 1, of session .*Migrate the db \(1 of 2 done\)/.test(pad()),
    pad(),
  );

  git('checkout', '-q', '-b', 'fix');
  await goOn(one.session, 'a quick fix', ['scratchpad plan set "1. Fix the leak"']);
  git('checkout', '-q', 'main');
  const back = await goOn(one.session, 'back to the database');
  bench.expect(
    'switching back brings the plan of the branch at the next prompt',
    back.told.at(-1)?.includes('Migrate the db') === true,
    back.told.join('\n'),
  );
  const quiet = await goOn(one.session, 'and on');
  bench.expect('once', quiet.told.length === back.told.length, quiet.told.join('\n---\n'));
  git('checkout', '-q', 'fix');
  await goOn(one.session, '/compact');
  const fixed = await goOn(one.session, 'go on');
  bench.expect(
    'after a compaction on a branch its own plan is shown',
    fixed.told.join().includes('1. Fix the leak') && !fixed.told.join().includes('1. ~~Migrate'),
    fixed.told.join('\n'),
  );
  git('checkout', '-q', 'main');

  const before = await goOn(two.session, 'what is next?');
  markRunning(bench.workspace, two.session);
  const fork = await say(
    'try it otherwise',
    ['--resume', two.session, '--fork-session'],
    ['scratchpad plan add "Bind them"'],
  );
  bench.expect(
    'a fork is told nothing twice, and its parent is no other session',
    fork.session !== two.session &&
      fork.told.length <= before.told.length &&
      !fork.told.at(-1)?.includes('Another session: Write'),
    `${before.told.length} ${fork.told.length} ${fork.told.at(-1)}`,
  );

  let childTurns = 0;
  let id = '';
  let parentTurns = 0;
  bench.stub.reply = ({ body, text }) => {
    if (!body.tools) return { text: 'Done.' };
    if (text.includes('LOOK INTO IT') && text.includes("This agent's id is") && !text.includes('start one')) {
      id = /This agent's id is (\w+)/.exec(text)?.[1] ?? '';
      childTurns += 1;
      if (childTurns > 2) return { text: 'I looked.' };
      if (childTurns === 2)
        return {
          tool: {
            name: 'mcp__scratchpad__session_scratchpad',
            input: { action: 'append_notes', content: 'it has four connections' },
          },
        };
      bench.expect(
        'a subagent is told the goal and the step in a line, and starts empty',
        text.includes('The session that started this agent works on: ') && !text.includes('## Plan'),
        text.slice(-1500),
      );
      return {
        tool: {
          name: 'Bash',
          input: { command: `scratchpad notes add "the pool is too small" --session ${id}` },
        },
      };
    }
    parentTurns += 1;
    if (parentTurns === 1)
      return {
        tool: {
          name: 'Agent',
          input: {
            description: 'look',
            prompt: 'LOOK INTO IT',
            subagent_type: 'general-purpose',
            run_in_background: false,
          },
        },
      };
    return { text: 'Done.' };
  };
  await run(['--resume', two.session, 'start one']);
  bench.stub.reply = () => ({ text: 'Done.' });
  const after = await goOn(two.session, 'what did it find?');
  for (const note of ['the pool is too small', 'it has four connections'])
    bench.expect(
      `what a subagent notes, by a command or a tool, comes to its parent as news: ${note}`,
      after.whole.includes(`Subagent ${id} noted: ${note}`),
      after.told.join('\n'),
    );
  bench.expect(
    'and is in its own notepad',
    bench.scratchpad('notes', '--session', id) === 'the pool is too small\nit has four connections\n' &&
      bench.scratchpad('notes').trim() === '',
    bench.scratchpad('notes'),
  );
  bench.hookLines();
});

/** The end of a session is an event that has to be registered. */
function endsAreTold(workspace: string): void {
  for (const name of ['settings.local.json', 'settings.json']) {
    const path = join(workspace, '.claude', name);
    try {
      const settings = JSON.parse(readFileSync(path, 'utf8')) as { hooks?: Record<string, unknown> };
      if (settings.hooks === undefined || settings.hooks.SessionEnd !== undefined) continue;
      const hook = { type: 'command', command: 'scratchpad hook claude-code SessionEnd', timeout: 10 };
      settings.hooks.SessionEnd = [{ hooks: [hook] }];
      writeFileSync(path, JSON.stringify(settings));
    } catch {
      // Not the file that was written.
    }
  }
}

/** A session that runs for each turn alone ends with it; here it stands for one that stays. */
function markRunning(workspace: string, session: string): void {
  const path = join(workspace, '.scratchpad/hosts', `${session}.json`);
  const { ended: _, ...record } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify(record));
}
