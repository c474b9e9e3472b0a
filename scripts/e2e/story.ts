import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateTokens } from '../../src/pad/tokens.ts';
import type { Bench } from './bench.ts';
import type { ModelRequest, Reply } from './model-stub.ts';
import { findDifference, type Ways } from './requests.ts';

/** The ways of a host that the story depends on. */
export interface Host extends Ways {
  /** One turn of one conversation. */
  say(words: string): Promise<unknown>;
  /** The call with which a model runs a shell command. */
  command(line: string): NonNullable<Reply['tool']>;
  /** Makes the host compact its context, before the next request for an answer at the latest. */
  compact(): Promise<void>;
  /** Whether a request asks for the summary that replaces the compacted messages. */
  isSummary(request: ModelRequest): boolean;
  /** Further differences across a resume. */
  resumes?: Ways;
  /** Continues in a new process, or in a terminal; not needed where each turn is a process. */
  resume?(): Promise<unknown>;
  /** Whether a model has another system part and other tools in a terminal. */
  differsInTerminal?: true;
  /** Rewinds the last turn, where that can be done without a person. */
  rewind?(): Promise<unknown>;
  /** Starts an empty conversation. */
  clear(): Promise<unknown>;
  /** Whether the plan stays with the conversation before a clear, which may go on. */
  keepsPlan?: true;
  /** Whether it shortens long outputs itself, or lets nobody do so. */
  shortens?: true;
  /** How many characters of a long output the host passes on; all of it unless given. */
  passesOn?: number;
}

const LINES = 7000;
/**
 * 105,000 characters, every line different. OpenCode 1.18 loses what it has not read when the shell ends, which
 * therefore ends late.
 */
const LONG = `node -e 'for (let k = 0; k < ${LINES}; k++) console.log("output " + String(k).padStart(7))'; sleep 1`;
const FINISHED = 'Read the code of the pool';
const PLAN = 'Find the leak in the connection pool';
const NOTE = 'release() is skipped on timeout';
const LATER = 'the retry path never closes its socket';

/** Facts on disk that nobody has mentioned, each with a question that it answers. */
const FACTS = [
  {
    question: 'what next? and which port does the staging database listen on?',
    fact: 'The staging database listens on port 5433, because 5432 belongs to the reporting tool.',
  },
  {
    question: 'who signs off the release checklist?',
    fact: 'Marta signs off the release checklist before every tag.',
  },
] as const;
const FURIOUS = 'this is STILL broken!!! I told you three times now, stop guessing and actually fix it';
/** Turns in which nothing changes. */
const QUIET = 'go on|yes|and the next one|ok|fine|go on please|next|yes, do it|ok then|on'.split('|');

/**
 * Plays what must hold in every host, over more than twenty turns with a compaction, a resume, a rewind and a clear: every
 * request contains the plan exactly once; news is told once, in the turn that it concerns; a turn without news
 * adds nothing; and each request begins with the bytes of the one before it.
 */
export async function tellStory(bench: Bench, player: Host): Promise<void> {
  const watch = { turns: 0, errors: 0, longest: 0 };
  const host: Host = { ...player, say: (words) => playWatched(bench, player, words, watch) };
  mkdirSync(join(bench.workspace, 'memory'));
  const facts = FACTS.map(({ fact }) => `- ${fact}\n`).join('');
  writeFileSync(join(bench.workspace, 'memory/facts.md'), `# Facts\n\n${facts}- The office closes at six.\n`);
  bench.scratchpad('plan', 'set', `1. ${FINISHED}\n2. ${PLAN}\n3. Write the test`);
  await playNews(bench, host);
  await playQuiet(bench, host);
  if (!host.shortens) await playLongOutput(bench, host);
  else bench.note('a long output: skipped, because the host leaves it to nobody');
  await playCompaction(bench, host);
  await playResume(bench, host);
  if (host.rewind) await playRewind(bench, host, host.rewind);
  else bench.note('the rewind: skipped, because it needs a person');
  await playClear(bench, host);
  bench.expect(
    `${watch.turns} turns: no error is shown to the person`,
    watch.errors === 0,
    `${watch.errors}`,
  );
  bench.expect('and no hook takes three seconds', watch.longest < 3000, `${watch.longest} ms`);
  bench.note(`the longest of the hooks that were recorded last in a turn: ${watch.longest} ms`);
}

/** A turn, with what the person sees of our errors and what the last hook of it took. */
async function playWatched(
  bench: Bench,
  host: Host,
  words: string,
  watch: { turns: number; errors: number; longest: number },
): Promise<unknown> {
  const answer = await host.say(words);
  watch.turns += 1;
  const [error] =
    /hook\b.{0,40}(?:error|failed|timed out)|scratchpad\b.{0,40}(?:error|failed)/i.exec(bench.output) ?? [];
  if (error !== undefined) {
    watch.errors += 1;
    bench.note(`turn ${watch.turns}: ${error}`);
  }
  const { hooks } = JSON.parse(bench.scratchpad('status', '--json')) as { hooks: { last?: { ms: number } } };
  watch.longest = Math.max(watch.longest, hooks.last?.ms ?? 0);
  return answer;
}

