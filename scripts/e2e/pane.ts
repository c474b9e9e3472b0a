/**
 * The scratchpad's pane in a real Claude Code in a terminal, with a model on loopback.
 *
 *   npx tsx scripts/e2e/pane.ts FOLDER [PICTURE.svg]
 *
 * FOLDER has `npm i @anthropic-ai/claude-code` in it. Build the package first. Needs tmux; nothing leaves the machine.
 * PICTURE.svg is drawn from the terminal's own output.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { copyPlugin, writeSettings } from './hosts/claude-code.ts';
import { findProgram } from './hosts/programs.ts';
import type { Reply } from './model-stub.ts';
import { renderSvg } from './picture.ts';
import type { Terminal } from './terminal.ts';

const [, , cache, picture] = process.argv;
/** The order in which Tab goes through the pane: three steps, the note, one entry, undo. */
const STOPS = { step1: 1, step2: 2, note: 4, entry: 5, undo: 6 };

await Bench.runStory('pane', async (bench) => {
  bench.addToPath();
  const plugin = copyPlugin(bench);
  await checkPlugin(bench, plugin);
  furnish(bench);
  const wide = open(bench, plugin, 150);
  await wide.until('the pane', (screen) => screen.includes('▸ 1. Find the leak'));
  bench.expect('the pane is drawn beside the conversation', /│ ▱▱▱ 0 of 3 done/.test(wide.screen()));

  const answers: Reply[] = [
    { text: 'It leaks in `release()`: a timeout skips it. I will write the test next.' },
  ];
  bench.stub.reply = ({ body }) => (body.tools && answers.shift()) || { text: 'Understood.' };
  await wide.type('where does the pool leak?');
  await wide.until('an answer', (screen) => /It leaks/.test(screen) && /Plan, 3 lines/.test(screen));
  bench.expect('the focus stays in the prompt', bench.lastTurn().includes('where does the pool leak?'));
  bench.expect('what the model was told is in the pane', /Told to the model/.test(wide.screen()));
  await press(wide, STOPS.step1);
  await shows(bench, wide, 'a step is ticked', (screen) => screen.includes('▰▱▱ 1 of 3 done'));
  bench.expect('and the file has it', readPad(bench).includes('~~Find the leak in the pool~~ DONE'));
  if (picture !== undefined) {
    const place = '~/pool'.padEnd(bench.workspace.length);
    writeFileSync(picture, renderSvg(wide.colours().replace(bench.workspace, place), 30));
  }
  await press(wide, STOPS.step1);
  await shows(bench, wide, 'and unticked', (screen) => screen.includes('▱▱▱ 0 of 3 done'));

  await goTo(wide, STOPS.note);
  await wide.type('the retry path leaks, too');
  await shows(bench, wide, 'a note is typed', (screen) => screen.includes('│ the retry path leaks, too'));
  bench.expect('and the file has it, once', readPad(bench).split('the retry path leaks').length === 2);
  await wide.keys('Escape');

  await press(wide, STOPS.entry);
  await shows(bench, wide, 'an entry is opened', (screen) => screen.includes('line two of the trace'));
  bench.scratchpad('notes', 'append', 'a note by the command');
  await wide.settled();
  bench.expect(
    'it stays open when the pad changes',
    wide.screen().includes('line two of the trace'),
    wide.screen(),
  );
  await wide.keys('C-x', 'Tab', 'Tab', 'Enter', 'Escape');
  await shows(bench, wide, 'and closed', (screen) => screen.includes('│ a note by the command'));

  await press(wide, STOPS.undo);
  await shows(bench, wide, 'a change is taken back', (screen) => !screen.includes('│ a note by the command'));
  bench.expect('in the file, too', !readPad(bench).includes('a note by the command'));

  await follows(bench, wide);

  await wide.type('/scratchpad:scratchpad');
  await shows(bench, wide, 'the command closes the pane', (screen) => !/│ .*Find the leak/.test(screen));
  await wide.type('/scratchpad:scratchpad');
  await shows(bench, wide, 'and opens it', (screen) => /│ .*Find the leak/.test(screen));

  wide.resize(90);
  await wide.settled();
  const band = wide.screen();
  bench.expect('in a narrow window it is above the prompt', /Find the leak/.test(band), band);
  bench.expect('and each line keeps its words', /release\(\) is skipped on timeout/.test(band), band);
});

/** Runs the host's own checks and test kit. */
async function checkPlugin(bench: Bench, plugin: string): Promise<void> {
  for (const [check, passed] of [
    ['validate', 'Validation passed'],
    ['test', /\(pass\) .*: vscode/],
  ] as const) {
    const program = findProgram(cache, 'claude-code');
    const out = await bench.run(program, ['plugin', check, plugin], writeSettings(bench));
    bench.expect(`claude plugin ${check}`, out.search(passed) >= 0 || bench.output.search(passed) >= 0, out);
  }
}

function furnish(bench: Bench): void {
  bench.scratchpad('init');
  bench.scratchpad('plan', 'set', '1. Find the leak in the pool\n2. Write the test\n3. Update the docs');
  bench.scratchpad('notes', 'append', 'Root cause: release() is skipped on timeout');
  bench.scratchpad('refs', 'add', 'src/pool.ts');
  bench.scratchpad('entry', 'write', 'trace', 'the long trace\nline two of the trace');
  // As it is after the first start, with the folder trusted.
  const state = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['dummy'], rejected: [] },
    projects: { [bench.workspace]: { hasTrustDialogAccepted: true } },
  };
  bench.writeInHome('.claude.json', state);
}

function open(bench: Bench, plugin: string, columns: number): Terminal {
  const args = ['--plugin-dir', plugin, '--permission-mode', 'default'];
  return bench.terminal(findProgram(cache, 'claude-code'), args, writeSettings(bench), columns);
}

function readPad(bench: Bench): string {
  return readFileSync(join(bench.workspace, 'SCRATCHPAD.md'), 'utf8');
}

async function goTo(terminal: Terminal, stop: number): Promise<void> {
  await terminal.keys('C-x', 'Tab', ...Array.from({ length: stop }, () => 'Tab'));
}

/** Presses a button of the pane, and goes back to the prompt. */
async function press(terminal: Terminal, stop: number): Promise<void> {
  await goTo(terminal, stop);
  await terminal.keys('Enter', 'Escape');
}

/** Changes by others, one after the other; the median of how long each took to be seen. */
async function follows(bench: Bench, terminal: Terminal): Promise<void> {
  const times: number[] = [];
  for (const word of ['ants', 'bees', 'crows', 'doves', 'eels']) {
    bench.scratchpad('notes', 'append', `seen: ${word}`);
    const from = performance.now();
    await terminal.until('the change', (screen) => screen.includes(`│ seen: ${word}`), 10_000);
    times.push(Math.round(performance.now() - from));
  }
  const longest = Math.max(...times);
  bench.expect(`a change by a command is seen within a second (${times.join(', ')} ms)`, longest <= 1000);

  const path = join(bench.workspace, 'SCRATCHPAD.md');
  writeFileSync(path, readFileSync(path, 'utf8').replace('seen: ants', 'seen: hares'));
  await shows(bench, terminal, 'and one by an editor', (screen) => screen.includes('│ seen: hares'));
}

async function shows(
  bench: Bench,
  terminal: Terminal,
  what: string,
  holds: (screen: string) => boolean,
): Promise<void> {
  const seen = await terminal.until(what, holds, 10_000).then(
    () => true,
    () => false,
  );
  bench.expect(what, seen, terminal.screen());
}
