import { describe, expect, test } from 'vitest';
import { buildConfig } from '../../src/config/values.ts';
import { activeStage } from '../../src/stages/active.ts';
import { alertsStage } from '../../src/stages/alerts.ts';
import { openClock, PROMPT_IN_HAND } from '../../src/stages/clock.ts';
import { createStageContext } from '../../src/stages/context.ts';
import { timeStage } from '../../src/stages/time.ts';
import type { Message } from '../../src/transcript/types.ts';
import { runCli } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';

const LOOK = 'please look at the flaky upload test';
const limit = { ms: 1000, signal: new AbortController().signal };

function contextOf(zone: string, now: string, last?: string, prompt?: string) {
  const message = (id: string, timestamp: string, content = LOOK): Message => ({
    id,
    role: 'user',
    content,
    timestamp,
    session: 's',
  });
  return createStageContext({
    workspace: testDir(),
    now: Date.parse(now),
    clock: openClock({ kind: 'named', name: zone }),
    messages: [
      ...(last ? [message('1', last)] : []),
      ...(prompt ? [message(PROMPT_IN_HAND, now, prompt)] : []),
    ],
    facts: undefined,
    spaces: { plan: '', notes: '', refs: '' },
    config: buildConfig(new Map()),
    previous: undefined,
  });
}

/** What the block says about the time in a zone: Time Context, and the gap of Active Context. */
async function said(zone: string, now: string, last?: string, prompt = false): Promise<string[]> {
  const context = contextOf(zone, now, last, prompt ? LOOK : undefined);
  const time = await timeStage.run(context, limit);
  const active = await activeStage.run(context, limit);
  const gap = active?.lines.filter(({ text }) => text.startsWith('- Session gap')) ?? [];
  return [...(time?.lines ?? []), ...gap].map(({ text }) => text.slice(2));
}

const NIGHT = 'Note: suggest deferral for non-urgent work';
const MORNING = 'Note: fresh start, good for complex work';
const short = 'short: the context is still there';
const resume = 'pick up where it was left';
const resurrect = 'long: recall the state of things before going on';