/** Turns 1 to 5, each with an event of its own. */
async function playNews(bench: Bench, host: Host): Promise<void> {
  await host.say('find the leak in the pool');
  bench.expectOnce('turn 1: the request holds the plan, once', PLAN);
  checkClock(bench);

  bench.scratchpad('notes', 'append', `Root cause: ${NOTE}`);
  await host.say(FACTS[0].question);
  bench.expectOnce('turn 2: a note written in between, once, and so the plan', PLAN, NOTE);
  bench.expectOnce(
    'turn 2: the question brings its line of memory',
    `From memory, perhaps the answer: ${FACTS[0].fact}`,
  );

  await host.say(FURIOUS);
  bench.expect(
    'turn 3: nothing is told of a mood',
    !/Lead with|frustrat/.test(extractOurs(bench)),
    extractOurs(bench),
  );

  await host.say(FACTS[1].question);
  bench.expectOnce(
    'turn 4: the question brings its line of memory',
    `From memory, perhaps the answer: ${FACTS[1].fact}`,
  );

  bench.stub.reply = makeCalls(host, 'scratchpad plan done 1 --quiet');
  await host.say('the code is read, tick it off');
  await host.say('go on');
  const pad = readFileSync(join(bench.workspace, 'SCRATCHPAD.md'), 'utf8');
  bench.expect(
    'turn 5: a step that the agent finishes is not "Working on" any more, the next one is',
    pad.includes(`Working on: ${PLAN}`) && !bench.lastTurn().includes(`Working on: ${FINISHED}`),
  );
  bench.expectOnce('turn 6: and the agent is not told of what it did itself', PLAN, NOTE);
}

async function playQuiet(bench: Bench, host: Host): Promise<void> {
  const before = countBlocks(bench);
  const from = bench.stub.turns().length;
  for (const words of QUIET) await host.say(words);
  bench.expect(
    `turns 7 to ${6 + QUIET.length}: nothing new, nothing said`,
    countBlocks(bench) <= (host.ephemeral ? before : before + 1),
    `${before} blocks before, ${countBlocks(bench)} after`,
  );
  bench.expectOnce('and the plan and the note are in the last request, once', PLAN, NOTE);
  noteCosts(bench);
  expectPrefix(bench, host, 'so far');
  expectPrefix(bench, { ...host, withOurs: true }, 'of these turns, with all that we said,', from);
}

/** Notes the tokens of ours in every request: the schemas of our tools, our instructions, and all texts so far. */
function noteCosts(bench: Bench): void {
  const body = bench.lastTurnBody() ?? {};
  const tools = JSON.stringify(body.tools ?? [], (_, value: unknown) =>
    Array.isArray(value) ? value.filter((each) => !isTool(each) || isOurs(each)) : value,
  );
  const instructions =
    /Working memory in SCRATCHPAD\.md[^"]*?conversation\.|You have a persistent scratchpad tool[\s\S]*?conversation:/;
  const [guidance = ''] = instructions.exec(JSON.stringify(body)) ?? [];
  bench.note(
    `tokens of ours in the request: ${estimateTokens(tools)} for the schemas of tools, ` +
      `${estimateTokens(guidance)} for instructions, ${estimateTokens(extractOurs(bench))} said in 17 turns`,
  );
}

/** All that we said, as the last request has it. */
const extractOurs = (bench: Bench): string =>
  (bench.lastTurn().match(/\[Session Scratchpad[\s\S]*?\[End Scratchpad\]|\[Scratchpad\][^\n]*/g) ?? []).join(
    '\n',
  );

const isTool = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('name' in value || 'function' in value);
const isOurs = (value: unknown): boolean =>
  /scratchpad|memory_search/.test(JSON.stringify(value).slice(0, 80));

async function playLongOutput(bench: Bench, host: Host): Promise<void> {
  bench.stub.reply = makeCalls(host, LONG);
  await host.say('run the long one');
  const shown = bench.lastTurn();
  bench.expect(
    `${LINES * 15} characters of a command's output: the request has a preview that names the entry`,
    shown.includes('kept as execute_command_1') && (shown.match(/output {1,7}\d/g)?.length ?? 0) < 400,
  );
  const path = /kept as execute_command_1, (?:whole )?in ([^\]\n]+)\]/.exec(shown)?.[1];
  const kept = path === undefined ? '' : readFileSync(path, 'utf8');
  const [first, last] = [0, LINES - 1].map((line) => `output ${String(line).padStart(7)}`);
  const isWhole = kept.includes(String(first)) && kept.includes(String(last)) && kept.length >= LINES * 15;
  if (host.passesOn === undefined)
    bench.expect('and the entry has the whole', isWhole, `${kept.length} characters`);
  else {
    bench.expect(
      `and the entry has the ${host.passesOn} of it that the host keeps, and the request says so`,
      kept.length >= host.passesOn && shown.includes('has cut'),
    );
  }
}

