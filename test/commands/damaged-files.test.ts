import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** A workspace in which every kind of own file has been written. */
async function used(): Promise<{ root: string; env: Record<string, string>; transcript: string }> {
  const top = testDir({ 'home/x.txt': '', 'work/MEMORY.md': '- Deploys happen on Friday\n' });
  const [root, home] = [join(top, 'work'), join(top, 'home')];
  const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, '.config') };
  const said = (uuid: string, type: string, content: unknown): string =>
    `${JSON.stringify({ type, uuid, sessionId: 's1', cwd: root, timestamp: '2026-02-06T10:00:00.000Z', message: { role: type, content } })}\n`;
  const transcript = join(top, 's1.jsonl');
  const edit = { type: 'tool_use', id: 't1', name: 'Edit', input: { file_path: join(root, 'a.ts') } };
  const done = { type: 'tool_result', tool_use_id: 't1', content: 'ok' };
  writeFileSync(
    transcript,
    said('u1', 'user', 'please fix the parser, still broken!!') +
      said('u2', 'assistant', [{ type: 'text', text: 'I edited it.' }, edit]) +
      said('u3', 'user', [done]),
  );
  for (const args of [
    ['plan', 'set', '1. a\n2. b'],
    ['notes', 'add', 'x'],
    ['entry', 'write', 'e', 'x'],
    ['entry', 'write', 'e', 'y'],
    ['session', 'fork', 'main', 'child'],
    ['session', 'spawn', 'main', 'gone', '--inherit', 'e'],
    ['session', 'archive', 'gone'],
    ['assemble', '-t', transcript, '--trigger', 'cron'],
    ['feedback', 'too verbose'],
    ['memory', 'search', 'friday'],
  ])
    expect((await runWarm(args, { cwd: root, env })).exitCode, args.join(' ')).toBe(0);
  for (const event of ['SessionStart', 'UserPromptSubmit', 'Stop']) await hook(root, env, transcript, event);
  return { root, env, transcript };
}

function hook(cwd: string, env: Record<string, string>, transcript: string, event = 'UserPromptSubmit') {
  const words = { source: 'startup', prompt: 'go on with the parser', transcript_path: transcript };
  const input = JSON.stringify({ session_id: 's1', cwd, hook_event_name: event, ...words });
  return runWarm(['hook', 'claude-code', event], { cwd, env, input });
}

/** What may stand in a file: of an older or newer version, or of nobody. */
function* damaged(text: string): Generator<string> {
  yield* ['', '{}', '[]', 'null', '7', '"x"', text.slice(0, text.length / 2), `${text}x`, '\0\0\0'];
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return;
  }
  const all = [undefined, null].flatMap((by) => [...changed(whole, by, 2)]);
  for (const by of [{}, 7]) all.push(...changed(whole, by, 1));
  // Every one with RUNS, else every third.
  yield* all.filter((_, k) => k % 3 === 0 || process.env.RUNS !== undefined);
}

/** The value with one member, down to a depth, replaced or (`undefined`) removed. */
function* changed(value: unknown, by: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth === 0) return;
  for (const key of Object.keys(value).slice(0, 8)) {
    const with_ = (member: unknown): object =>
      Array.isArray(value)
        ? value.map((each, k) => (String(k) === key ? member : each))
        : { ...value, [key]: member };
    yield JSON.stringify(with_(by));
    for (const inner of changed((value as Record<string, unknown>)[key], by, depth - 1))
      yield JSON.stringify(with_(JSON.parse(inner)));
  }
}

const LOOKING = [
  ['status'],
  ['show'],
  ['context'],
  ['session', 'list'],
  ['entry', 'list'],
  ['notes', 'add', 'more'],
  ['history'],
  ['feedback', '--list'],
  ['assemble', '--quiet'],
  ['entry', 'list', '--past'],
  ['context', '--explain'],
  ['memory', 'search', 'friday'],
  ['doctor'],
  ['session', 'list'],
  ['check'],
  ['audit'],
  ['undo'],
  ['entry', 'write', 'e', 'z'],
];

describe('a file of an older version, or of nobody, in the place of any own file', () => {
  let place: Awaited<ReturnType<typeof used>>;
  let files: string[];
  beforeAll(async () => {
    place = await used();
    const data = join(place.root, '.scratchpad');
    files = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && /\.jsonl?$|\.seal$|lock$/.test(each.name))
      .map((each) => join(each.parentPath, each.name));
    expect(files.length).toBeGreaterThan(10);
  });

  test('fails no command and no hook, and status names what it left out', async () => {
    const { root, env, transcript } = place;
    const failures: string[] = [];
    let [round, runs] = [0, 0];
    for (const file of files) {
      const whole = readFileSync(file, 'utf8');
      for (const text of damaged(whole)) {
        for (const args of [LOOKING[0], LOOKING[1 + (round++ % (LOOKING.length - 1))], 'hook'] as const) {
          if (args === undefined || (args !== LOOKING[0] && round % 4 > 0)) continue;
          writeFileSync(file, text);
          runs += 1;
          const { exitCode, stdout, stderr } =
            args === 'hook' ? await hook(root, env, transcript) : await runWarm(args, { cwd: root, env });
          const fine = args === 'hook' ? exitCode === 0 : exitCode < 3 || exitCode === 4;
          if (!fine || /SCRATCHPAD_DEBUG|TypeError|undefined/.test(stdout + stderr))
            failures.push(`${relative(root, file)} ${args}: ${text.slice(0, 100)}: ${stderr || stdout}`);
          for (const left of readdirSync(root).filter((name) => name.endsWith('.tmp')))
            rmSync(join(root, left));
        }
      }
      writeFileSync(file, whole);
    }
    expect(failures).toEqual([]);
    expect(runs).toBeGreaterThan(200);
  }, 300_000);
});
