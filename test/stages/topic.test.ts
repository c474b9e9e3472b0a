import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clausesOf } from '../../src/stages/clauses.ts';
import { topicOf } from '../../src/stages/topic.ts';
import type { Message } from '../../src/transcript/message.ts';

function said(...lines: string[]): Message[] {
  return lines.map((line, k) => {
    const [, role = '', content = ''] = /^(user|assistant|tool): ([\s\S]*)$/.exec(line) ?? [];
    return { id: String(k), role: role as Message['role'], content, session: 's' };
  });
}

describe('clauses', () => {
  test.each([
    [
      "right, back at the loft. let's get chorus 0.9.3 onto the gpu nodes.",
      'request',
      'get chorus 0.9.3 onto the gpu nodes',
    ],
    [
      'Could you please move the retry logic into its own module?',
      'request',
      'move the retry logic into its own module',
    ],
    ['ok so the export button needs a confirmation', 'request', 'the export button needs a confirmation'],
    ['hmm, the sidebar does not load on mobile!', 'trouble', 'the sidebar does not load on mobile'],
    ['No rows are loading into the table now', 'trouble', 'No rows are loading into the table now'],
    ['haha ok that is a menace 😂 lets give him a tiny hat', 'request', 'give him a tiny hat'],
    ['wait, why is the cache cold?', 'question', 'why is the cache cold?'],
    ['I moved theme.ts to src/ui/theme.ts.', 'statement', 'I moved theme.ts to src/ui/theme.ts'],
  ])('%s', (content, kind, text) => {
    expect(clausesOf(content)).toContainEqual({ kind, text });
  });

  test('a mere go-ahead says nothing', () => {
    for (const nothing of ['lol yes!!', 'ok', 'haha, great. thanks!']) expect(clausesOf(nothing)).toEqual([]);
  });

  test('what was pasted is nobody’s words', () => {
    const pasted = [
      "'/var/folders/49/x/T/Screenshot 2025-11-21 at 01.27.21.png'",
      '➜  app git:(main) ✗ npx tsx src/cli.ts',
      'TypeError: cannot read x',
      '    at hexToRgb (/Users/me/app/theme.ts:148:9)',
      '2026-02-05T13:21:51Z ERROR no such library',
      '+ 8 - **Colours**: are respected',
      '```ts',
      'const answer = 42;',
      '```',
      'any idea why the colors differ?',
    ].join('\n');
    expect(clausesOf(pasted)).toEqual([{ kind: 'question', text: 'any idea why the colors differ?' }]);
  });

  test('a sentence that the terminal broke over lines is one', () => {
    expect(clausesOf('Updating a team is VERY\n  slow. Fix it')[0]?.text).toBe(
      'Updating a team is VERY slow',
    );
  });

  test('any text, in bounded time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3000 }), (text) => {
        for (const clause of clausesOf(text)) expect(clause.text.trim()).toBe(clause.text);
      }),
    );
    for (const unit of ['ok ', 'please ', '" ) ] ', '/a/b', 'not ', '0.9.', '` ', '\n- ', '。']) {
      expect(clausesOf(unit.repeat(100_000)).length).toBeLessThan(4001);
    }
  });
});

describe('topic', () => {
  test('a go-ahead leaves what was asked for before it in force', () => {
    const topic = topicOf(
      said(
        'user: refactor the TeamSheet so that updating a team is faster',
        'assistant: The TeamSheet loads every team. I would load one team.',
        'user: why do we need the stats of a team there?',
        'assistant: We do not.',
        'user: ok continue',
      ),
      undefined,
    );
    expect(topic.work?.text).toBe('refactor the TeamSheet so that updating a team is faster');
    expect(topic.last?.text).toBe('why do we need the stats of a team there?');
  });

  test('what opened the session counts while it is spoken of, and no longer', () => {
    const opening = "right. let's get chorus 0.9.3 onto the gpu nodes";
    const still = said(
      'tool: {"command":"docker build -t chorus:0.9.3-gpu ."}',
      'assistant: The chorus pods on the gpu nodes crash.',
      'user: are you sure that they run the new image',
      'user: push it again',
    );
    expect(topicOf(still, opening).work?.text).toBe('get chorus 0.9.3 onto the gpu nodes');
    const elsewhere = said(
      'user: write the storage report for Priya',
      'assistant: The storage report is a page of terabytes.',
      'user: the storage report needs a table by site',
      'user: good. and a title',
    );
    expect(topicOf(elsewhere, opening).work?.text).not.toContain('chorus');
  });

  test('a secret is gone before anything is cut', () => {
    const token = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    const topic = topicOf(said(`user: deploy the service with ${token} please`), undefined);
    expect(JSON.stringify(topic)).not.toContain(token.slice(0, 12));
  });
});
