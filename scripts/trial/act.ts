/**
 * The hands of an agent that plays a session at a shell (see hands.ts): each call is written into a transcript as
 * Claude Code writes it, and the installed hooks run as Claude Code runs them. What a model would see is printed.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Arm } from './tasks.ts';

type Happened = { prompt: string } | { call: string; arg: string; failed: boolean } | { say: string };
type Json = Record<string, unknown>;

/** A session as it stands. */
export interface State {
  arm: Arm;
  task: string;
  player: number;
  /** A first session that is played, and cut off before its first change. */
  cutAtChange?: true;
  /** The commit that the project began with. */
  head?: string;
  /** What was needed until the first change. */
  untilChange?: { calls: number; characters: number };
  /** The recorded first session; its messages and its end come when the recording says so. */
  first: boolean;
  /** The folder where every session finds its `home` and `work`, which are mounted there. */
  live: string;
  /** The folder of programs that the agent finds beside its own, if the arm has any. */
  bin: string;
  program: string;
  session: string;
  hoursLater: number;
  /** What the person has yet to say; `again` as in the task. */
  prompts: string[];
  again: string | null;
  /** How a compaction before this session summed up the one before. */
  summary?: string;
  events: Happened[];
  /** What was put into the context. */
  told: string[];
  /** The uncommitted work when the session began. */
  tree?: string;
  parent?: string;
  charactersSeen: number;
  ended?: string;
  beganMs?: number;
  endedMs?: number;
  /** When the last call was answered. */
  answeredMs?: number;
}

const USAGE = `./act begin              the session begins
./act bash COMMAND       run a command in the project's folder
./act read PATH          read a file
./act write PATH         write a file; its content comes on standard input
./act edit PATH          replace a text that occurs once; standard input: {"old": "…", "new": "…"}
./act tasks JSON         your list of tasks: [{"content": "…", "status": "pending|in_progress|completed"}, …]
./act say TEXT           say something to the person; ends your turn`;
const OVER = 'THE SESSION HAS ENDED. Stop now; do nothing more.';
const ONE_AT_A_TIME =
  'ONE CALL AT A TIME: read the answer of the last call before you make the next. Nothing was done.';
/** No agent reads an answer and calls again in less. */
const READING_MS = 700;
const CONTINUED =
  'This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.';
const SECONDS = 120;
const MOST_CALLS = 60;
/** Claude Code cuts the output of a command there. */
const MOST_OUTPUT = 30_000;
const VERSION = '2.1.330';

const [file = '', command = '', argument = ''] = process.argv.slice(2);
const state = JSON.parse(readFileSync(file, 'utf8')) as State;
const work = join(state.live, 'work');
const home = join(state.live, 'home');
const transcript = join(
  home,
  '.claude/projects',
  work.replace(/[^a-zA-Z0-9]/g, '-'),
  `${state.session}.jsonl`,
);
const readClock = (): string => new Date(Date.now() + state.hoursLater * 3_600_000).toISOString();
const clock = state.hoursLater === 0 ? [] : ['--now', readClock()];
const env = {
  PATH: [state.bin, dirname(process.execPath), process.env.PATH ?? ''].filter(Boolean).join(delimiter),
  HOME: home,
  LANG: process.env.LANG ?? 'C.UTF-8',
  TERM: 'dumb',
  CLAUDECODE: '1',
  CLAUDE_CODE_SESSION_ID: state.session,
  CLAUDE_PROJECT_DIR: work,
  SCRATCHPAD_CLOCK: clock.join(' '),
};
const run = (program: string, args: string[], input?: string, seconds = SECONDS) =>
  spawnSync(program, args, { cwd: work, env, input, encoding: 'utf8', timeout: seconds * 1000 });

/** The uncommitted work: which files, and when each was written. */
function changes(): string {
  const { stdout } = run('git', ['status', '--porcelain', '-uall', '--no-renames']);
  const apart = [...state.arm.notes, 'CLAUDE.md', '.claude/'];
  const paths = stdout.split('\n').map((line) => line.slice(3));
  return paths
    .filter((path) => path !== '' && !apart.some((one) => path.startsWith(one)))
    .map((path) => `${path} ${statSync(join(work, path), { throwIfNoEntry: false })?.mtimeMs ?? 'gone'}`)
    .join('\n');
}

function record(type: string, fields: Json): void {
  const uuid = randomUUID();
  const line = {
    parentUuid: state.parent ?? null,
    isSidechain: false,
    userType: 'external',
    cwd: work,
    sessionId: state.session,
    version: VERSION,
    gitBranch: readFileSync(join(work, '.git/HEAD'), 'utf8').trim().replace('ref: refs/heads/', ''),
    type,
    ...fields,
    uuid,
    timestamp: readClock(),
  };
  mkdirSync(dirname(transcript), { recursive: true });
  appendFileSync(transcript, `${JSON.stringify(line)}\n`);
  state.parent = uuid;
}

