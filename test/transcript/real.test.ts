import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { readTranscriptFile } from '../../src/transcript/read.ts';
import { testDir } from '../helpers/test-dir.ts';

/**
 * Real sessions, from the folder that SCRATCHPAD_DATA names. The counts are not ours: they come from `jq -s`
 * over the unpacked file with the filter beside each one.
 */
const data = process.env.SCRATCHPAD_DATA;
let folder: string;

// Not when the file is loaded: where all tests are skipped, nothing is cleaned up either.
beforeAll(() => {
  folder = testDir();
});

const sessions = [
  {
    file: 'claude-code-2.0.27.jsonl',
    format: 'claude-code',
    // [.[]|select(.type=="user" and .isMeta!=true and .isSidechain!=true and (.message.content|type)=="string"
    //   and (.message.content|test("^<(command-name|local-command-stdout)>")|not))]|length
    user: 3,
    // [.[]|select(.type=="assistant")|select([.message.content[].type]|index("text"))|.message.id]|unique|length
    assistant: 22,
    // [.[]|.message.content?|select(type=="array")|.[]|select(.type=="tool_use" or .type=="tool_result")]|length
    tool: 54,
  },
  {
    file: 'codex-0.40.jsonl',
    format: 'codex',
    // [.[]|select(.type=="event_msg" and .payload.type=="user_message")]|length
    user: 13,
    // [.[]|select(.type=="event_msg" and .payload.type=="agent_message")]|length
    assistant: 9,
    // [.[]|select(.payload.type=="function_call" or .payload.type=="function_call_output")]|length
    tool: 246,
  },
  {
    file: 'pi-v1.jsonl',
    format: 'pi',
    // [.[]|select(.message.role=="user" and (.message.content[0].text|test("^/\\w*$")|not))]|length
    user: 83,
    // [.[]|select(.message.role=="assistant" and ([.message.content[].type]|index("text")))]|length
    assistant: 244,
    // ([.[]|select(.message.role=="assistant")|.message.content[]|select(.type=="toolCall")]|length)
    //   +([.[]|select(.message.role=="toolResult")]|length)
    tool: 764,
  },
];

async function unpacked(file: string): Promise<string> {
  const path = join(folder, file);
  const packed = join(data ?? '', 'transcripts', `${file}.gz`);
  await pipeline(createReadStream(packed), createGunzip(), createWriteStream(path));
  return path;
}

describe.skipIf(data === undefined)('real sessions', () => {
  test.each(sessions)('$file: nothing is lost', async ({ file, format, user, assistant, tool }) => {
    const path = await unpacked(file);
    const whole = await readTranscriptFile(path, { limit: Number.POSITIVE_INFINITY });
    const count = (role: string): number => whole.messages.filter((message) => message.role === role).length;
    expect(whole.format).toBe(format);
    expect({ user: count('user'), assistant: count('assistant'), tool: count('tool') }).toEqual({
      user,
      assistant,
      tool,
    });
    expect(new Set(whole.messages.map((message) => message.id)).size).toBe(whole.messages.length);
    const times = whole.messages.map((message) => message.timestamp ?? '');
    expect(times.every((time) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time))).toBe(true);
    expect(whole.messages.filter((message) => message.role === 'tool' && message.tool === undefined)).toEqual(
      [],
    );
    expect(
      whole.messages.filter(
        (message) =>
          /<(environment_context|command-name|system-reminder)/.test(message.content) &&
          message.role === 'user',
      ),
    ).toEqual([]);
    expect(whole.facts.cwd).toMatch(/^\//);
    expect(whole.facts.tokensUsed).toBeGreaterThan(0);
  });

  test.each(sessions)('$file: a window is the end of the whole', async ({ file, user }) => {
    const path = await unpacked(file);
    const whole = (await readTranscriptFile(path, { limit: Number.POSITIVE_INFINITY })).messages;
    const window = (await readTranscriptFile(path)).messages;
    const words = (role: string, of: typeof whole): string[] =>
      of.filter((message) => message.role === role).map((message) => message.content);
    const humans = words('user', window);
    expect(humans.length).toBeGreaterThanOrEqual(Math.min(user, 10));
    expect(humans).toEqual(words('user', whole).slice(-humans.length));
    expect(words('assistant', window).at(-1)).toBe(words('assistant', whole).at(-1));
    expect(window.filter((message) => message.role !== 'tool')).toHaveLength(20);
  });
});
