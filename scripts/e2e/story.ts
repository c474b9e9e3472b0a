import { readFileSync } from 'node:fs';
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
  /** Whether the host stamps messages with the time itself. */
  stampsTime?: true;
  /** Whether its first message tells of the folder as it is at each run. */
  startsAnew?: true;
  /** Whether it drops injected text after its turn. */
  ephemeral?: true;
  /** Most of a long output that the host lets out of its hands, in characters; all of it unless given. */
  keeps?: number;
}

const LINES = 7000;
/** 103,890 characters, every line another one. */
const LONG = `node -e 'for (let k = 0; k < ${LINES}; k++) console.log("output " + String(k).padStart(7))'`;
const PLAN = 'Find the leak in the connection pool';
const NOTE = 'release() is skipped on timeout';

const FURIOUS = 'this is STILL broken!!! I told you three times now, stop guessing and actually fix it';
/** Turns in which nothing changes. */
const QUIET = [
  'go on',
  'yes',
  'and the next one',
  'ok',
  'fine',
  'go on please',
  'next',
  'yes, do it',
  'ok then',
  'on',
];

/**
 * What must hold in every host, over twenty turns: the plan is in every request, once; a note that somebody writes
 * between two turns arrives at the second, once; a furious prompt is answered with the strategy for it; a turn without
 * news adds nothing; a long output arrives as a preview whose entry has the whole; and all of it is still there after
 * a compaction, once.
 */
export async function tellStory(bench: Bench, host: Host): Promise<void> {
  const { stub } = bench;
  bench.scratchpad('plan', 'set', `1. ${PLAN}\n2. Write the test`);
  await host.say('find the leak in the pool');
  bench.sees('turn 1: the request holds the plan', [PLAN]);
  once(bench, 'turn 1: once', PLAN);
  if (!host.stampsTime) {
    const now = new Date();
    const minutes = [0, 1].map((ago) => new Date(now.getTime() - ago * 60_000).toISOString().slice(11, 16));
    bench.expect(
      'turn 1: with a clock that is right to the minute',
      minutes.some((minute) => bench.lastTurn().includes(`, ${minute} UTC`)),
    );
  }

  bench.scratchpad('notes', 'append', `Root cause: ${NOTE}`);
  await host.say('what next?');
  bench.sees('turn 2: the request holds a note written in between', [NOTE]);
  once(bench, 'turn 2: once, and so the plan', PLAN, NOTE);

  await host.say(FURIOUS);
  bench.sees('turn 3: a furious prompt is answered with the strategy for it', ['How to answer for now:']);

  const before = blocks(bench);
  for (const words of QUIET) await host.say(words);
  bench.expect(
    `turns 4 to ${3 + QUIET.length}: nothing new, nothing said`,
    blocks(bench) <= (host.ephemeral ? before : before + 1),
    `${before} blocks before, ${blocks(bench)} after`,
  );
  once(bench, 'and the plan and the note are in the last request, once', PLAN, NOTE);
  bench.expect(
    'the requests share their beginning, so that a prompt cache keeps it',
    prefixesHold(stub.turns(), host),
  );

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
  const path = /kept as execute_command_1, whole in ([^\]\n]+)\]/.exec(shown)?.[1];
  const kept = path === undefined ? '' : readFileSync(path, 'utf8');
  const last = `output ${String(LINES - 1).padStart(7)}`;
  if (host.keeps === undefined) bench.expect('and the entry has the whole', kept.includes(last));
  else {
    bench.expect(
      `and the entry has the ${host.keeps} of it that the host keeps, and the request says so`,
      kept.length >= host.keeps && shown.includes('has cut'),
    );
  }

  const asked = stub.asked.length;
  await host.compact();
  stub.reply = () => ({ text: 'Understood.', inputTokens: 1000 });
  await host.say('go on');
  bench.expect(
    'a compaction: the model was asked for a summary',
    stub.asked.slice(asked).some(host.isSummary),
  );
  bench.sees('after the compaction: the request holds plan and note', [PLAN, NOTE]);
  for (const words of ['and on', 'yes', 'next']) await host.say(words);
  once(bench, 'three turns later: both are there, once', PLAN, NOTE);
}

/** Each of the texts stands in the last request exactly once. */
function once(bench: Bench, what: string, ...texts: string[]): void {
  const turn = bench.lastTurn();
  const counts = texts.map((text) => turn.split(text).length - 1);
  bench.expect(
    what,
    counts.every((count) => count === 1),
    `found ${counts.join(', ')} times`,
  );
}

/** How often the scratchpad speaks in the last request. */
const blocks = (bench: Bench): number =>
  bench.lastTurn().split(/\[(?:Session )?Scratchpad(?:\]| - |:)/).length - 1;

/** Whether each request begins with what the one before it held, without what a host drops after its turn. */
function prefixesHold(turns: readonly Asked[], { ephemeral, startsAnew }: Host): boolean {
  const ours = /\[Session Scratchpad[\s\S]*?\[End Scratchpad\](?:\\n)*/g;
  const said = turns.map(({ body }) => {
    const list = (body.messages ?? body.input ?? body.contents ?? []) as unknown[];
    // Marks for the host's own cache move with each request, and a text alone is a string or a block.
    return list.map((message) =>
      JSON.stringify(message)
        .replace(/,?"cache_control":\{[^}]*\}/g, '')
        .replace(/\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\]/g, '$1')
        .replace(ephemeral ? ours : '', ''),
    );
  });
  return said.slice(1).every((now, at) => {
    const before = said[at] ?? [];
    // A host that injects for one turn only does so with its own words too, at the end.
    const stable = ephemeral ? before.slice(0, -1) : before;
    return stable.every((message, index) => now[index] === message || (index === 0 && startsAnew));
  });
}

/** A model that says it has read more than its context holds: the host compacts before the next turn. */
export async function fillContext(bench: Bench, host: Pick<Host, 'say'>, tokens: number): Promise<void> {
  // Other words in every line: Gemini CLI takes a text that repeats itself for a loop.
  const text = Array.from({ length: 6000 }, (_, k) => `${k}: ${(k * 7919).toString(36)} read.`).join('\n');
  bench.stub.reply = () => ({ text, inputTokens: tokens });
  await host.say('read it all');
  bench.stub.reply = () => ({ text: 'Summary: the pool leaks.', inputTokens: 1000 });
}
