/**
 * The program's output in the documentation, produced by running it in a copy of the example workspace, with
 * the clock at half past one at night, the time of its story. Needs the build, which it runs in this process.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markFolder } from '../src/base/trust/index.ts';
import { ClaudeSession } from '../test/handover/claude-session.ts';
import { runWarm } from '../test/helpers/run-warm.ts';

const ROOT = join(import.meta.dirname, '..');
const STORY_TIME = '2026-02-06T01:30:00+11:00';

export interface ExampleOptions {
  /** Start with an empty folder instead of the example. */
  empty?: boolean;
  /** The time of the calls, ISO 8601. */
  now?: string;
}

/** Copies the example as it is shipped, without what `npm start` has added to it. */
export function copyExample(to: string): void {
  const listShipped = (path: string): boolean =>
    !path.endsWith('SCRATCHPAD.md') && !/[\\/]\.scratchpad[\\/](?!config\.yaml$)/.test(path);
  cpSync(join(ROOT, 'workspace-example'), to, { recursive: true, filter: listShipped });
  // A copy is asked about; this one is ours.
  markFolder(join(to, '.scratchpad'), to, process.env);
}

/** A home with one workspace, `~/agent`, in which the program runs as for a person. */
export class Example {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'scratchpad-example-')));
  readonly workspace = join(this.home, 'agent');
  readonly #now: string;

  constructor({ empty = false, now = STORY_TIME }: ExampleOptions = {}) {
    this.#now = now;
    if (empty) mkdirSync(this.workspace);
    else {
      copyExample(this.workspace);
      // The person of the story made it.
      markFolder(join(this.workspace, '.scratchpad'), this.workspace, { HOME: this.home });
    }
    // Output must not depend on how busy the machine is.
    mkdirSync(join(this.home, '.config/scratchpad'), { recursive: true });
    writeFileSync(join(this.home, '.config/scratchpad/config.yaml'), 'hook: {deadline: 60s}\n');
  }

  /** Runs the program and returns its output, with machine-specific parts replaced by typical ones. */
  async run(
    args: readonly string[],
    input = '',
    host: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const zone = process.env.TZ;
    // Node has one zone for all that runs in its process.
    process.env.TZ = 'Australia/Sydney';
    const { stdout, stderr } = await runWarm([...args, '--now', this.#now], {
      cwd: this.workspace,
      input,
      env: {
        PATH: '/usr/bin:/bin',
        HOME: this.home,
        XDG_CONFIG_HOME: '',
        XDG_STATE_HOME: '',
        SCRATCHPAD_INIT: '',
        TZ: process.env.TZ,
        SHELL: '/bin/bash',
        COLUMNS: '100',
        ...host,
      },
    });
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    return (args.includes('--json') ? stdout : `${stdout}${stderr}`)
      .replaceAll(this.home, '/home/sam')
      .trimEnd();
  }

  /** Runs the program as the agent of a session of Claude Code does. */
  runAs(session: string, args: readonly string[]): Promise<string> {
    return this.run(args, '', { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session });
  }

  /** The context for the model at an event of Claude Code; empty if there is none. */
  async told(event: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
    const input = { session_id: 'sample', cwd: this.workspace, hook_event_name: event, ...fields };
    const answer = await this.run(['hook', 'claude-code'], JSON.stringify(input));
    const { hookSpecificOutput: output } = JSON.parse(answer || '{}') as {
      hookSpecificOutput?: { additionalContext?: string };
    };
    return output?.additionalContext ?? '';
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Splits a command of a sample into words: separated by blanks, some of them in double or single quotes. */
const splitCommandWords = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );

async function runWithin<Result>(
  options: ExampleOptions,
  use: (example: Example) => Promise<Result>,
): Promise<Result> {
  const example = new Example(options);
  try {
    return await use(example);
  } finally {
    example.remove();
  }
}

export interface Terminal extends ExampleOptions {
  /** Commands to run first, in the same form; they are not shown. */
  before?: readonly string[];
  /** Commands to show with their output. `TEXT command` passes TEXT on stdin. */
  shown: readonly string[];
}

/** A terminal session as a block of Markdown. */
export const runTerminal = ({ before = [], shown, ...options }: Terminal): Promise<string> =>
  runWithin(options, async (example) => {
    for (const line of before) {
      const { input, command } = runPiped(line);
      await example.run(splitCommandWords(command), input);
    }
    const lines: string[] = [];
    for (const line of shown) {
      const { input, command } = runPiped(line);
      const prompt = input === undefined ? '$' : `$ echo '${input}' |`;
      lines.push(`${prompt} scratchpad ${command}`, await example.run(splitCommandWords(command), input));
    }
    return ['```console', ...lines, '```'].join('\n');
  });

/** Splits `TEXT command` into the input and the command. */
function runPiped(line: string): { input: string | undefined; command: string } {
  const [, input, command = line] = /^(.*) \| ([^|]*)$/s.exec(line) ?? [];
  return { input, command };
}

