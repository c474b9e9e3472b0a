/**
 * The scratchpad in a real Claude Code, installed through its settings and as a plugin, with a model on loopback
 * that records its requests.
 *
 *   npx tsx scripts/e2e/claude-code.ts FOLDER
 *
 * FOLDER has `npm i @anthropic-ai/claude-code` in it (240 MB). Build the package first. Nothing
 * leaves the machine; the homes are temporary.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { copyPlugin, isSummary, makeClaudeCode, makeTalk } from './hosts/claude-code.ts';
import { tellStory } from './story.ts';

const [, , cache] = process.argv;

await Bench.runStory('claude-code', async (bench) => {
  bench.scratchpad('install', 'claude-code', '--hooks', '--yes');
  await playStory(bench);
  await checkPermissions(bench);
  await playSlowServer(bench);
  bench.noteHooks();
});

await Bench.runStory('claude-code-plugin', async (bench) => {
  bench.scratchpad('init');
  bench.note('as a plugin:');
  await playStory(bench, ['--plugin-dir', copyPlugin(bench)]);
  bench.noteHooks();
});

function playStory(bench: Bench, args: readonly string[] = []): Promise<void> {
  bench.addToPath();
  const { say, rewind } = makeTalk(bench, makeClaudeCode(bench, cache), args);
  return tellStory(bench, {
    say,
    rewind: () => Promise.resolve(rewind()),
    clear: () => say('/clear'),
    command: (command) => ({ name: 'Bash', input: { command } }),
    compact: async () => {
      bench.stub.reply = () => ({ text: 'Summary: the pool leaks.' });
      await say('/compact');
    },
    isSummary,
  });
}

/** What the permission covers: commands that change the pad, and none that lead to other programs or files. */
async function checkPermissions(bench: Bench): Promise<void> {
  const commands: Readonly<Record<string, boolean>> = {
    'scratchpad notes append "a finding" && scratchpad context': true,
    'scratchpad run -- touch made-by-run': false,
    'scratchpad trust': false,
    'EDITOR="touch made-by-editor" scratchpad plan edit': false,
  };
  const asked = Object.keys(commands);
  bench.stub.reply = ({ body }) => {
    const command = body.tools ? asked.shift() : undefined;
    return command === undefined ? { text: 'Done.' } : { tool: { name: 'Bash', input: { command } } };
  };
  const streams = ['--output-format', 'stream-json', '--verbose'];
  const out = await makeClaudeCode(bench, cache)(['--permission-mode', 'default', ...streams, 'go on']);
  const results = out.split('\n').filter((line) => line.includes('"tool_result"'));
  for (const [k, [command, isAllowed]] of Object.entries(commands).entries())
    bench.expect(
      `${command}: ${isAllowed ? 'runs unasked' : 'is asked for'}`,
      results[k]?.includes('requires approval') === !isAllowed,
      results[k],
    );
}

/** The server is slow to start, or not allowed: the plan and the news of the prompt come once all the same. */
async function playSlowServer(bench: Bench): Promise<void> {
  bench.stub.reply = () => ({ text: 'Understood.' });
  const state = join(bench.home, '.claude.json');
  const usual = readFileSync(state, 'utf8');
  const cases: [what: string, wait: number, args: readonly string[]][] = [
    ['is there at once', 0, []],
    ['comes up while the prompt is answered', 1, []],
    ['comes up after the prompt', 12, []],
    ['is not allowed', 0, ['--strict-mcp-config']],
  ];
  for (const [what, wait, args] of cases) {
    writeFileSync(
      state,
      wait === 0 ? usual : usual.replaceAll('while SCRATCH', `sleep ${wait}; while SCRATCH`),
    );
    const began = Date.now();
    await makeClaudeCode(bench, cache)([...args, 'what is left of it?']);
    const answered = `the server ${what}: the prompt is answered once (${Date.now() - began} ms)`;
    bench.expectOnce(answered, '[Session Scratchpad - your persistent');
  }
  writeFileSync(state, usual);
}
