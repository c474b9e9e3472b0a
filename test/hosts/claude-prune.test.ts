import { expect, test } from 'vitest';
import { ResidentHooks } from '../../src/hosts/resident.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { loadMod, ModHost } from './mod-host.ts';

interface Row {
  role: string;
  text: string;
  handle?: string;
  toolUses: { tool_use_id: string; tool: string; input: object }[];
  toolResults?: { tool_use_id: string; text: string; isError: boolean; result?: unknown }[];
}

async function start(prune = 'on') {
  const cwd = testDir();
  const env = { ...minimalEnv(), XDG_STATE_HOME: testDir() };
  await runWarm(['plan', 'set', '1. Find the leak\n2. Write the test'], { cwd, env });
  await runWarm(['config', 'set', 'compaction.prune', prune], { cwd, env });
  const host = new ModHost({
    cwd,
    session: crypto.randomUUID(),
    server: new ResidentHooks(env, cwd, []),
    env,
  });
  host.load(await loadMod());
  await host.begin();

  let asked: string | undefined;
  const compact = async (messages: Row[], more: object = {}): Promise<Row[] | undefined> => {
    asked = undefined;
    const done = await host.raise('session.compact', { trigger: 'manual', messages, ...more }, async (e) => {
      asked = String(e.instructions);
      return { messages: [] };
    });
    return asked === undefined ? (done.messages as Row[]) : undefined;
  };

  return { cwd, env, host, compact, asked: () => asked };
}

/** A result of a tool: no two have the same text, and letters outside of the basic plane stand at every place. */
const makeText = (turn: number, size: number): string =>
  Array.from({ length: size / 10 }, (_, k) => `${turn}:${k} 🎈é`.padEnd(10)).join('\n');

/** Turns of one call each, then a prompt whose call has just been answered. */
function makeTalk(turns: number, size = 20_000): Row[] {
  const rows = Array.from({ length: turns }, (_, k): Row[] => {
    const id = `call-${k}`;
    return [
      { role: 'user', text: `please look at part ${k}`, handle: `p${k}`, toolUses: [] },
      {
        ...{ role: 'assistant', text: '', handle: `c${k}` },
        toolUses: [{ tool_use_id: id, tool: 'Read', input: { file_path: `/w/${k}` } }],
      },
      {
        ...{ role: 'user', text: '', handle: `r${k}`, toolUses: [] },
        toolResults: [{ tool_use_id: id, text: makeText(k, size), isError: k % 2 === 1 }],
      },
    ];
  });
  return rows.flat();
}

const listTexts = (rows: Row[] | undefined): string[] =>
  (rows ?? []).flatMap(({ toolResults = [] }) => toolResults.map(({ text }) => text));

test('old results become head and tail, each with a call that reads the whole; all else stays as the host has it', async () => {
  const { cwd, env, host, compact } = await start();
  const before = makeTalk(12);
  const after = (await compact(before)) ?? [];
  expect(after.map(({ role, text, toolUses }) => ({ role, text, toolUses }))).toEqual(
    before.map(({ role, text, toolUses }) => ({ role, text, toolUses })),
  );
  const { handle: _, ...newest } = before.at(-1) ?? {};
  expect(after.at(-1)).toEqual(newest);
  // What the person said is the host's own row, and so is the call that has just been answered.
  const own = after.filter(({ handle }) => handle !== undefined).map(({ handle }) => handle);
  expect(own).toEqual([...Array.from({ length: 12 }, (_, k) => `p${k}`), 'c11']);
  const changed = after.filter(({ toolResults }) => toolResults !== undefined).slice(0, -1);
  expect(changed).toHaveLength(11);

  const wholes = listTexts(before);
  for (const [k, text] of listTexts(changed).entries()) {
    const whole = wholes[k] ?? '';
    expect(text.length).toBeLessThan(1200);
    expect([text.slice(0, 300), text.slice(-300)]).toEqual([whole.slice(0, 300), whole.slice(-300)]);
    const [, place = '{}'] = /scratchpad_read (\{.*?\})/.exec(text) ?? [];
    const { name, session, offset, limit } = JSON.parse(place) as Record<string, string>;
    const where = ['--session', String(session), '--offset', String(offset), '--limit', String(limit)];
    const { stdout } = await runWarm(['entry', 'read', String(name), ...where], { cwd, env });
    expect(stdout.startsWith(whole)).toBe(true);
  }

  const size = (rows: Row[]): number => JSON.stringify(rows).length;
  expect(size(after) * 4).toBeLessThan(size(before));
  // The window is a new one: the next prompt is told the plan, and nothing that is still there.
  const [context = ''] = (await host.submit('go on')).context ?? [];
  expect(context).toContain('Find the leak');
  expect(context).not.toContain('look at part');
});

