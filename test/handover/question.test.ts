import { expect, test } from 'vitest';
import { extractQuestion } from '../../src/handover/question.ts';
import { isOffering } from '../../src/handover/words.ts';

test.each([
  [
    'a question at the end',
    'I found it.\n\nWant me to fix the parser?',
    'I found it. Want me to fix the parser?',
  ],
  ['with the sentence before it', 'Red. It is the parser. Fix it?', 'Red. It is the parser. Fix it?'],
  ['in another language', '終わりました。\n\n次に進みますか？', '終わりました。 次に進みますか？'],
  [
    'above its options',
    'Which one?\n\n1. Delete the old files\n2. Keep them',
    'Which one? 1. Delete the old files 2. Keep them',
  ],
  [
    'choices that end with a question mark each',
    'Done.\n\n**Would you like to:**\n- Run it again?\n- Move on?',
    'Done. Would you like to: - Run it again? - Move on?',
  ],
])('%s', (_, said, question) => {
  expect(extractQuestion(said)).toBe(question);
});

test.each([
  'All done. Anything else?',
  'Gata. Mai ai nevoie de ceva?',
  'Klaar. Wil je nog dat ik iets anders doe?',
  'Pushed.\n\nIs there anything else I can help you with?',
  'Fertig. Sonst noch etwas?',
  "Done! Want me to do anything else? What's next?",
  "C'est fait. Souhaitez-vous que je fasse autre chose ?",
  'Listo. ¿Quieres que haga algo más?',
  'Gotowe. Czy mogę jeszcze w czymś pomóc?',
  'Klart. Är det något annat du vill?',
  'Bitti. Başka bir şey var mı?',
  '完成。还有什么需要帮忙的吗？',
  '他にやることはありますか？',
  'Klaar. Kan ik nog ergens mee helpen?',
  'Done. How does that look?',
  'Done. What next?',
  'Merged. What now?',
  'Pushed. Ready for the next task?',
  'I would cache it. Sounds good?',
  'Done. Anything to add?',
  'The login page is fixed. What should we tackle next?',
  'Done. Where should we go from here?',
  'Done. Which part should we look at next?',
  'Done. What else should we work on?',
  'Done. So, which area do you want to focus on next?',
  'Fertig. Woran sollen wir als Nächstes arbeiten?',
  'Fini. Sur quoi dois-je travailler ensuite ?',
  'Listo. ¿En qué trabajo a continuación?',
  'Fertig. Was kommt als Nächstes?',
  'Fertig. Wie geht es weiter?',
  'Fini. Et maintenant ?',
  'Listo. ¿Qué más?',
  '終わりました。次は何をしますか？',
  '완료했습니다. 다음 단계는 무엇인가요?',
])('a courtesy is no question: %s', (said) => {
  expect(extractQuestion(said)).toBeUndefined();
});

test.each([
  'Done. Anything else? Or shall I push?',
  'I can help here. Shall I?',
  'Which database should I use, Postgres or SQLite?',
  'Should I delete the old cart folder, or keep it?',
  'Which file should I change next, a.ts or b.ts?',
  'Which one should I do next, the cart or the login?',
  'Which branch should we merge next?',
  'What else is broken?',
  'Where should we start?',
  'Is there anything else in `legacy/` that must stay?',
  '完成。要推送吗？',
])('a question beside it, or one that names a thing, is one: %s', (said) => {
  expect(extractQuestion(said)).toBe(said);
});

test('of a long answer the last paragraphs that fit, and of a long paragraph its end', () => {
  const list = Array.from({ length: 8 }, (_, at) => `${at + 1}. Part ${at + 1} of it`).join('\n');
  const story = 'It was a long way to get here. '.repeat(60);
  expect(extractQuestion(`${story}\n\n${list}\n\nWhich ones?`)).toBe(
    `${list.replaceAll('\n', ' ')} Which ones?`,
  );
  const asked = extractQuestion(`${story}Shall I?`) ?? '';
  expect(asked).toMatch(/^….*Shall I\?$/);
  expect(asked.length).toBeLessThanOrEqual(701);
});

test.each([
  'The steps:\n1. Build it\n2. Is it red? Stop\n\nThat is all.',
  'Is it red? Yes.\n\nThat is all.',
  '```\nwhy?\n```',
  '',
])('"%s" asks for nothing', (said) => {
  expect(extractQuestion(said)).toBeUndefined();
});

test.each([
  ['Which database should I use, Postgres or SQLite?', false],
  ['Should I delete the old cart folder, or keep it?', false],
  ['Should I go ahead with the cart?', true],
  ['Shall I update the README?', true],
])('waits for an answer, or only offers: %s', (asked, offers) => {
  expect(isOffering(asked)).toBe(offers);
});

test.each([
  ...[
    'How does that sound?',
    'All good?',
    'Does that make sense?',
    'Is that okay with you?',
    'What do you think?',
  ],
  ...['Want to keep going?', 'Alles klar?', 'Was meinst du dazu?', 'Cela te convient ?', '¿Qué opinas?'],
  ...[
    'Wat vind je ervan?',
    'Как вам такой вариант?',
    '这样可以吗？',
    'これで大丈夫ですか？',
    '어떻게 생각하세요?',
  ],
])('a question whether the answer will do is no open one, but "yes" answers it: %s', (asked) => {
  const question = extractQuestion(`The totals are rounded. ${asked}`);
  expect(question).toContain(asked);
  expect(isOffering(question ?? '')).toBe(true);
});

test.each([
  ...[
    'What do you think of Redis for the cache?',
    'Is Postgres okay?',
    'Does that make sense, or should I round up?',
  ],
  ...[
    'Ist Postgres in Ordnung?',
    '下一步要删除旧表吗？',
    '用 Postgres 可以吗？',
    '次は users を削除しますか？',
  ],
  'Which one, A or B? Does that make sense?',
])('one that names a thing or a choice is open: %s', (asked) => {
  const question = extractQuestion(`The totals are rounded. ${asked}`);
  expect(question).toContain(asked);
  expect(isOffering(question ?? '')).toBe(false);
});
