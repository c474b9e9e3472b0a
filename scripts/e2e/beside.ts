/**
 * Whose the plan is, in a real Claude Code, Codex, Gemini CLI or OpenClaw with a model on loopback: two sessions side by
 * side with plans of their own, both resumed; one session over two branches; a fork; a new session that goes on with one
 * that was cut off.
 *
 *   npx tsx scripts/e2e/beside.ts HOST FOLDER
 *
 * FOLDER has the host in it (`hosts/programs.ts`). Build the package first. Nothing leaves the machine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSealed, writeSealed } from '../../src/base/trust/seal.ts';
import { HOST_SESSIONS } from '../../src/session/actor.ts';
import { Bench, countOccurrences } from './bench.ts';
import { HOSTS, type Host } from './hosts/index.ts';
import { findProgram } from './hosts/programs.ts';

type Call = ReturnType<Host['command']>;

const [, , name = '', cache] = process.argv;
/** A session that has been silent for two minutes counts as ended. */
const SILENCE_MS = 125_000;

/** Without the drafts of a hook that is still writing. */
const listRecords = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.json'));

/** A session that runs for each turn alone ends with it; here it stands for one that stays. */
function markRunning(bench: Bench): void {
  const folder = join(bench.workspace, '.scratchpad/hosts');
  const env = { HOME: bench.home };
  for (const path of listRecords(folder).map((file) => join(folder, file))) {
    const { ended: _, ...memory } = readSealed(path, HOST_SESSIONS, env) as Record<string, unknown>;
    writeSealed(path, HOST_SESSIONS, memory, {}, env);
  }
}

await Bench.runStory(`beside-${name}`, async (bench) => {
  const git = bench.makeRepository();
  const make = HOSTS[name];
  if (make === undefined) throw new Error(`one of ${Object.keys(HOSTS).join(', ')}`);
  const host = make(bench, cache);
  bench.addToPath(name === 'codex' ? { codex: findProgram(cache, 'codex') } : {});
  bench.scratchpad('init');
  bench.scratchpad('install', name, '--yes');
  const plan = (content: string): Call =>
    host.byTool
      ? host.tool({ action: 'set_plan', content })
      : host.command(`scratchpad plan set "${content}"`);
  const markDone: Call = host.byTool
    ? host.tool({ action: 'plan.done', steps: [1] })
    : host.command('scratchpad plan done 1');
  let nextCalls: Call[] = [];
  bench.stub.reply = ({ body }) => {
    const tool = body.tools ? nextCalls.shift() : undefined;
    return tool === undefined ? { text: 'Done so far.' } : { tool };
  };
  const OURS = /\[Session Scratchpad[\s\S]*?\[End Scratchpad\]|\[Scratchpad\][^\n]*/g;
  /** The texts of our hooks in the first request of a turn. */
  const collectTexts = async (work: () => Promise<unknown>, calls: Call[] = []): Promise<string[]> => {
    nextCalls = [...calls];
    const from = bench.stub.turns().length;
    await work();
    markRunning(bench);
    const [first] = bench.stub.turns().slice(from);
    return (
      JSON.stringify(first?.body ?? '')
        .replaceAll('\\n', '\n')
        .match(OURS) ?? []
    );
  };

  let databaseSession = '';
  let docsSession = '';
  await collectTexts(async () => {
    databaseSession = await host.begin('begin with the database');
  }, [plan('1. Migrate the db\n2. Check it')]);
  const second = await collectTexts(async () => {
    docsSession = await host.begin('begin with the docs');
  }, [plan('1. Write the docs\n2. Print them')]);
  bench.expect(
    'the second session is told of the first in one line, and gets no plan as its own',
    second.join().includes('Migrate the db, 0 of 2 done') && !second.join().includes('## Plan'),
    second.join('\n'),
  );
  for (const [session, ownGoal, otherGoal] of [
    [databaseSession, 'Migrate the db', 'Write the docs'],
    [docsSession, 'Write the docs', 'Migrate the db'],
  ] as const) {
    bench.scratchpad('notes', 'append', `a note for ${ownGoal}`);
    const texts = (await collectTexts(() => host.goOn(session, 'go on'), [markDone])).join('\n');
    bench.expect(
      `resumed, a session is told the news, and not the other plan as its own: ${ownGoal}`,
      texts.includes(`a note for ${ownGoal}`) && !texts.includes(`1. ${otherGoal}`),
      texts,
    );
    const again = await collectTexts(() => host.goOn(session, 'and on'));
    bench.expect(
      `and nothing twice: ${ownGoal}`,
      countOccurrences(again.join('\n'), `a note for ${ownGoal}`) === 1,
      again.join('\n'),
    );
  }

  const pad = readFileSync(join(bench.workspace, 'SCRATCHPAD.md'), 'utf8');
  bench.expect(
    'SCRATCHPAD.md shows the plan of who worked last, and the other in a line',
    /scratchpad:plan -->\n1\. ~~Write the docs~~ DONE/.test(pad) && /Migrate the db, 1 of 2 done/.test(pad),
    pad,
  );

  git('checkout', '-q', '-b', 'fix');
  await collectTexts(() => host.goOn(databaseSession, 'a quick fix'), [plan('1. Fix the leak')]);
  git('checkout', '-q', 'main');
  const back = await collectTexts(() => host.goOn(databaseSession, 'back to the database'));
  bench.expect(
    'switching back brings the plan of the branch at the next prompt',
    back.at(-1)?.includes('Migrate the db') === true,
    back.join('\n'),
  );

  if (host.fork) {
    const { fork } = host;
    const forked = await collectTexts(() => fork(databaseSession, 'try it otherwise'));
    bench.expect('a fork is told nothing twice', forked.length <= back.length + 1, forked.join('\n'));
  }
  nextCalls = [];
  bench.stub.reply = ({ body }) => (body.tools ? { tool: host.command(host.kill) } : { text: '' });
  const task = 'List the prices of all cakes. Leave out what is sold out.';
  await Promise.race([host.begin(task).catch(() => undefined), sleep(20_000)]);
  bench.stub.reply = () => ({ text: 'Done.' });
  if (name === 'openclaw')
    return bench.note('OpenClaw: the agent is the gateway, so nothing is cut off alone');
  const afterKill = (await collectTexts(() => host.begin('go on'))).join('\n');
  bench.expect(
    'right after a session was killed: a line with its last words, and that it may be running',
    countOccurrences(afterKill, 'Leave out what is sold out.') === 1 &&
      afterKill.includes('(it may be running)'),
    afterKill,
  );
  await sleep(SILENCE_MS);
  const later = (await collectTexts(() => host.begin('go on'))).join('\n');
  bench.expect(
    'and once it has been silent for two minutes: its words, word for word',
    later.includes(`“${task}”`),
    later,
  );
});
