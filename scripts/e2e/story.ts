import type { Bench } from './bench.ts';
import type { Asked, Reply } from './model-stub.ts';

/** One host, as far as the story has to know it. */
export interface Host {
  /** One turn of one conversation. */
  say(words: string): Promise<unknown>;
  /** The call with which a model runs a shell command there. */
  command(line: string): NonNullable<Reply['tool']>;
  /** Makes the host compact its context, at the latest before the next request for an answer. */
  compact(): Promise<void>;
  /** Whether a request asks for the summary that takes the place of what is compacted. */
  isSummary(asked: Asked): boolean;
  /** Most of a long output that the host lets out of its hands, in characters; all of it unless given. */
  keeps?: number;
}

const LINES = 7000;
/** 103,890 characters, every line another one. */
const LONG = `node -e 'for (let k = 0; k < ${LINES}; k++) console.log("output " + String(k).padStart(7))'`;
const PLAN = 'Find the leak in the connection pool';
const NOTE = 'release() is skipped on timeout';

/**
 * What must hold in every host: each request has the plan and a fresh state, a note written
 * between two turns is there at the second, a long output arrives as a preview whose entry has
 * the whole, and all of it is still there after a compaction.
 */
export async function tellStory(bench: Bench, host: Host): Promise<void> {
  const { stub } = bench;
  bench.scratchpad('plan', 'set', `1. ${PLAN}\n2. Write the test`);
  await host.say('the pool still leaks connections, this is getting urgent!!');
  bench.sees('a turn: the request holds the plan', [PLAN]);
  bench.sees('a turn: and the state assembled from the prompt in hand', [
    '## Time Context',
    'Last topic: the pool still leaks connections',
  ]);

  bench.scratchpad('notes', 'append', `Root cause: ${NOTE}`);
  await host.say('what next?');
  bench.sees('a later turn: the request holds a note written in between', [NOTE]);

  let ran = false;
  stub.reply = () => {
    if (ran) return { text: 'Done.' };
    ran = true;
    return { tool: host.command(LONG) };
  };
  await host.say('run the long one');
  const shown = bench.lastTurn();
  bench.expect(
    `${LINES * 15} characters of a command's output: the request has a preview that names the entry`,
    shown.includes('kept as execute_command_1') && (shown.match(/output {1,7}\d/g)?.length ?? 0) < 400,
  );
  const kept = bench.scratchpad('entry', 'read', 'execute_command_1', '--limit', '1000000');
  const last = `output ${String(LINES - 1).padStart(7)}`;
  if (host.keeps === undefined) bench.expect('and the entry has the whole', kept.includes(last));
  else {
    bench.expect(
      `and the entry has the ${host.keeps} of it that the host keeps, and the request says so`,
      kept.length >= host.keeps && shown.includes('has cut'),
    );
  }

  const before = stub.asked.length;
  await host.compact();
  stub.reply = () => ({ text: 'Understood.', inputTokens: 1000 });
  await host.say('go on');
  bench.expect(
    'a compaction: the model was asked for a summary',
    stub.asked.slice(before).some(host.isSummary),
  );
  bench.sees('after the compaction: the request holds plan, note and state', [PLAN, NOTE, '## Time Context']);
}

/** A model that says it has read more than its context holds: the host compacts before the next turn. */
export async function fillContext(bench: Bench, host: Pick<Host, 'say'>, tokens: number): Promise<void> {
  // Other words in every line: Gemini CLI takes a text that repeats itself for a loop.
  const text = Array.from({ length: 6000 }, (_, k) => `${k}: ${(k * 7919).toString(36)} read.`).join('\n');
  bench.stub.reply = () => ({ text, inputTokens: tokens });
  await host.say('read it all');
  bench.stub.reply = () => ({ text: 'Summary: the pool leaks.', inputTokens: 1000 });
}
