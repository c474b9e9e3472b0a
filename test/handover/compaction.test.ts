import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

/** After a compaction: the person's messages that its summary does not hold. */

const ASK = 'Round the totals of the cart to cents. Never touch the coupon code, Ines owns it.';
const FORM = 'reply in bullet points only';
/** The window still has it, word for word. */
const KEPT = 'measure all of it in inches';
const HEADING = "The person's messages that the summary lacks";

interface Talk {
  cwd: string;
  file: string;
  ask(event: string, more?: object): Promise<string>;
}

function talkIn(host: string): Talk {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/.gitignore': '*\n' });
  const file = join(cwd, 'chat.jsonl');
  const ask = async (event: string, more: object = {}): Promise<string> => {
    const given = { session_id: 's1', transcript_path: file, cwd, hook_event_name: event, ...more };
    const words = ['hook', host, ...(host === 'openclaw' ? [] : [event])];
    const { stdout } = await runWarm(words, { cwd, input: JSON.stringify(given) });
    const answer = JSON.parse(stdout || '{}') as {
      context?: string;
      hookSpecificOutput?: { additionalContext?: string };
    };
    return answer.hookSpecificOutput?.additionalContext ?? answer.context ?? '';
  };
  return { cwd, file, ask };
}

describe('in Claude Code', () => {
  const begun = async (): Promise<Talk & { session: ClaudeSession }> => {
    const talk = talkIn('claude-code');
    const day = new Date(Date.now() - 3_600_000);
    const session = new ClaudeSession({ cwd: talk.cwd, session: 's1', branch: 'main', day })
      .person(ASK)
      .bash('ls');
    writeFileSync(talk.file, session.person(FORM).agent('ok').text);
    await talk.ask('UserPromptSubmit', { prompt: 'and the header' });
    return { ...talk, session };
  };
  const SUMMARY =
    'The user asked: "Round the totals of the cart to cents, and never touch the coupon code; Ines owns it."';

  test('words that the summary has nearly word for word are not told again', async () => {
    const { ask, file, session } = await begun();
    writeFileSync(file, session.compaction(SUMMARY).text);
    const told = await ask('SessionStart', { source: 'compact' });
    expect(told).toContain(`## ${HEADING}\n- “${FORM}”`);
    expect(told).not.toContain('coupon');
  });

  test.each([
    ['prompt', 'UserPromptSubmit', { prompt: 'go on' }],
    [
      'call',
      'PostToolUse',
      { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: { stdout: '' } },
    ],
  ])('a summary that is written late is waited for until the next %s', async (_, event, more) => {
    const { ask, file, session } = await begun();
    expect(await ask('SessionStart', { source: 'compact' })).not.toMatch(/bullet|coupon/);
    writeFileSync(file, session.compaction(SUMMARY).text);
    const told = await ask(event, more);
    expect(told).toContain(HEADING);
    expect(told).toContain(`“${FORM}”`);
    expect(told).not.toContain('coupon');
    expect(await ask(event, more)).not.toContain(FORM);
    expect(await ask('UserPromptSubmit', { prompt: 'and now the footer' })).not.toContain(FORM);
  });

  test('words for which the pad leaves no room are told at the next prompt', async () => {
    const { ask, cwd, file, session } = await begun();
    const notes = Array.from({ length: 900 }, (_, k) => `note ${k} of many`).join('\n');
    writeFileSync(
      join(cwd, 'SCRATCHPAD.md'),
      `# Pad\n\n## Notes\n<!-- scratchpad:notes -->\n${notes}\n<!-- /scratchpad:notes -->\n`,
    );
    writeFileSync(file, session.compaction(SUMMARY).text);
    expect(await ask('SessionStart', { source: 'compact' })).not.toContain(FORM);
    expect(await ask('UserPromptSubmit', { prompt: 'go on' })).toContain(`“${FORM}”`);
    expect(await ask('UserPromptSubmit', { prompt: 'and the footer' })).not.toContain(FORM);
  });

  test('the second compaction is told by its own summary, not by the first', async () => {
    const { ask, file, session } = await begun();
    writeFileSync(file, session.compaction(`${SUMMARY} ${FORM}`).text);
    expect(await ask('SessionStart', { source: 'compact' })).not.toContain(HEADING);
    writeFileSync(file, session.person('use metric units').agent('ok').text);
    await ask('UserPromptSubmit', { prompt: 'and the footer' });
    expect(await ask('SessionStart', { source: 'compact' })).not.toContain(HEADING);
    writeFileSync(file, session.compaction('We worked on the cart; metric units.').text);
    const told = await ask('UserPromptSubmit', { prompt: 'go on' });
    for (const words of [ASK, FORM]) expect(told).toContain(`“${words}”`);
  });

  test('questions that were answered are over, unless they forbid something; what is told in other words is held', async () => {
    const talk = talkIn('claude-code');
    const day = new Date(Date.now() - 3_600_000);
    const session = new ClaudeSession({ cwd: talk.cwd, session: 's1', branch: 'main', day })
      .person('is the cart rounded in the worker too?')
      .person('can we please not commit the invoices?')
      .person('the coupon page needs a darker header')
      .agent('ok');
    writeFileSync(talk.file, session.text);
    await talk.ask('UserPromptSubmit', { prompt: 'and the footer' });
    writeFileSync(talk.file, session.compaction('- Header of the coupon page made darker, as needed.').text);
    const told = await talk.ask('SessionStart', { source: 'compact' });
    expect(told).toContain('not commit the invoices');
    expect(told).not.toMatch(/worker too|darker header/);
  });

  const tellAfter = async (messages: readonly string[], summary: string): Promise<string> => {
    const talk = talkIn('claude-code');
    const session = new ClaudeSession({
      cwd: talk.cwd,
      session: 's1',
      day: new Date(Date.now() - 3_600_000),
    });
    for (const message of messages) session.person(message).bash('ls');
    writeFileSync(talk.file, session.agent('ok').text);
    await talk.ask('UserPromptSubmit', { prompt: 'and the footer' });
    writeFileSync(talk.file, session.compaction(summary).text);
    return talk.ask('SessionStart', { source: 'compact' });
  };

  test('a message keeps its number, and what it says not to be', async () => {
    const message =
      '3. Attribute the delta to human edits\n\nAlso the delta of merges is fragile, is it not?';
    expect(await tellAfter([message], 'We worked on the cart.')).toMatch(
      /“3\. Attribute the delta to human edits\s+Also the delta of merges is fragile, is it not\?”/,
    );
  });

  test('of a long message what the summary holds is marked, and what words point back to stays', async () => {
    const held =
      'The worker reads the price list of Brandt each night and writes it to the table of totals again.';
    const parts = [
      held,
      'The coupon page of the shop takes the rounded totals from the header of its own cache.',
      'That is wrong for the halves.',
    ];
    const told = await tellAfter([[held, ...parts, held].join('\n')], `${held} That is wrong for the halves`);
    expect(told).toContain(`“[…] ${parts[1]} […]”`);
  });

  test('vetoes and what was decided last come first, and the heading counts', async () => {
    const wishes = Array.from(
      { length: 12 },
      (_, at) => `The header number ${at} of the shop becomes blue and wider on phones of the ${at}th kind.`,
    );
    const told = await tellAfter(['No emojis in the log of totals.', ...wishes], 'We worked.');
    expect(told).toMatch(/summary lacks \(\d+ of 13\)\n- “No emojis in the log of totals\.”/);
    expect(told).toContain(wishes[11]);
    expect(told).not.toContain(wishes[1]);
  });

  test.each([
    ['no remove this again', false],
    ['never do this again', false],
    ['Medium Severity', false],
    ['no remove this again, the risk that a reader takes it for a stable link is too big', false],
    ['Without this conversion the totals of the coupon page are lost', false],
    ['For the coupon page, tabs and no spaces', true],
    ['In this repo, dates as YYYY-MM-DD', true],
    ['entferne das wieder', false],
    ['再删掉这个', false],
    ['That is wrong for the halves of a cent', false],
    ['Prices in answer.txt are cents', true],
    ['Never rename totalOf in the shop', true],
    ['Dates as YYYY-MM-DD', true],
    ['只用中文回答', true],
  ])('“%s” is told: %s', async (message, isTold) => {
    const told = await tellAfter([message, 'The header becomes blue'], 'We worked.');
    expect(told.includes(message)).toBe(isTold);
  });

  test('an order that an edit carried out is over; what always holds is not', async () => {
    const talk = talkIn('claude-code');
    const session = new ClaudeSession({
      cwd: talk.cwd,
      session: 's1',
      day: new Date(Date.now() - 3_600_000),
    });
    session.person(
      'Rename totalOf there. Write a darker header for the coupon page. Prices are in euros. Fix the ounces in a.md please.',
    );
    session.use('Edit', {
      file_path: `${talk.cwd}/a.md`,
      old_string: 'Page',
      new_string: 'darker header, coupon page',
    });
    session.agent('Done, and totalOf is renamed.').person('The footer becomes blue').agent('ok');
    writeFileSync(talk.file, session.text);
    await talk.ask('UserPromptSubmit', { prompt: 'and the logo' });
    writeFileSync(talk.file, session.compaction('We worked.').text);
    const told = await talk.ask('SessionStart', { source: 'compact' });
    expect(told).toContain('“[…] Prices are in euros. […]”');
    expect(told).not.toMatch(/darker|totalOf|ounces/);
  });

  test('a session that was compacted before we looked is told nothing of it', async () => {
    const talk = talkIn('claude-code');
    const session = new ClaudeSession({ cwd: talk.cwd, session: 's1' })
      .person(ASK)
      .agent('ok')
      .compaction('Cart.');
    writeFileSync(talk.file, session.text);
    expect(await talk.ask('SessionStart', { source: 'resume' })).not.toContain('coupon');
    expect(await talk.ask('UserPromptSubmit', { prompt: 'go on' })).not.toContain('coupon');
  });
});