describe('what the block says of the time', () => {
  test.each<[what: string, zone: string, now: string, last: string | undefined, wanted: string[]]>([
    [
      'a half-hour zone',
      'Asia/Kolkata',
      '2026-02-05T18:45:00Z',
      undefined,
      ['Local time: Fri 00:15 IST (late night)', NIGHT],
    ],
    [
      'a 45-minute zone on the other side of midnight',
      'Pacific/Chatham',
      '2026-02-05T10:15:00Z',
      '2026-02-05T10:10:00Z',
      ['Local time: Fri 00:00 CHADT (late night)', NIGHT],
    ],
    [
      'west of Greenwich, half an hour off',
      'America/St_Johns',
      '2026-03-01T02:30:00Z',
      '2026-03-01T02:29:00Z',
      ['Local time: Sat 23:00 NST (late night)', NIGHT],
    ],
    [
      'clocks go forward: the hour from 2 to 3 is not there, and the gap is what really passed',
      'America/New_York',
      '2026-03-08T07:30:00Z',
      '2026-03-08T05:30:00Z',
      ['Local time: Sun 03:30 EDT (late night)', NIGHT, `Session gap: 2h (${short})`],
    ],
    [
      'clocks go back: the second 02:30 of that night',
      'Europe/Berlin',
      '2026-10-25T01:30:00Z',
      '2026-10-25T00:30:00Z',
      ['Local time: Sun 02:30 CET (late night)', NIGHT, `Session gap: 1h (${short})`],
    ],
    [
      'clocks go back by half an hour',
      'Australia/Lord_Howe',
      '2026-04-04T15:00:00Z',
      '2026-04-04T14:59:00Z',
      ['Local time: Sun 01:30 LHST (late night)', NIGHT],
    ],
    [
      'a zone whose midnight was skipped: the first moment of the day is 1 o’clock',
      'Africa/Cairo',
      '2026-04-23T22:00:00Z',
      '2026-04-23T21:59:00Z',
      ['Local time: Fri 01:00 EEST (late night)', NIGHT],
    ],
    [
      'over the end of a month in a leap year',
      'Europe/London',
      '2028-03-01T08:00:00Z',
      '2028-02-29T20:00:00Z',
      ['Local time: Wed 08:00 GMT (morning)', MORNING, `Session gap: 12h (${resume})`],
    ],
    [
      'over the end of a year, three days on',
      'Pacific/Kiritimati',
      '2026-12-31T22:00:00Z',
      '2026-12-28T22:00:00Z',
      ['Local time: Fri 12:00 UTC+14 (active hours)', `Session gap: 3 days (${resurrect})`],
    ],
    [
      'a year and a day: the weekday alone would mislead',
      'Etc/UTC',
      '2026-02-06T12:00:00Z',
      '2025-02-05T12:00:00Z',
      ['Local time: Fri 12:00 UTC (active hours)', `Session gap: 366 days (${resurrect})`],
    ],
    [
      'a clock set back by a day: nothing is said of a message from the future',
      'Etc/UTC',
      '2026-02-06T12:00:00Z',
      '2026-02-07T12:00:00Z',
      ['Local time: Fri 12:00 UTC (active hours)'],
    ],
    [
      'a clock that is two minutes behind, at midnight',
      'Etc/UTC',
      '2026-02-06T23:59:00Z',
      '2026-02-07T00:01:00Z',
      ['Local time: Fri 23:59 UTC (late night)', NIGHT],
    ],
    [
      'a message without a readable time',
      'Etc/UTC',
      '2026-02-06T12:00:00Z',
      'yesterday',
      ['Local time: Fri 12:00 UTC (active hours)'],
    ],
    [
      'before 1970',
      'Etc/UTC',
      '1969-12-31T23:30:00Z',
      undefined,
      ['Local time: Wed 23:30 UTC (late night)', NIGHT],
    ],
  ])('%s', async (_, zone, now, last, wanted) => {
    expect(await said(zone, now, last)).toEqual(wanted);
  });

  test.each([
    ['2026-02-06T22:59:59Z', 'active hours', undefined],
    ['2026-02-06T23:00:00Z', 'late night', NIGHT],
    ['2026-02-06T06:59:59Z', 'late night', NIGHT],
    ['2026-02-06T07:00:00Z', 'morning', MORNING],
    ['2026-02-06T09:59:59Z', 'morning', MORNING],
    ['2026-02-06T10:00:00Z', 'active hours', undefined],
  ])('%s is %s', async (now, word, note) => {
    const lines = await said('Etc/UTC', now, '2026-02-05T22:00:00Z');
    expect(lines[0]).toContain(`(${word})`);
    expect(lines.filter((line) => line.startsWith('Note'))).toEqual(note === undefined ? [] : [note]);
  });

  test.each([
    ['nobody has spoken yet', undefined],
    ['somebody has been at work since the night', '2026-02-06T04:30:00Z'],
  ])('a morning is no fresh start where %s', async (_, last) => {
    expect((await said('Etc/UTC', '2026-02-06T07:30:00Z', last))[0]).toContain('(morning)');
    expect(await said('Etc/UTC', '2026-02-06T07:30:00Z', last)).not.toContain(MORNING);
  });

  test.each([
    [0.4, 'under a minute (none to speak of)'],
    [10, `10 min (${short})`],
    [125, `2h 5m (${short})`],
    [239, `3h 59m (${short})`],
    [240, `4h (${resume})`],
    [23 * 60 + 59, `24h (${resume})`],
    [24 * 60, `24h (${resurrect})`],
    [47 * 60, `47h (${resurrect})`],
    [9 * 1440, `9 days (${resurrect})`],
  ])('a gap of %s minutes', async (minutes, wanted) => {
    const now = '2026-02-06T14:00:00Z';
    const last = new Date(Date.parse(now) - minutes * 60_000).toISOString();
    const gap = (await said('Etc/UTC', now, last, true)).filter((line) => line.startsWith('Session gap'));
    expect(gap).toEqual([`Session gap: ${wanted}`]);
  });

  test('the prompt that is being answered is not what the gap is counted from', async () => {
    const lines = await said('Europe/Berlin', '2026-02-06T07:30:00Z', '2026-02-05T19:30:00Z', true);
    expect(lines).toContain(`Session gap: 12h (${resume})`);
  });
});

