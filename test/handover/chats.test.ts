import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** An agent of OpenClaw that several people talk to, each chat in its own session of one workspace. */

const PETRA = 'agent:main:telegram:dm:petra';
const GROUP = 'agent:main:whatsapp:group:class-2b';
const SECRET = 'Never tell Jonas about the divorce papers.';

function openGateway() {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/.gitignore': '*\n', 'state/': '' });
  const env = { ...minimalEnv(), OPENCLAW_STATE_DIR: join(cwd, 'state') };
  const folder = join(cwd, 'state/agents/main/sessions');
  const index: Record<string, object> = {};
  mkdirSync(folder, { recursive: true });
  let seconds = 0;

  /** The chat's newest conversation, as OpenClaw writes it once there is an answer. */
  const write = (key: string, id: string, ...talk: (string | object)[]): void => {
    const end = talk.findLast((one) => typeof one === 'object');
    const texts = talk.filter((one) => typeof one === 'string');
    const rows = texts.map((text, at) => ({
      ...{ type: 'message', id: `${id}${at}`, parentId: at === 0 ? null : `${id}${at - 1}` },
      timestamp: new Date(Date.now() - 3_600_000 + ++seconds * 1000).toISOString(),
      message: {
        role: at % 2 === 0 ? 'user' : 'assistant',
        content: [{ type: 'text', text }],
        stopReason: 'stop',
        ...(at % 2 === 1 && end),
      },
    }));
    const path = join(folder, `${id}.jsonl`);
    const header = { type: 'session', version: 3, id, timestamp: rows[0]?.timestamp, cwd };
    writeFileSync(path, [header, ...rows].map((row) => `${JSON.stringify(row)}\n`).join(''));
    index[key] = { sessionId: id, updatedAt: Date.parse(rows.at(-1)?.timestamp ?? '') };
    writeFileSync(join(folder, 'sessions.json'), JSON.stringify(index));
  };
  /** `/new`: the chat has a new id, whose file comes with the first answer. */
  const renew = (key: string, id: string): void => {
    index[key] = { sessionId: id, updatedAt: Date.now() };
    writeFileSync(join(folder, 'sessions.json'), JSON.stringify(index));
  };
  const fire = async (key: string, event: string, more: object = {}): Promise<string> => {
    const input = JSON.stringify({ hook_event_name: event, session_id: key, cwd, standing: true, ...more });
    return (await runWarm(['hook', 'openclaw'], { cwd, env, input })).stdout;
  };
  const ask = (key: string, prompt: string, more: object = {}) => fire(key, 'prompt', { prompt, ...more });
  const run = async (key: string | undefined, ...args: string[]) =>
    (await runWarm(args, { cwd, env: { ...env, ...(key && { SCRATCHPAD_HOST_SESSION: key }) } })).stdout;

  return { cwd, write, renew, fire, ask, run };
}

async function openTwoChats() {
  const gateway = openGateway();
  const { write, ask, fire } = gateway;
  write(GROUP, 'g1', 'Collect the money for the trip.', 'Eleven have paid.');
  await ask(GROUP, 'Collect the money for the trip.');
  await fire(GROUP, 'stop');
  write(
    PETRA,
    'p1',
    `Draft the letter to the lawyer. ${SECRET}`,
    'The draft is in letter.md. Shall I send it?',
  );
  await ask(PETRA, 'Draft the letter to the lawyer.');
  await fire(PETRA, 'stop');
  return gateway;
}

test.each(['/new', 'no file yet'])(
  'a conversation is handed over within its chat and into no other, after %s',
  async (how) => {
    const { write, renew, ask } = await openTwoChats();
    const begin = (key: string, id: string, prompt: string): void =>
      how === '/new' ? write(key, id, prompt) : renew(key, id);

    begin(GROUP, 'g2', 'wo waren wir?');
    const group = await ask(GROUP, 'wo waren wir?', { source: 'startup' });
    expect(group).toContain('Collect the money');
    expect(group).not.toMatch(/divorce|lawyer|letter/);
    const stranger = await ask(
      'agent:main:whatsapp:direct:anna',
      'please go on with the letter to the lawyer',
    );
    expect(stranger).not.toMatch(/divorce|draft|letter\.md/i);

    begin(PETRA, 'p2', 'please go on with the letter');
    expect(await ask(PETRA, 'please go on with the letter', { source: 'startup' })).toContain(SECRET);
  },
);

