import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import LANGUAGES from '../../models/words/going-on.json' with { type: 'json' };
import { chooseMessages, fitSentences, renderMessage } from '../../src/handover/choose-messages.ts';
import { findNamedSession, findReasonToGoOn, type Work } from '../../src/handover/going-on.ts';
import type { WorkState } from '../../src/handover/state.ts';
import { isAnnouncement, isAskingToContinue, isOnlyContinuing } from '../../src/handover/words.ts';
import { estimateLineTokens, estimateTokens } from '../../src/pad/tokens.ts';
import { type StoredSession, updateRecord } from '../../src/transcript/store.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

const CLEAN: WorkState = { session: 's', at: 0, open: [], commits: [], edited: [], tasks: [] };
const TALK =
  'round the totals of the cart to cents. then look at the rendering of the invoice, for ent-216, and at src/totals.ts';
const TEXT = `${TALK} {"command":"mise run lint"}`;
const work = (state: WorkState): Work => ({
  state,
  spokenText: TALK,
  personText: ` ${TALK} `,
  allText: TEXT,
});

test.each([
  ['continue', 'the prompt says to go on, or asks what was said'],
  ['mach bitte mit dem Warenkorb weiter', 'the prompt says to go on, or asks what was said'],
  ['let us continue with the cart', 'the prompt says to go on, or asks what was said'],
  ['continue with ENT-216', 'the prompt says to go on, or asks what was said'],
  ['look at the invoice again', 'the prompt names only what that work has named'],
  ['continue with ENT-217', undefined],
  ['continue with #216 and #218', undefined],
  ['please go on, and write the file as UTF-8', 'the prompt says to go on, or asks what was said'],
  ['continue, with SHA-256 and dates as ISO-8601', 'the prompt says to go on, or asks what was said'],
  ['fix the tests', undefined],
  ['mise run lint fails', undefined],
  ['can you review the changes in this branch again', undefined],
  ['yes', undefined],
  ['please finish the essay about bread', undefined],
  ['fix the opening hours in the README', undefined],
  ['Unrelated: continue with my novel', undefined],
  ['can you review pr 227 for me please?', undefined],
  ['/review https://example.org/pull/6', undefined],
  ['add a page that lists all customers with their orders of the last year', undefined],
  ['Implement the following plan:\n\n# Totals', undefined],
] as const)('after a clean end “%s”: %s', (prompt, reason) => {
  expect(findReasonToGoOn(prompt, work(CLEAN))?.name).toBe(reason);
});

const OPEN: WorkState = {
  ...CLEAN,
  open: ['question', 'edits'],
  question: 'Shall I commit it?',
  lastWords: 'The rounding is mended. Shall I commit it?',
  edited: ['src/totals.ts'],
  uncommitted: ['src/totals.ts'],
  tasks: [{ text: 'Render the invoice', status: 'open' }],
};

test.each([
  ['do step 2', true],
  ['do the next step of the plan', true],
  ['mach den nächsten Schritt', true],
  ['now the invoice', true],
  ['fix the tests', false],
  ['continue with task 17', false],
  ['can you review the changes in this branch', false],
  ['mise run lint fails', false],
  ['yes please', true],
  ['commit this', false],
  ['the limit hit us. go ahead', true],
  ['what did I ask for yesterday?', true],
  ['yes - commit it, push it, and then write a page about the new warehouse in Antwerp', true],
  ['round totals.ts to cents', true],
  ['now the landing page', false],
  ['what does this project do?', false],
  [`look at totals.ts, ${'where the customers of the second warehouse pay twice, '.repeat(4)}`, false],
  ['Something else: write a small haiku generator in haiku.py that prints three lines, without tests', false],
  ['Quick one: convert prices.csv to JSON and commit it', false],
  ['write a haiku and run the tests', false],
] as const)('with work open “%s” goes on: %s', (prompt, goesOn) => {
  expect(findReasonToGoOn(prompt, work(OPEN)) !== undefined).toBe(goesOn);
});