test('in Gemini CLI, at the prompt after the compression', async () => {
  const { ask, file } = talkIn('gemini-cli');
  const time = (minute: number): string => new Date(Date.now() - 3_600_000 + minute * 60_000).toISOString();
  const write = (record: object): void => appendFileSync(file, `${JSON.stringify(record)}\n`);
  const said = (id: string, type: string, text: string, minute: number): object => ({
    ...{ id, type, timestamp: time(minute), content: [{ text }] },
  });
  const head = { sessionId: 's1', projectHash: 'x', startTime: time(0), lastUpdated: time(0), kind: 'main' };
  write(head);
  const talk = [said('1', 'user', ASK, 1), said('2', 'gemini', 'ok', 2), said('3', 'user', FORM, 3)];
  for (const record of [...talk, said('4', 'gemini', 'ok', 4)]) write(record);
  await ask('BeforeAgent', { prompt: 'and the header' });
  write(said('5', 'user', 'and the header', 5));
  write(said('6', 'gemini', 'ok', 6));
  write(said('6a', 'user', KEPT, 6));
  write(said('6b', 'gemini', 'ok', 6));
  const summary = said('7', 'user', `<state_snapshot>${ASK} The header is next.</state_snapshot>`, 7);
  const thanks = said('8', 'gemini', 'Got it. Thanks for the additional context!', 7);
  const copies = [said('9', 'user', KEPT, 7), said('10', 'gemini', 'ok', 7)];
  write({ $set: { messages: [summary, thanks, ...copies] } });
  const told = await ask('BeforeAgent', { prompt: 'go on' });
  expect(told).toContain(HEADING);
  expect(told).toContain(`“${FORM}”`);
  expect(told).not.toMatch(/coupon|inches/);
  expect(await ask('BeforeAgent', { prompt: 'and the footer' })).not.toContain(FORM);
});

