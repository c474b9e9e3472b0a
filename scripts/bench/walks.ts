/**
 * How many files of `src` one has to know: those in which a function runs for a prompt answered by a command, and for
 * `notes append`, by V8's coverage of the sources (no bundles).
 *
 *   npx tsx scripts/bench/walks.ts [--list]
 *
 * The workspace is in use: a plan, notes, fifty memory files, a conversation of thirty prompts. Modules whose top level
 * alone ran do not count.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withFolder } from '../script.ts';
import { Talk } from './transcript.ts';

const SRC = join(import.meta.dirname, '../../src');

function runProgram(dir: string, args: readonly string[], input = '', coverage = ''): void {
  // As `bin/scratchpad.js` does it: a hook goes without the parser of commands.
  const from = (path: string): string => JSON.stringify(join(SRC, path));
  const program = `const [argv, env, cwd] = [process.argv.slice(1), process.env, process.cwd()];
    if (argv[0] === 'hook') {
      const { answerHook } = await import(${from('hosts/ask-server.ts')});
      const { runHook } = await import(${from('commands/hook.ts')});
      await answerHook(argv, env, cwd, runHook);
    } else {
      const { main } = await import(${from('main.ts')});
      process.exitCode = await main(argv, env, cwd);
    }`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', program, '--', ...args],
    {
      cwd: join(dir, 'workspace'),
      input,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: dir, TZ: 'UTC', ...(coverage && { NODE_V8_COVERAGE: coverage }) },
    },
  );
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
}

interface Script {
  url: string;
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
}

/** The files of `src` in which a function ran, other than the module itself. */
function listFiles(coverage: string): string[] {
  const found = new Set<string>();
  for (const name of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as { result: Script[] };
    for (const { url, functions } of result) {
      const path = url.startsWith('file:') ? fileURLToPath(url.replace(/\?.*/, '')) : '';
      if (!path.startsWith(`${SRC}/`)) continue;
      // The module itself begins at 0; tsx puts helpers with two underscores into it.
      const ran = functions.some(
        ({ functionName, ranges: [whole] }) =>
          whole !== undefined && whole.count > 0 && whole.startOffset > 0 && !functionName.startsWith('__'),
      );
      if (ran) found.add(relative(SRC, path));
    }
  }
  return [...found].sort();
}

await withFolder('walks', (dir) => {
  const cwd = join(dir, 'workspace');
  mkdirSync(join(cwd, 'memory'), { recursive: true });
  // A busy machine must not shorten the walk.
  mkdirSync(join(dir, '.config/scratchpad'), { recursive: true });
  writeFileSync(join(dir, '.config/scratchpad/config.yaml'), 'hook:\n  deadline: 60s\n');
  for (let k = 0; k < 50; k += 1)
    writeFileSync(join(cwd, `memory/note-${k}.md`), `# Note ${k}\n\n- the upload test ${k} needs a token\n`);
  const talk = new Talk(join(dir, 's.jsonl'));
  const event = { session_id: 's', cwd, transcript_path: talk.path, hook_event_name: 'UserPromptSubmit' };
  const runPrompt = (): string => JSON.stringify({ ...event, prompt: talk.goOn() });
  const hook = ['hook', 'claude-code', 'UserPromptSubmit'];
  for (const args of [['init'], ['plan', 'set', '1. Find the leak\n2. Test it'], ['notes', 'append', 'x']])
    runProgram(dir, args);
  runProgram(dir, hook, runPrompt());
  for (const [name, args, input] of [
    ['a prompt, by a command', hook, runPrompt()],
    ['notes append', ['notes', 'append', 'y'], ''],
  ] as const) {
    const coverage = join(dir, name.replace(/\W+/g, '-'));
    runProgram(dir, args, input, coverage);
    const files = listFiles(coverage);
    console.log(`${name}: functions run in ${files.length} files of src`);
    if (process.argv.includes('--list')) console.log(files.map((file) => `  ${file}`).join('\n'));
  }
  const all = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const lines = all.reduce(
    (sum, name) => sum + readFileSync(join(SRC, name), 'utf8').split('\n').length - 1,
    0,
  );
  const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length;
  console.log(`src: ${lines} lines in ${all.length} files and ${folders} folders`);
});