/** SCRATCHPAD.md as `npm start` leaves it. */
export const readStartFile = (): Promise<string> =>
  runWithin({}, async (example) => {
    await example.run(['plan', 'set', '--file', 'plan.md']);
    await example.run(['assemble']);
    return ['````markdown', await example.run(['show']), '````'].join('\n');
  });

/** A session of Claude Code that a limit cut off in the middle, as its file. */
function cutOffSession(cwd: string): string {
  const day = new Date('2026-02-05T17:58:00+11:00');
  const session = new ClaudeSession({ cwd, session: 'cut-off', branch: 'main', day });
  session.person('Round the totals of the cart to cents. Never touch the coupon code, Ines owns it.');
  const edit = { file_path: join(cwd, 'src/cart.py'), old_string: 'total', new_string: 'round(total, 2)' };
  session.use('Edit', edit);
  session.person('and the log line stays exactly `cart <id> <total>`, Grafana parses it');
  session.agent('The totals are rounded. Now the test for the log line.').bash('pytest -q', 'ok');
  const limit = "You've hit your session limit · resets 9pm";
  const message = { role: 'assistant', model: '<synthetic>', content: [{ type: 'text', text: limit }] };
  return session.line({ type: 'assistant', isApiErrorMessage: true, message }).text;
}

/** What the next session is told when the person says to go on. */
export const playNextMorning = (): Promise<string> =>
  runWithin({ empty: true, now: '2026-02-06T09:10:00+11:00' }, async (example) => {
    const { workspace: cwd } = example;
    const runGit = (...args: string[]): void => {
      const who = ['-c', 'user.name=Sam', '-c', 'user.email=sam@example.org'];
      const at = '2026-02-05T09:00:00+11:00';
      const env = { PATH: process.env.PATH, HOME: example.home, GIT_COMMITTER_DATE: at, GIT_AUTHOR_DATE: at };
      spawnSync('git', [...who, ...args], { cwd, env });
    };
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src/cart.py'), 'total = 1\n');
    runGit('init', '-q', '-b', 'main');
    runGit('add', 'src');
    runGit('commit', '-q', '-m', 'The cart');
    await example.run(['init']);
    writeFileSync(join(cwd, 'src/cart.py'), 'total = round(1, 2)\n');
    const yesterday = join(example.home, 'cut-off.jsonl');
    writeFileSync(yesterday, cutOffSession(cwd));
    await example.told('Stop', { session_id: 'cut-off', transcript_path: yesterday });
    const session = { session_id: 'next', transcript_path: join(example.home, 'next.jsonl') };
    await example.told('SessionStart', { ...session, source: 'startup' });
    return renderFenced(
      await example.told('UserPromptSubmit', { ...session, prompt: 'please go on with the cart' }),
    );
  });

/** Two sessions in one workspace, each with a plan of its own. */
export const playTwoSessions = (): Promise<string> =>
  runWithin({ empty: true }, async (example) => {
    spawnSync('git', ['init', '-q', '-b', 'main'], { cwd: example.workspace });
    await example.run(['init']);
    for (const session_id of ['one', 'two'])
      await example.told('SessionStart', { session_id, source: 'startup' });
    await example.runAs('one', ['plan', 'set', 'Migrate the database\n1. Dump\n2. Restore']);
    const answer = await example.runAs('two', ['plan', 'set', '1. Fix the login']);
    const start = await example.told('SessionStart', { session_id: 'three', source: 'startup' });
    return [
      'Session two sets a plan while session one is at work with its own:',
      ['```console', '$ scratchpad plan set "1. Fix the login"', answer, '```'].join('\n'),
      'A third one is told at its start:',
      renderFenced(start),
    ].join('\n\n');
  });

/** What Claude Code is shown in a session, event by event. */
export const playSession = (): Promise<string> =>
  runWithin({ empty: true }, async (example) => {
    await example.run(['init']);
    await example.run(['plan', 'set', '1. Find the leak\n2. Write the test']);
    await example.run(['plan', 'done', '1']);
    await example.run(['notes', 'add', 'Root cause: release() is skipped on timeout']);
    await example.run(['refs', 'add', 'src/pool.ts']);
    const transcript_path = join(example.workspace, 'session.jsonl');
    const start = await example.told('SessionStart', { source: 'startup', transcript_path });
    await example.run(['notes', 'add', 'The retry path never closes its socket']);
    const prompt = 'write the test now';
    const answer = await example.told('UserPromptSubmit', { prompt, transcript_path });
    return [
      'At the start of the session:',
      renderFenced(start),
      `A person adds a note in a terminal. At the next prompt, *${prompt}*:`,
      renderFenced(answer),
    ].join('\n\n');
  });

const renderFenced = (text: string): string => `\`\`\`markdown\n${text}\n\`\`\``;