test.each([
  ['please prune the branches', ['bin/run'], false],
  ['add a test for the app', ['src/app'], false],
  ['now bin/run, on the second server', ['bin/run'], true],
  ['`run` hangs on the second server', ['bin/run'], true],
  ['bin/run-all hangs on the second server', ['bin/run'], false],
  ['the Makefile lacks a rule', ['Makefile'], true],
  ['ta.ts lacks the dates', ['src/ta.ts'], true],
  ['die ta.ts-Datei braucht Kommentare', ['src/ta.ts'], true],
  ['把src/ta.ts改好', ['src/ta.ts'], true],
  ['data.ts lacks the dates', ['src/ta.ts'], false],
  ['.env.example lacks the dates', ['.env'], false],
] as const)('after edits, “%s” names a file of %j: %s', (prompt, edited, goesOn) => {
  const state: WorkState = { ...CLEAN, open: ['edits'], edited: [...edited], uncommitted: [...edited] };
  const all = `${JSON.stringify({ command: `cat x.txt\n${edited[0]}` })} ${prompt.includes('data') ? 'data.ts' : ''}`;
  const found = findReasonToGoOn(prompt, { ...work(state), allText: all.toLowerCase() });
  expect(found?.name === 'the prompt names a file or pull request of that work').toBe(goesOn);
});

test('a file counts as unknown although a longer name ends like it', () => {
  const read = (allText: string) =>
    findReasonToGoOn('continue with ta.ts', { ...work(CLEAN), allText })?.name;
  expect([read('src/data.ts'), read('src/ta.tsx'), read('src/ta.ts')]).toEqual([
    undefined,
    undefined,
    'the prompt says to go on, or asks what was said',
  ]);
});

test.each([
  ['only on the sum', true],
  ['per line too, please', true],
  ['sum up the week', false],
])('after “Should vat() round per line too, or only on the sum?”, “%s” goes on: %s', (prompt, goesOn) => {
  const question = 'Should vat() round per line too, or only on the sum?';
  const state: WorkState = { ...CLEAN, open: ['question'], question, lastWords: question };
  expect(findReasonToGoOn(prompt, work(state)) !== undefined).toBe(goesOn);
});

test('each language has words to go on by, and they are found alone', () => {
  const phrases = Object.entries(LANGUAGES).map(([language, kinds]) => {
    const { first = '', anywhere = '', inside = '' } = kinds as Record<string, string>;
    return { language, all: [first, anywhere, inside].join(', ').split(/,\s*/).filter(Boolean) };
  });
  expect(phrases.length).toBeGreaterThanOrEqual(27);
  for (const { language, all } of phrases) {
    expect(all.length, language).toBeGreaterThan(2);
    for (const phrase of all) expect(isAskingToContinue(phrase), `${language}: ${phrase}`).toBe(true);
  }
});

test.each([
  ['do not continue', false],
  ['nicht weitermachen', false],
  ['我们先不要继续', false],
  ['add a resume page', false],
  ['weiter hinten im Code steht ein Fehler', false],
  ['lo haremos más adelante', false],
  ['vas-y doucement avec la facture', false],
  ['nicht weiter, bitte', false],
  ['次へ進むボタンを追加', false],
  ['weiter, bitte', true],
  ['Продолжи, пожалуйста', true],
  ['продолжи с корзиной', true],
  ['не продолжи', false],
  ['продолжительность сеанса мала', false],
  ['prossegui', true],
  ['não prossegui', false],
  ['قم بالمتابعة', true],
  ['لا تقم بالمتابعة', false],
  ['صفحة المتابعة لا تعمل', false],
  ['weiter bitte', true],
  ['dalej, proszę', true],
  ['ok, vas-y', true],
  ['sí, adelante', true],
  ['segue', true],
  ['verder graag', true],
  ['bliv ved', true],
  ['चलते रहो', true],
  ['次へ進んで', true],
  ['continuă', true],
  ['mergi mai departe', true],
  ['verder gaan graag', true],
  ['សូមបន្តធ្វើ', true],
  ['Lütfen kaldığın yerden devam et', true],
  ['続きをお願いします', true],
])('“%s” asks to go on, and for nothing else: %s', (prompt, does) => {
  expect(isAskingToContinue(prompt)).toBe(does);
  expect(isOnlyContinuing(prompt)).toBe(does);
});

