/**
 * A run that answers one question and ends, in a workspace with the plan of another task: the model is told about
 * the plan in one line, and gets the plan if the question is about it.
 *
 *   npx tsx scripts/e2e/one-shot.ts FOLDER [HOST…]
 *
 * FOLDER has the hosts in it (`hosts/programs.ts`). Build the package first. Nothing leaves the machine; the homes are
 * temporary.
 */
import { Bench } from './bench.ts';
import { asksOnce } from './hosts/once.ts';

const [, , cache, ...asked] = process.argv;

for (const [host, hostIn] of Object.entries(asksOnce(cache))) {
  if (asked.length > 0 && !asked.includes(host)) continue;
  await Bench.with(host, async (bench) => {
    bench.note(host);
    bench.scratchpad('install', host, '--yes');
    const before = new Date(Date.now() - 2 * 3_600_000).toISOString();
    bench.scratchpad('plan', 'set', '1. Teach the parser fractions', '--now', before);
    const ask = hostIn(bench);
    await ask('what does foo do?');
    const told = bench.lastTurn();
    bench.expect('another question: no step of the plan', !told.includes('Teach the parser'));
    bench.sees('but that there is one', ['There is a plan']);
    await ask('continue with the plan');
    bench.sees('a question about the plan: the plan', ['Teach the parser fractions']);
  });
}