function recordAssistant(part: Json, reason: string): void {
  const cached = 15_000 + Math.round(state.charactersSeen / 4);
  const usage = { input_tokens: 10, cache_read_input_tokens: cached, output_tokens: 50 };
  const id = `msg_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  const message = { id, type: 'message', role: 'assistant', model: 'by-hand', content: [part], usage };
  record('assistant', { message: { ...message, stop_reason: reason } });
}

interface Answer {
  hookSpecificOutput?: { additionalContext?: string; updatedToolOutput?: Json };
}

/** Runs the hook of an event, if one is installed. @returns the text for the context and a result in place of the tool's */
function runHook(event: string, input: Json): { context: string; output: Json | undefined } {
  const local = join(work, '.claude/settings.local.json');
  const { hooks = {} }: { hooks?: Record<string, { matcher?: string }[]> } = existsSync(local)
    ? JSON.parse(readFileSync(local, 'utf8'))
    : {};
  const tool = String(input.tool_name ?? '');
  const isInstalled = hooks[event]?.some(
    ({ matcher }) => matcher === undefined || new RegExp(`^(?:${matcher})$`).test(tool),
  );
  if (!isInstalled) return { context: '', output: undefined };
  const common = { session_id: state.session, transcript_path: transcript, cwd: work };
  const given = { ...common, hook_event_name: event, permission_mode: 'default', ...input };
  const args = [state.program, ...clock, 'hook', 'claude-code', event];
  const said = run(process.execPath, args, JSON.stringify(given), 10).stdout.trim();
  const answer = said.startsWith('{') ? (JSON.parse(said) as Answer).hookSpecificOutput : undefined;
  const context = said.startsWith('{') ? (answer?.additionalContext ?? '') : said;
  if (context) {
    state.told.push(context);
    state.charactersSeen += context.length;
  }
  return { context, output: answer?.updatedToolOutput };
}

function attach(event: string, context: string): void {
  if (!context) return;
  const attachment = { type: 'hook_additional_context', content: [context], hookName: event };
  record('attachment', { attachment: { ...attachment, hookEvent: event } });
}

const joinAdded = (context: string): string => (context ? `\n\n(your host adds:)\n${context}` : '');

function sayAsPerson(text: string): void {
  const { context } = runHook('UserPromptSubmit', { prompt: text, source: 'user' });
  record('user', { message: { role: 'user', content: text }, permissionMode: 'default' });
  attach('UserPromptSubmit', context);
  state.events.push({ prompt: text });
  console.log(`\nTHE PERSON SAYS:\n${text}${joinAdded(context)}`);
}

function begin(): void {
  state.beganMs = Date.now();
  state.tree = changes();
  state.head = run('git', ['rev-parse', 'HEAD']).stdout.trim();
  const instructions = join(work, 'CLAUDE.md');
  if (existsSync(instructions))
    console.log(`(your host loads CLAUDE.md:)\n${readFileSync(instructions, 'utf8')}`);
  if (state.summary) console.log(`(what you know of this session so far:)\n${state.summary}`);
  const source = state.summary ? 'compact' : 'startup';
  const { context } = runHook('SessionStart', { source });
  attach('SessionStart', context);
  if (context) console.log(`(your host adds at the start:)\n${context}`);
  sayAsPerson(state.prompts.shift() ?? '');
}

function end(how: string): void {
  state.ended = how;
  state.endedMs = Date.now();
  console.log(`\n${OVER}`);
}

/** The host's own compaction; the summary is the recorded one. */
function summarise(text: string): void {
  runHook('PreCompact', { trigger: 'auto', custom_instructions: '' });
  record('system', { subtype: 'compact_boundary', content: 'Conversation compacted', level: 'info' });
  state.summary = `${CONTINUED}\n\n${text}`;
  record('user', { isCompactSummary: true, message: { role: 'user', content: state.summary } });
  end('compacted');
}

/** The person's next message while the agent works. */
function interrupt(): void {
  const text = '[Request interrupted by user]';
  record('user', { message: { role: 'user', content: [{ type: 'text', text }] } });
  console.log(`\n${text}`);
  sayAsPerson(state.prompts.shift() ?? '');
}

function say(text: string): void {
  recordAssistant({ type: 'text', text }, 'end_turn');
  state.events.push({ say: text });
  runHook('Stop', { stop_hook_active: false, last_assistant_message: text });
  const tellIdle = (): boolean => changes() === state.tree;
  let next = state.prompts.shift();
  if (next === undefined && state.again && (/[?？]/.test(text) || tellIdle())) {
    next = state.again;
    state.again = null;
  }
  if (next !== undefined) sayAsPerson(next);
  else {
    runHook('SessionEnd', { reason: 'prompt_input_exit' });
    end('by itself');
  }
}

interface ActOutcome {
  text: string;
  failed?: boolean;
  /** The result in the tool's own shape. */
  response?: Json;
}

const countCalls = (): number => state.events.filter((event) => 'call' in event).length;

/** Takes the change back and ends the session, as a host that dies before the call. */
function cutOff(): void {
  run('git', ['reset', '-q', '--hard', state.head ?? 'HEAD']);
  const kept = [...state.arm.notes, '.claude'].flatMap((path) => ['-e', path]);
  run('git', ['clean', '-fdq', ...kept]);
  end('cut off');
}

function call(name: string, input: Json, perform: () => ActOutcome): void {
  const id = `toolu_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  recordAssistant({ type: 'tool_use', id, name, input }, 'tool_use');
  const { text, failed = false, response = {} } = perform();
  const isChange = state.untilChange === undefined && changes() !== state.tree;
  if (isChange && state.cutAtChange) {
    cutOff();
    return;
  }
  if (isChange) state.untilChange = { calls: countCalls() + 1, characters: state.charactersSeen };
  const about = { tool_name: name, tool_input: input, tool_use_id: id };
  const { context, output } = failed
    ? runHook('PostToolUseFailure', { ...about, error: text, is_interrupt: false })
    : runHook('PostToolUse', { ...about, tool_response: response });
  const seen = output ? `${output.stdout ?? ''}${output.stderr ?? ''}` : text;
  const content = [{ tool_use_id: id, type: 'tool_result', content: seen, is_error: failed }];
  record('user', { message: { role: 'user', content }, toolUseResult: failed ? text : (output ?? response) });
  attach(failed ? 'PostToolUseFailure' : 'PostToolUse', context);
  const arg = String(input.command ?? input.file_path ?? JSON.stringify(input));
  state.events.push({ call: name === 'TodoWrite' ? name : name.toLowerCase(), arg, failed });
  state.charactersSeen += seen.length;
  console.log(`${seen}${joinAdded(context)}`);
  if (countCalls() > MOST_CALLS) end(`stopped after ${MOST_CALLS} calls`);
}

