/**
 * Compactions that cut old results of tools (`compaction.prune: on`) in a real Claude Code with our plugin, and a model on
 * loopback.
 *
 *   npx tsx scripts/e2e/prune.ts FOLDER
 *
 * FOLDER has `npm i @anthropic-ai/claude-code` in it. Build the package first. Nothing leaves the machine.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { beginClaude, copyPlugin, isSummary } from './hosts/claude-code.ts';
import type { Reply } from './model-stub.ts';

const [, , cache] = process.argv;
const FILES = 10;
/** More than the host's limit, at which it compacts by itself. */
const FULL = 990_000;
const READ = 'mcp__plugin_scratchpad_scratchpad__scratchpad_read';

interface Block {
  type: string;
  id?: string;
  tool_use_id?: string;
  content?: string | { text?: string }[];
}

for (const trigger of ['manual', 'auto'] as const)
  await Bench.runStory(`prune-${trigger}`, async (bench) => {
    bench.addToPath();
    bench.scratchpad('init');
    bench.scratchpad('plan', 'set', '1. Find the leak\n2. Write the test');
    bench.scratchpad('config', 'set', 'compaction.prune', 'on');
    const path = (file: number): string => join(bench.workspace, `file-${file}.txt`);
    for (let file = 0; file < FILES; file += 1) {
      const lines = Array.from({ length: 400 }, (_, k) => `line ${k} of file ${file}: nothing leaks here\n`);
      writeFileSync(path(file), lines.join(''));
    }

    const plugin = copyPlugin(bench);
    const say = beginClaude(bench, cache, ['--plugin-dir', plugin]);
    const replies: Reply[] = [];
    bench.stub.reply = ({ body }) =>
      body.tools ? (replies.shift() ?? { text: 'Understood.' }) : { text: 'A title' };
    const call = (name: string, input: object): Reply => ({ tool: { name, input } });
    for (let file = 0; file < FILES; file += 1) {
      replies.push(call('Read', { file_path: path(file) }), call('Bash', { command: `seq ${file} 3000` }));
      await say(`read file ${file}, please`);
    }

    const before = listResults(bench);
    const requestCount = bench.stub.requests.length;
    if (trigger === 'manual') await say('/compact');
    else {
      // The context is full in the middle of a turn.
      replies.push({ ...call('Bash', { command: 'echo newest' }), inputTokens: FULL });
      await say('go on, please');
    }

    const summaries = bench.stub.requests.slice(requestCount).filter(isSummary).length;
    bench.expect(`${trigger}: no request for a summary`, summaries === 0, String(summaries));
    const edit = (file: number): Reply =>
      call('Edit', { file_path: path(file), old_string: 'line 7 of', new_string: 'LINE 7 of' });
    replies.push(edit(0), edit(FILES - 1));
    await say('edit line 7');
    const from = trigger === 'manual' ? requestCount : requestCount + 1;
    const [first] = bench.stub.requests.slice(from).filter(({ body }) => body.tools);
    const [now, then] = [readResults(first?.body), before];
    const size = (results: ReadonlyMap<string, string>): number => [...results.values()].join('').length;
    const share = Math.round((100 * size(now)) / size(then));
    bench.expect(`tokens of the results afterwards: ${share} % of those before`, share <= 25);
    const calls = JSON.stringify(first?.body.messages).match(/"type":"tool_use","id":"\w+"/g)?.length;
    bench.expect('calls and results stay paired', calls === now.size, `${calls} calls, ${now.size} results`);
    const words = Array.from({ length: FILES }, (_, file) => `read file ${file}, please`);
    bench.expect(
      'every word stays',
      words.every((word) => first?.text.includes(word)),
    );
    bench.expect(
      'the newest result stays',
      [...now.values()].some((text) => /^\d+\n[\s\S]*3000$|^newest/.test(text)),
    );
    bench.expect('the lines on the environment stay', first?.text.includes('# Environment') === true);
    const edited = [0, FILES - 1].map((file) => readFileSync(path(file), 'utf8').includes('LINE 7 of'));
    bench.expect('the first edits work', edited.every(Boolean), edited.join());

    const cut = [...now].filter(([, text]) => text.includes('characters left out'));
    for (const [, text] of cut)
      replies.push(call(READ, JSON.parse(/scratchpad_read (\{.*?\})/.exec(text)?.[1] ?? '{}') as object));
    await say('read them all again');
    const all = [...listResults(bench).values()].join('\n');
    const lost = cut.filter(([id]) => !all.includes((then.get(id) ?? '').slice(2000, 4000)));
    bench.expect(
      `${cut.length} cut results can be read by their entry`,
      cut.length > 0 && lost.length === 0,
      String(lost[0]),
    );

    const session = /"session_id":"([\w-]+)"/.exec(bench.outputLines.join('\n'))?.[1] ?? '';
    const resumed = beginClaude(bench, cache, ['--plugin-dir', plugin, '--resume', session]);
    await resumed('are you still there?');
    const same = [...listResults(bench)].filter(([id, text]) => now.get(id) === text).length;
    bench.expect('a resumed session has them cut, too', same === now.size, `${same} of ${now.size}`);

    const second = bench.stub.requests.length;
    await say('/compact model');
    bench.expect('/compact model asks for a summary', bench.stub.requests.slice(second).some(isSummary));
    bench.noteHooks();
  });

function readResults(body: Record<string, unknown> | undefined): Map<string, string> {
  const messages = (body?.messages ?? []) as { content: Block[] | string }[];
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const read = (content: Block['content']): string =>
    typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');
  return new Map(
    blocks
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id = '', content }) => [tool_use_id, read(content)]),
  );
}

/** The results in the last request, by their call. */
function listResults(bench: Bench): Map<string, string> {
  return readResults(bench.lastTurnBody());
}