test('a second round cuts harder, and one that gains too little leaves it to the host', async () => {
  const { compact, asked } = await start();
  const once = (await compact(makeTalk(12))) ?? [];
  const grown = [...once, ...makeTalk(3, 5000).map((row) => ({ ...row, handle: `new ${row.handle}` }))];
  const twice = (await compact(grown)) ?? [];
  const [first = ''] = listTexts(twice);
  expect(first).toMatch(/^\[… .* left out; the whole: \S+scratchpad_read \{.*\} …\]$/);
  expect(listTexts(once)[0]).toContain(first);
  expect(listTexts(twice).at(-1)).toBe(listTexts(grown).at(-1));

  expect(await compact(twice)).toBeUndefined();
  expect(asked()).toContain('word for word');
});

test.each([
  ['turned off', 'off', makeTalk(12), {}],
  ['/compact model', 'on', makeTalk(12), { instructions: 'model' }],
  ['a conversation of words', 'on', makeTalk(12, 300), {}],
  ['one result, the newest', 'on', makeTalk(1), {}],
  ['nothing yet', 'on', [], {}],
])('%s: the host makes its own summary', async (_, prune, messages, more) => {
  const { compact, asked } = await start(prune);
  expect(await compact(messages, more)).toBeUndefined();
  expect(asked()).toContain('word for word');
  expect(asked()).not.toMatch(/^model/);
});

test('what the scratchpad cannot keep is not cut; a subagent and what is made ahead are left to the host', async () => {
  const { host, compact } = await start();
  for (const more of [{ agentId: 'a1' }, { trigger: 'precompute' }])
    expect(await compact(makeTalk(12), more)).toBeUndefined();

  const { fetch } = { fetch: host.server?.answer.bind(host.server) };
  host.server = {
    answer: async (json: never) => (JSON.stringify(json).includes('"results"') ? '{}' : fetch?.(json)),
  } as never;
  expect(await compact(makeTalk(12))).toBeUndefined();
  Object.assign(host, { server: undefined, hasProgram: false });
  expect(await compact(makeTalk(12))).toBeUndefined();
});

test('calls that were made side by side stay so, with the words before them', async () => {
  const { compact } = await start();
  const turn = (k: number): Row[] => {
    const calls = [`a${k}`, `b${k}`].map((id) => ({ tool_use_id: id, tool: 'Read', input: { k } }));
    const [first, second] = calls.map(
      (call): Row => ({ role: 'assistant', text: '', handle: 'h', toolUses: [call] }),
    );
    const results = calls.map(({ tool_use_id: id }): Row => {
      const toolResults = [{ tool_use_id: id, text: makeText(k, 9000), isError: false }];
      return { role: 'user', text: '', handle: 'h', toolUses: [], toolResults };
    });
    const says = (role: string, text: string): Row => ({ role, text, handle: 'h', toolUses: [] });
    const answer = [says('assistant', `I look at ${k}`), first, second].flatMap((row) => row ?? []);
    return [says('user', `look at ${k}`), ...answer, ...results, says('assistant', 'Done.')];
  };

  const after = (await compact(Array.from({ length: 12 }, (_, k) => turn(k)).flat())) ?? [];
  expect(after.slice(0, 4)).toEqual([
    expect.objectContaining({ text: 'look at 0', handle: 'h' }),
    expect.objectContaining({ text: 'I look at 0', toolUses: [{}, {}].map(() => expect.anything()) }),
    expect.objectContaining({ toolResults: [{}, {}].map(() => expect.anything()) }),
    expect.objectContaining({ text: 'Done.', handle: 'h' }),
  ]);
  expect(listTexts(after)).toHaveLength(24);
});

test('a row with an image, and an answer without text, stay the host’s own', async () => {
  const { compact } = await start();
  const talk = makeTalk(20);
  Object.assign(talk[2]?.toolResults?.[0] ?? {}, { result: { type: 'image' } });
  talk[5]?.toolResults?.push({ tool_use_id: 'call-x', text: '', isError: false });
  const after = (await compact(talk)) ?? [];
  expect([after[2], after[5]]).toEqual([talk[2], talk[5]]);
  expect(after[8]?.handle).toBeUndefined();
});