function runBash(): ActOutcome {
  const { stdout, stderr, status, error } = run('bash', ['-c', argument], '');
  const all = stdout + stderr;
  const half = MOST_OUTPUT / 2;
  const cut = all.length > MOST_OUTPUT ? `${all.slice(0, half)}\n…\n${all.slice(-half)}` : all;
  if (error) return { text: `${cut}\nCommand timed out after ${SECONDS} s`, failed: true };
  if (status !== 0) return { text: `Exit code ${status}\n${cut}`, failed: true };
  return { text: cut, response: { stdout: cut, stderr: '', interrupted: false, isImage: false } };
}

/** A tool that may fail as the file system does. */
const attemptAct = (perform: () => ActOutcome) => (): ActOutcome => {
  try {
    return perform();
  } catch (error) {
    return { text: (error as Error).message, failed: true };
  }
};

/** What comes to the agent of a recorded session, and is nobody's to call. */
const RECORDED: Record<string, () => void> = {
  person: interrupt,
  summary: () => summarise(argument),
  cut: () => end('cut off'),
};

const path = resolve(work, argument);
const readInput = (): string => readFileSync(0, 'utf8');
const acts: Record<string, () => void> = {
  bash: () => call('Bash', { command: argument, description: '' }, runBash),
  read: () => {
    const read = attemptAct(() => {
      const content = readFileSync(path, 'utf8');
      return { text: content, response: { type: 'text', file: { filePath: path, content } } };
    });
    call('Read', { file_path: path }, read);
  },
  write: () => {
    const content = readInput();
    const write = attemptAct(() => {
      mkdirSync(dirname(path), { recursive: true });
      const type = existsSync(path) ? 'update' : 'create';
      writeFileSync(path, content);
      return { text: `File written: ${path}`, response: { type, filePath: path, content } };
    });
    call('Write', { file_path: path, content }, write);
  },
  edit: () => {
    const { old = '', new: text = '' } = JSON.parse(readInput()) as { old?: string; new?: string };
    const edit = attemptAct(() => {
      const pieces = readFileSync(path, 'utf8').split(old);
      if (old === '' || pieces.length !== 2)
        throw new Error(`The text to replace was found ${pieces.length - 1} times; expected one.`);
      writeFileSync(path, pieces.join(text));
      const response = { filePath: path, oldString: old, newString: text };
      return { text: `The file ${path} has been updated.`, response };
    });
    call('Edit', { file_path: path, old_string: old, new_string: text }, edit);
  },
  tasks: () => {
    const todos = (JSON.parse(argument) as Json[]).map((one) => ({ ...one, activeForm: one.content }));
    const text = 'Todos have been modified successfully.';
    call('TodoWrite', { todos }, () => ({ text, response: { newTodos: todos } }));
  },
  say: () => say(argument),
  ...(state.first ? RECORDED : {}),
};

const act = acts[command];
const asked = Number(process.env.ASKED_MS ?? Date.now());
const early = !state.first && asked - (state.answeredMs ?? 0) < READING_MS;
if (state.endedMs) console.log(OVER);
else if (early) console.log(ONE_AT_A_TIME);
else if (command === 'begin' && state.beganMs) console.log('The session has begun already.');
else if (command === 'begin') begin();
else if (!act || (argument === '' && !(command in RECORDED))) console.log(USAGE);
else if (!state.beganMs) console.log('First: ./act begin');
else {
  try {
    act();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    console.log(`That is not JSON: ${error.message}`);
  }
}
state.answeredMs = Date.now();
writeFileSync(`${file}.new`, `${JSON.stringify(state)}\n`);
renameSync(`${file}.new`, file);