test('in Codex, which keeps messages of the person beside its summary', async () => {
  const { ask, cwd, file } = talkIn('codex');
  const write = (type: string, payload: object): void => {
    const timestamp = new Date(Date.now() - 3_600_000).toISOString();
    appendFileSync(file, `${JSON.stringify({ timestamp, type, payload })}\n`);
  };
  const item = (role: string, text: string): object => ({
    ...{ type: 'message', role, content: [{ type: `${role === 'user' ? 'in' : 'out'}put_text`, text }] },
  });
  write('session_meta', { id: 's1', cwd });
  for (const text of [ASK, FORM]) {
    write('response_item', item('user', text));
    write('response_item', item('assistant', 'ok'));
  }
  await ask('UserPromptSubmit', { prompt: 'and the header' });
  await ask('PostCompact');
  write('compacted', {
    message: 'The cart.',
    replacement_history: [item('user', ASK), item('user', 'The cart.')],
  });
  const told = await ask('UserPromptSubmit', { prompt: 'go on' });
  expect(told).toContain(`“${FORM}”`);
  expect(told).not.toContain('coupon');
});

test('in OpenClaw, at the prompt after the compaction', async () => {
  const { ask, cwd, file } = talkIn('openclaw');
  let last: string | null = null;
  let count = 0;
  const write = (type: string, more: object): void => {
    const id = `r${++count}`;
    const timestamp = new Date(Date.now() - 3_600_000 + count * 1000).toISOString();
    appendFileSync(file, `${JSON.stringify({ type, id, parentId: last, timestamp, ...more })}\n`);
    last = id;
  };
  const say = (role: string, text: string): void =>
    write('message', { message: { role, content: [{ type: 'text', text }] } });
  writeFileSync(file, `${JSON.stringify({ type: 'session', version: 4, id: 'c1', cwd })}\n`);
  await ask('prompt', { prompt: ASK, standing: true });
  say('user', ASK);
  say('assistant', 'ok');
  say('user', FORM);
  say('assistant', 'ok');
  say('user', KEPT);
  say('assistant', 'ok');
  await ask('stop');
  write('compaction', {
    summary: 'The cart is rounded to cents.',
    firstKeptEntryId: 'r4',
    tokensBefore: 50_000,
  });
  await ask('after-compaction');
  const told = await ask('prompt', { prompt: 'go on', standing: true });
  for (const words of [HEADING, '“[…] Never touch the coupon code, Ines owns it.”', FORM])
    expect(told).toContain(words);
  expect(told).not.toContain('inches');
});