async function playCompaction(bench: Bench, host: Host): Promise<void> {
  const before = bench.stub.requests.length;
  await host.compact();
  bench.stub.reply = () => ({ text: 'Understood.', inputTokens: 1000 });
  const from = bench.stub.turns().length;
  await host.say('go on');
  bench.expect(
    'a compaction: the model was asked for a summary',
    bench.stub.requests.slice(before).some(host.isSummary),
  );
  bench.expectParts('after the compaction: the request holds plan and note', PLAN, NOTE);
  for (const words of ['and on', 'yes', 'next']) await host.say(words);
  bench.expectOnce('three turns later: both are there, once', PLAN, NOTE);
  expectPrefix(bench, host, 'since the compaction', from);
}

async function playResume(bench: Bench, host: Host): Promise<void> {
  const from = bench.stub.turns().length - 1;
  await host.resume?.();
  await host.say('and now?');
  const how = host.resume ? 'resumed' : 'resumed, as every turn was';
  bench.expectOnce(`${how}: plan and note are there, once`, PLAN, NOTE);
  expectPrefix(
    bench,
    { ...host, ...host.resumes },
    'across the resume',
    from,
    host.differsInTerminal ? 2 : 0,
  );
}

/** The turn in which a note was told is rewound: the model no longer knows the note. */
async function playRewind(bench: Bench, host: Host, takeBack: () => Promise<unknown>): Promise<void> {
  const { stub } = bench;
  bench.scratchpad('notes', 'append', LATER);
  const before = stub.turns().at(-1);
  await host.say('this will be taken back');
  bench.expectOnce('before the rewind: a new note is told, once', LATER);
  await takeBack();
  const from = stub.turns().length;
  // Claude Code records a rewind only at the next prompt, so we notice it at the first tool call.
  stub.reply = makeCalls(host, 'true');
  await host.say('another way');
  bench.expect('the rewind: the turn is gone', !bench.lastTurn().includes('this will be taken back'));
  bench.expectOnce('after the rewind: the plan is there, once, and the note again, once', PLAN, LATER);
  bench.expectParts('and the note of before', NOTE);
  const found = findDifference([before, stub.turns()[from]], host);
  bench.expect(
    'and the request begins with the bytes of the one before the rewind',
    found === undefined,
    found,
  );
}

async function playClear(bench: Bench, host: Host): Promise<void> {
  // Fails: the workspace has no Makefile.
  bench.stub.reply = makeCalls(host, 'make test');
  await host.say('run the tests');
  const before = bench.stub.turns().length;
  await host.clear();
  await host.say('look at the pool again');
  const turn = bench.lastTurn();
  bench.expect(
    'after the clear: a line of the conversation before it, which has ended',
    /last session here/i.test(turn) && !turn.includes('it may be running'),
    extractOurs(bench),
  );
  bench.expect(
    'the clear: nothing else of the conversation is left, but words of the person perhaps',
    !/No rule to make|make: (?:command )?not found/.test(turn),
    extractOurs(bench),
  );
  const texts = [...(host.keepsPlan ? [] : [PLAN]), NOTE, ...(host.rewind ? [LATER] : [])];
  bench.expectOnce('after the clear: plan and notes are there, once', ...texts);
  await host.say('go on');
  await host.say('yes');
  bench.expectOnce('two turns later: once', ...texts);
  const turns = bench.stub.turns();
  expectPrefix(bench, host, 'since the clear', Math.max(before, turns.length - 3));
  bench.note(`${turns.length} requests for an answer`);
}

/** The host tells its model the time; ours would be a second one. */
function checkClock(bench: Bench): void {
  bench.expect('turn 1: we tell no time', !/^Now: /m.test(bench.lastTurn()));
}

/** A model that runs one command and ends its turn. */
function makeCalls(host: Host, line: string): () => Reply {
  let ran = false;
  return () => {
    if (ran) return { text: 'Done.' };
    ran = true;
    return { tool: host.command(line) };
  };
}

/** How often the scratchpad speaks in the last request. */
const countBlocks = (bench: Bench): number =>
  bench.lastTurn().split(/\[(?:Session )?Scratchpad(?:\]| - |:)/).length - 1;

/** Each request begins with the content of the one before it, so that a prompt cache can be used. */
function expectPrefix(bench: Bench, host: Host, since: string, from = 0, part = 0): void {
  const turns = bench.stub
    .turns()
    .slice(from)
    .filter((request) => !host.isSummary(request));
  const found = findDifference(turns, host, part);
  bench.expect(
    `the ${turns.length} requests ${since} share their beginning, byte for byte`,
    found === undefined,
    found,
  );
}

/** A model that claims to have read more than its context holds, so that the host compacts before the next turn. */
export async function fillContext(bench: Bench, host: Pick<Host, 'say'>, tokens: number): Promise<void> {
  // Different words in every line, because Gemini CLI takes repetitive text for a loop.
  const text = Array.from({ length: 6000 }, (_, k) => `${k}: ${(k * 7919).toString(36)} read.`).join('\n');
  bench.stub.reply = () => ({ text, inputTokens: tokens });
  await host.say('read it all');
  bench.stub.reply = () => ({ text: 'Summary: the pool leaks.', inputTokens: 1000 });
}