test('what is asked for beside going on counts', () => {
  expect(isOnlyContinuing('go on please, and keep the old tests')).toBe(false);
  expect(isOnlyContinuing('继续, 绝对不要动优惠券的代码')).toBe(false);
});

test.each([
  ['Let me look at the file.', true],
  ["Now I'll run the tests:", true],
  ['让我看看', true],
  [
    'Let me check if there is a way to set it in the config of the repository, or if we need a package.',
    true,
  ],
  [
    'Let me say why it fails: the token expires in local time, and the server compares it with the time in UTC.',
    false,
  ],
  ['The bug is in release().', false],
  ['Most tests fail because the clock is wrong.', false],
])('“%s” only announces: %s', (sentence, does) => {
  expect(isAnnouncement(sentence)).toBe(does);
});

test('a bare answer and an answered question are not told; rules that differ in a word are', () => {
  const texts = [
    'look at ticket MCP-108, we will work on that here',
    'look at ticket ENT-108, we will work on that here',
    'why is it so slow?',
    'why is it so slow, and can you fix it?',
    'Rule: amounts stay in cents in every table',
    'Rule: amounts stay in cents in every page',
    'One commit per fix, please',
    'now commit this, please',
    'done?',
  ];
  const at = (minute: number): string => new Date(Date.UTC(2026, 1, 6, 1, minute)).toISOString();
  const all = texts.map((text, k) => ({
    ...{ id: String(k), session: 's', text, agrees: false, lasting: text },
    at: k < 2 ? `2026-02-06T00:00:${10 * k || '00'}Z` : at(5 * k),
  }));
  expect(chooseMessages(all, 500).messages.map(({ text }) => text)).toEqual([
    ...texts.slice(0, 2),
    ...texts.slice(3, 7),
    'done?',
  ]);
});

test('a message of usual length is told whole in any script, a longer one without sentences of its middle', () => {
  const told = (text: string): string | undefined =>
    chooseMessages([{ id: 'a', session: 's', text, agrees: false, lasting: text }], 500).messages[0]?.text;
  const sentence = '绝对不要动优惠券的代码，那部分是小王负责的，他下周一才回来。';
  const usual = sentence.repeat(22);
  expect([usual.length, told(usual)]).toEqual([660, usual]);
  expect(told(sentence.repeat(60))).toContain('\n[…]\n');
});

test('a message beside the question that it answers stays within the room', () => {
  const all = [1, 2, 3, 4, 5].map((id) => {
    const text = `Answer ${id}: ${'keep the cents in every report '.repeat(22)}`;
    const to = 'x7? '.repeat(40);
    return { id: String(id), session: 's', text, to, agrees: false, lasting: text };
  });
  for (const budget of [60, 100, 400, 500]) {
    const lines = chooseMessages(all, budget).messages.map(renderMessage);
    const tokens = lines.reduce((sum, line) => sum + estimateLineTokens(line), 0);
    expect(tokens).toBeLessThanOrEqual(budget);
  }

  const long = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
  for (const tokens of [-5, 0, 1, 3, 10])
    expect(estimateTokens(fitSentences([long], tokens).join(' '))).toBeLessThanOrEqual(Math.max(0, tokens));
});

test.each([
  ['continue with the coupon field', 'form'],
  ['continue with the coupon, the coupon field', 'form'],
  ['continue with the totals, and round the totals', 'cart'],
  ['continue with the invoice', 'cart'],
])('“%s” goes on with the work on the %s', async (prompt, session) => {
  const root = testDir({ '.scratchpad/': '' });
  const read = async (name: string, words: string): Promise<StoredSession> => {
    const path = join(root, `${name}.jsonl`);
    writeFileSync(path, new ClaudeSession({ cwd: root, session: name }).person(words).text);
    const record = await updateRecord({ root, session: name, path }, () => undefined);
    return record ?? expect.fail('no session');
  };
  const form = await read('form', 'Rename the coupon field of the form.');
  const cart = await read('cart', 'Round the totals of the cart.');

  expect(findNamedSession(prompt, cart, [cart, form], [cart.branch]).session?.session).toBe(session);
});