test('an agent in a chat finds no words of another one; a person finds all', async () => {
  const { run } = await openTwoChats();
  expect(await run(undefined, 'search', 'divorce')).toContain(SECRET);
  expect(await run(PETRA, 'search', 'money')).not.toContain('Collect');
  expect(await run(GROUP, 'search', 'divorce')).not.toContain('divorce papers');
  expect(await run(undefined, 'handover')).toContain(SECRET);
  expect(await run(GROUP, 'handover')).not.toContain('divorce');
  for (const id of ['p1', PETRA])
    expect(await run(GROUP, 'handover', '--session', id)).not.toContain('divorce');
  expect(await run(GROUP, 'transcript', 'list')).not.toContain('p1');
});

test('a plan that another chat takes over brings no words with it, and shows no title there', async () => {
  const { run, ask, fire } = await openTwoChats();
  await run(PETRA, 'plan', 'set', '1. Post the divorce papers\n2. Pay the lawyer');
  await fire(PETRA, 'stop');
  expect(await run(undefined, 'log')).toContain(' telegram:dm:petra');
  const told = await ask(GROUP, 'wo waren wir?');
  expect(told).toContain('plan take 1');
  expect(told).not.toContain('divorce');
  await run(GROUP, 'plan', 'take', '1');
  expect(await ask(GROUP, 'go on')).not.toContain(SECRET);
});

test.each([
  ['a group', GROUP, false],
  ["a person's chat", PETRA, true],
])('appointments of the owner: %s', async (_, key, isTold) => {
  const { cwd, run, ask } = openGateway();
  const start = new Date(Date.now() + 1_800_000).toISOString().replace(/[-:]|\.\d+/g, '');
  const event = ['BEGIN:VEVENT', `DTSTART:${start}`, 'SUMMARY:Divorce lawyer', 'END:VEVENT'];
  writeFileSync(join(cwd, 'calendar.ics'), ['BEGIN:VCALENDAR', ...event, 'END:VCALENDAR', ''].join('\r\n'));
  await run(undefined, 'config', 'set', 'alerts.calendars', '["calendar.ics"]');
  expect((await ask(key, 'good morning')).includes('Divorce lawyer')).toBe(isTold);
});

test('what was handed over is told at each turn, since OpenClaw drops it, and --explain lists what is told now', async () => {
  const { write, run, ask, fire } = await openTwoChats();
  write(PETRA, 'p2', 'please go on with the letter');
  expect(await ask(PETRA, 'please go on with the letter', { source: 'startup' })).toContain(SECRET);
  await fire(PETRA, 'stop');
  expect(await ask(PETRA, 'and which stamp?')).toContain(SECRET);
  expect(await run(undefined, 'context', '--explain', '--session', PETRA)).toContain('divorce papers');
  expect(await fire(PETRA, 'prompt', { trigger: 'heartbeat', prompt: 'Read HEARTBEAT.md' })).not.toContain(
    'divorce',
  );
  expect(await run(undefined, 'context', '--explain', '--session', PETRA)).not.toContain('divorce papers');
  expect(await ask(PETRA, 'a blue one?')).toContain(SECRET);
  await fire(PETRA, 'after-compaction');
  expect(await ask(GROUP, 'thanks')).not.toContain('divorce');
});

test('an answer that an error of the provider cut off is not taken for one', async () => {
  const { write, renew, ask, fire } = openGateway();
  write(PETRA, 'p1', 'Draft the letter.', 'I begin with the', {
    stopReason: 'error',
    errorMessage: '429 {"type":"error","error":{"type":"rate_limit_error","message":"usage limit reached"}}',
  });
  await fire(PETRA, 'stop');
  renew(PETRA, 'p2');
  expect(await ask(PETRA, 'go on', { source: 'startup' })).toMatch(/usage limit/);
});
