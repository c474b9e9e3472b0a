import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { assemble } from '../src/assemble.ts';
import { buildConfig } from '../src/config/settings.ts';
import { openClock } from '../src/stages/clock.ts';
import { testDir } from './helpers/test-dir.ts';

/** Writing systems and notations that tokenizers cut into very different pieces. */
const ALPHABETS = [
  [...'abcdefghijklmnopqrstuvwxyz '],
  [...'zqxjkvwZQXJKVW'],
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='],
  [...'0123456789-:. '],
  [...'{}[]()<>"\'`~!@#$%^&*_+-=|\\;:,./?'],
  [...'的一是不了人我在有他这为之大来以个中上们'],
  [...'アイウエオカキクケコサシスセソ'],
  [...'абвгдежзийклмнопрстуфхцчшщъыьэюя '],
  [...'ابتثجحخدذرزسشصضطظعغفقكلمنهوي '],
  [...'አቡጊዳሄውዞዥሕጥይክልምን '],
  [...'ᚠᚢᚦᚨᚱᚲᚷᚹᚺᚾᛁᛃ'],
  [...'😀🎉👩‍💻🏳️‍🌈🧵🪐𝔘𝔫𝔦𝕔𝕠𝕕𝕖'],
  [...'àéîõüçñßøåæœžščř '],
  [...'กขฃคฅฆงจฉชซฌญฎฏ '],
];

const foreign = fc
  .array(fc.constantFrom(...ALPHABETS), { minLength: 1, maxLength: 3 })
  .chain((sets) => fc.array(fc.constantFrom(...sets.flat()), { minLength: 40, maxLength: 400 }))
  .map((letters) => letters.join(''));

test('no words of a person, a note or a plan bring the block over its budget in real tokens', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(foreign, { minLength: 4, maxLength: 4 }),
      async ([said = '', again = '', noted = '', plan = '']) => {
        const workspace = testDir({
          'MEMORY.md': [said, again, noted].map((text) => `- ${text.slice(0, 150)} ${noted}`).join('\n'),
          'memory/2026-02-06.md': `- [ ] ${noted} (due 2026-02-06)\n- ${noted}\n`,
        });
        const { block, tokens } = await assemble({
          workspace,
          now: Date.parse('2026-02-06T12:00:00Z'),
          clock: openClock({ kind: 'offset', minutes: 0 }),
          messages: [said, again].map((content, k) => ({
            id: String(k),
            role: 'user',
            content: `please fix the deployment, ${content}`,
            sender: noted,
            timestamp: '2026-02-06T11:50:00Z',
            session: 's',
          })),
          facts: undefined,
          spaces: { plan: `1. ${plan}`, notes: 'n'.repeat(4000), refs: '' },
          config: buildConfig(new Map()),
          previous: new Map(),
          previousUpdated: undefined,
        });
        expect(tokens).toBeLessThanOrEqual(500);
        expect(encode(block).length).toBeLessThanOrEqual(500);
        expect(block).toContain('## Time Context');
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );
});