describe('whose clock counts', () => {
  const messages = (more: object): string =>
    JSON.stringify({ messages: [{ role: 'user', content: 'please look at the flaky test' }], ...more });
  const local = async (
    config: string,
    input: string,
    env: Record<string, string> = {},
    cwd = testDir({ '.scratchpad/config.yaml': config }),
  ) => {
    const args = ['assemble', '--dry-run', '-m', '-', '--now', '2026-02-06T10:00:00Z'];
    const { stdout, stderr, exitCode } = await runCli(args, { cwd, input, env });
    expect(exitCode).toBe(0);
    return { line: /- Local time: (.*)/.exec(stdout)?.[1], stderr };
  };

  test('the config’s zone, then what the host says, then the system’s', async () => {
    const host = messages({ utcOffsetHours: 5.75 });
    const TZ = 'America/New_York';
    expect((await local('timezone: Australia/Sydney\n', host, { TZ })).line).toBe(
      'Fri 21:00 AEDT (active hours)',
    );
    expect((await local('', host, { TZ })).line).toBe('Fri 15:45 UTC+5:45 (active hours)');
    expect((await local('', messages({}), { TZ })).line).toBe('Fri 05:00 UTC-5 (late night)');
  });

  test('a zone that does not exist is named, and the system’s clock serves', async () => {
    const { line, stderr } = await local('timezone: Mars/Olympus\n', messages({}), { TZ: 'UTC' });
    expect(line).toBe('Fri 10:00 UTC (active hours)');
    expect(stderr).toContain('Mars/Olympus');
    const cwd = testDir({ '.scratchpad/config.yaml': 'timezone: Mars/Olympus\n' });
    expect((await runCli(['status'], { cwd })).stdout).toMatch(/problem: .*timezone.*Mars\/Olympus/s);
  });
});

describe('the time is told to a model after a silence', () => {
  test.each([
    ['what is left for today?', ['prompt', 'resume']],
    ['was steht heute noch an?', ['prompt', 'resume']],
    ['明日までに何が残っていますか', ['prompt', 'resume']],
    ['fix the typo in the README', ['resume']],
    ['sort the rows by date', ['resume']],
  ])('at “%s”: %j', async (prompt, at) => {
    const context = contextOf('Etc/UTC', '2026-02-06T14:00:00Z', '2026-02-06T08:00:00Z', prompt);
    const [line] = (await timeStage.run(context, limit))?.lines ?? [];
    expect(line?.inject).toMatchObject({
      text: 'Now: Fri 6 February 2026, 14:00 UTC, 6h after their last message.',
      at,
    });
  });
});

test('an appointment of the day is told to a prompt that asks for the day, and once after the brief', async () => {
  const start = Date.parse('2026-02-06T18:00:00Z');
  const yoga = { start, end: start + 3_600_000, allDay: false, summary: 'Yoga', calendar: 'c.ics' };
  const tell = async (now: string, last: string | undefined, prompt: string) => {
    const agenda = async () => ({ appointments: [yoga], problems: [] });
    const tasks = async () => ({ dated: [], superseded: new Set<string>(), problems: [] });
    const context = { ...contextOf('Etc/UTC', now, last, prompt), agenda, tasks, forModel: true };
    return (await alertsStage.run(context, limit))?.lines.map(({ inject }) => inject) ?? [];
  };
  const [asked] = await tell('2026-02-06T14:00:00Z', '2026-02-06T13:00:00Z', 'was steht heute noch an?');
  expect(asked?.text).toContain('today at 18:00');
  expect(await tell('2026-02-06T14:00:00Z', '2026-02-06T13:00:00Z', 'fix the typo')).toEqual([undefined]);
  const [brief] = await tell('2026-02-06T08:00:00Z', undefined, 'good morning');
  expect(brief?.covers).toContain(asked?.key);
});
