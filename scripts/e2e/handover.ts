/**
 * What a session is told of the one before it, in a real Claude Code with a model on loopback: the next session, the one
 * after it, one with other work, one that was cut off, a clear, a compaction, a fork and a rewind.
 *
 *   npx tsx scripts/e2e/handover.ts FOLDER
 *
 * FOLDER has `npm i @anthropic-ai/claude-code` in it. Build the package first. Nothing leaves the machine.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { claudeCode, isSummary } from './hosts/claude-code.ts';

const [, , cache] = process.argv;
const RULE = 'Never round a price before the last line.';
const TASK = `Write the totals of all orders by customer and by month into totals.txt, with a line above them. ${RULE}`;

await Bench.with('handover', async (bench) => {
  bench.onPath();
  bench.repository();
  bench.scratchpad('install', 'claude-code', '--yes');
  const run = claudeCode(bench, cache);
  let commands: string[] = [];
  bench.stub.reply = (asked) => {
    if (isSummary(asked)) return { text: '<summary>Worked on the totals.</summary>' };
    const command = asked.body.tools ? commands.shift() : undefined;
    return command === undefined ? { text: 'Done so far.' } : { tool: { name: 'Bash', input: { command } } };
  };
  let session = '';
  /** One turn. @returns the last request of it */
  const say = async (words: string, options: string[] = [], does: string[] = []): Promise<string> => {
    commands = [...does];
    session = (JSON.parse(await run([...options, words])) as { session_id: string }).session_id;
    return JSON.stringify(bench.stub.turns().at(-1)?.body ?? '');
  };
  const goOn = (words: string, more: string[] = []): Promise<string> =>
    say(words, ['--resume', session, ...more]);
  const count = (text: string, part: string): number => text.split(part).length - 1;
  const told = (text: string): number => count(text, RULE);
  const saidIn = (text: string): string =>
    (text.match(/\[Session Scratchpad[\s\S]*?End Scratchpad\]/g) ?? []).join('\n');

  await say(TASK, [], ['echo "bread 1.20" > totals.txt']);
  const other = await say('which licence do the fonts of the catalogue have?');
  bench.expect('other work: a line of state', count(other, 'Last session here') === 1, saidIn(other));
  bench.expect('other work: no words', told(other) === 0, saidIn(other));
  const next = await say('continue with the totals');
  bench.expect('a session that goes on: the words, once', told(next) === 1, saidIn(next));
  bench.expect('and the file that is not committed', next.includes('totals.txt'), saidIn(next));
  const on = await goOn('go on');
  bench.expect('its next prompt: nothing again', told(on) === 1, saidIn(on));
  const first = session;
  await goOn('/compact');
  const after = await goOn('go on');
  bench.expect('after a compaction without them: the words, once', told(after) === 1, saidIn(after));
  const fork = await goOn('try it otherwise', ['--fork-session']);
  bench.expect('a fork: nothing twice', session !== first && told(fork) === 1, saidIn(fork));

  const answers = (): string[] => {
    const projects = join(bench.home, '.claude/projects');
    const [project = ''] = readdirSync(projects);
    const file = join(projects, project, `${session}.jsonl`);
    const { stdout } = spawnSync('grep', ['"type":"assistant"', file], { encoding: 'utf8' });
    return stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { uuid: string }).uuid);
  };
  await goOn('and the sum in euros');
  const back = await goOn('or without it', ['--resume-session-at', answers().at(-2) ?? '']);
  bench.expect('after a rewind: the words, once', told(back) === 1, saidIn(back));

  await goOn('/clear');
  const cleared = await say('go on with the totals');
  bench.expect('after a clear: the words, once', told(cleared) === 1, saidIn(cleared));

  bench.stub.reply = () => ({ tool: { name: 'Bash', input: { command: 'kill -9 $PPID' } } });
  await say('List the prices of all cakes. Leave out what is sold out.').catch(() => undefined);
  bench.stub.reply = () => ({ text: 'Done.' });
  const cut = await say('go on');
  bench.expect(
    'after a session that was killed: its words',
    count(cut, 'Leave out what is sold out.') === 1,
    saidIn(cut),
  );
});
