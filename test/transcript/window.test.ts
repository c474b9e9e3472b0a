import { describe, expect, test } from 'vitest';
import { type Message, readTranscriptText } from '../../src/transcript/read.ts';

let clock = 0;

function say(role: string, content: string, more: object = {}): object {
  clock += 1000;
  return { role, content, timestamp: new Date(Date.UTC(2026, 0, 1) + clock).toISOString(), ...more };
}

async function window(messages: object[], options = {}): Promise<Message[]> {
  return (await readTranscriptText(messages.map((message) => JSON.stringify(message)).join('\n'), options))
    .messages;
}

describe('the window', () => {
  test('is the last 20 of a plain back-and-forth', async () => {
    const talk = Array.from({ length: 60 }, (_, index) =>
      say(index % 2 === 0 ? 'user' : 'assistant', `${index}`),
    );
    const contents = (await window(talk)).map((message) => message.content);
    expect(contents).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 40}`));
  });

  test('a run of 300 tool results does not push the words of the human out', async () => {
    const talk = [say('user', 'fix the build'), say('assistant', 'on it')];
    for (let index = 0; index < 300; index++) {
      talk.push(say('tool', `result ${index}`, { name: 'shell' }));
      if (index % 10 === 0) talk.push(say('assistant', `remark ${index}`));
    }
    const found = await window(talk);
    expect(found[0]?.content).toBe('fix the build');
    expect(found.filter((message) => message.role === 'tool').map((message) => message.content)).toEqual(
      Array.from({ length: 20 }, (_, index) => `result ${index + 280}`),
    );
    expect(found.filter((message) => message.role !== 'tool')).toHaveLength(20);
  });

  test('keeps the answers that the human reacted to', async () => {
    const talk: object[] = [];
    for (let turn = 0; turn < 30; turn++) {
      talk.push(say('user', `ask ${turn}`));
      for (let remark = 0; remark < 9; remark++) talk.push(say('assistant', `remark ${turn}.${remark}`));
      talk.push(say('assistant', `answer ${turn}`));
    }
    const expected = Array.from({ length: 10 }, (_, index) => [
      `ask ${index + 20}`,
      `answer ${index + 20}`,
    ]).flat();
    expect((await window(talk)).map((message) => message.content)).toEqual(expected);
  });

  test('a smaller limit, and all of it', async () => {
    const talk = Array.from({ length: 9 }, (_, index) => say('user', `${index}`));
    expect(await window(talk, { limit: 3 })).toHaveLength(3);
    expect(await window(talk, { limit: Number.POSITIVE_INFINITY })).toHaveLength(9);
  });

  test('leaves out what is too old, counted from the newest message', async () => {
    const old = say('user', 'yesterday');
    clock += 24 * 3600 * 1000;
    const talk = [old, say('user', 'today'), { role: 'assistant', content: 'no time told' }];
    expect((await window(talk, { maxAgeMs: 4 * 3600 * 1000 })).map((message) => message.content)).toEqual([
      'today',
      'no time told',
    ]);
  });
});
