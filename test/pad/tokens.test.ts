import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { estimateTokens, truncateToTokens } from '../../src/pad/tokens.ts';
import { ALPHABETS } from '../helpers/alphabets.ts';
import { runs } from '../helpers/runs.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The same news in many tongues, as a person types them without their own keyboard. */
const PROSE = {
  English:
    'The meeting was moved to Thursday because the backup of the server failed in the night and nobody noticed',
  Finnish:
    'Kokous siirrettiin torstaille, koska palvelimen varmuuskopiointi epaonnistui yolla eika kukaan huomannut asiaa',
  Indonesian:
    'Rapat dipindahkan ke hari Kamis karena pencadangan server gagal semalam dan tidak ada yang menyadarinya',
  Turkish:
    'Toplanti persembeye ertelendi cunku sunucu yedeklemesi gece basarisiz oldu ve sabaha kadar kimse fark etmedi',
  Swahili:
    'Mkutano uliahirishwa hadi Alhamisi kwa sababu hifadhi ya seva ilishindikana usiku na hakuna aliyegundua',
  Polish:
    'Spotkanie przeniesiono na czwartek, bo kopia zapasowa serwera nie powiodla sie w nocy i nikt nie zauwazyl',
  Maori:
    'I nukuhia te hui ki te Taite na te mea i rahua te taapiri o te tumau i te po kaore tetahi i kite i mua',
  German:
    'Die Besprechung wurde auf Donnerstag verschoben, weil die Datensicherung des Servers fehlgeschlagen ist',
  Russian: 'Встреча перенесена на четверг, потому что ночью не удалось создать резервную копию сервера',
  Chinese: '会议改到星期四，因为服务器的备份在夜里失败了，而且没有人注意到',
  Japanese: 'サーバーのバックアップが夜中に失敗し、誰も気づかなかったため、会議は木曜日に変更されました',
  Arabic: 'تم نقل الاجتماع إلى يوم الخميس لأن النسخ الاحتياطي للخادم فشل في الليل ولم يلاحظ أحد',
  Thai: 'การประชุมถูกเลื่อนไปเป็นวันพฤหัสบดีเพราะการสำรองข้อมูลล้มเหลว',
  code: 'const x = await fetchUser(id, {retries: 3}); if (!x?.ok) throw new HttpError(503, "upstream")',
  paths: 'deploy/overlays/cpu/kustomization.yaml nvcr.io/nvidia/cuda:12.4.1-cudnn-runtime libcublas.so.12',
  hashes:
    '3fa9c1d2 e2a94c18-6d07-4f3b-8c25-0b9f7d41a6ce sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c',
  times: 'updated 2026-02-06T01:30:00+11:00, expires 2026-02-06T02:00:00+11:00, 340 ms, 87 %, 1,204 of 4,000',
};

const DESIGN = `# Workspace Snapshot Extension — Design Document

The snapshot holds what an agent has worked out so far, so that a compaction does not lose it.

## Storage layer
| System | Interaction |
| --- | --- |
| **snapshot_search / snapshot_get** | No overlap. Search tools handle cross-workspace recall. |
| **before_workspace_create hook** | Extension registers its system prompt section. |
| **Steering text** | Snapshot prepends after steering text. Order: steering, snapshot, message. |

### Task 2: Implement snapshot core logic
- \`extensions/snapshot/snapshot.ts\` # Core logic: read/write/append, budget enforcement
- \`setSnapshotContent(workspaceId, content, mode)\` setter with token budget
- Integration tests: tool call → storage → injection on next turn
- Token budget enforcement tests
`;

describe('the estimate beside the count of o200k_base', () => {
  test.each(Object.entries(PROSE))('one line, never under it: %s', (_, text) => {
    const exact = encode(text).length;
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(exact);
    expect(estimateTokens(text)).toBeLessThanOrEqual(exact * 1.5);
  });

  const pack = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
  /** Without addresses, which are noise to a tokenizer and the same in every language. */
  const readme = (language: string): string =>
    pack(`node_modules/@biomejs/biome/README${language}.md`).replace(/https?:\S+|<[^>]*>/g, '');
  test.each([
    ...['', '.es', '.fr', '.ja', '.pl', '.pt-BR', '.ru', '.uk', '.zh-CN', '.zh-TW'].map((language) => [
      `prose and lists${language || '.en'}`,
      readme(language),
    ]),
    ['prose and tables', pack('docs/state.md')],
    ['prose of the changes', pack('CHANGELOG.md')],
    ['code', pack('src/session/file-store.ts')],
    ['code of a script', pack('scripts/build.ts')],
    ['data', pack('package.json')],
    ['headings, names and a table, few function words', DESIGN],
    // Short lines under headings, few of them with a function word.
    ['a list of commands', pack('docs/commands.md')],
    ['lists and headings', pack('docs/hosts.md').replace(/\b(?:the|of|to|and|is|in|it|a|an)\b ?/g, '')],
  ])('whole texts, never under it and at most 25 %% over: %s', (_, text) => {
    const share = estimateTokens(text ?? '') / encode(text ?? '').length;
    expect(share).toBeGreaterThanOrEqual(1);
    expect(share).toBeLessThanOrEqual(1.25);
  });

  const noise = fc
    .array(fc.constantFrom(...ALPHABETS), { minLength: 1, maxLength: 3 })
    .chain((sets) => fc.array(fc.constantFrom(...sets.flat()), { maxLength: 500 }))
    .map((letters) => letters.join(''));
  test('whatever a text contains, never under it', () => {
    fc.assert(
      fc.property(fc.noBias(noise), (text) => {
        expect(estimateTokens(text)).toBeGreaterThanOrEqual(encode(text).length);
      }),
      { numRuns: runs(200) },
    );
  });

  test('a text without a single blank is measured in time', () => {
    expect(estimateTokens('x'.repeat(1_000_000))).toBeLessThan(300_000);
  });
});

describe('a cut', () => {
  test.each(['the plan of the deployment. '.repeat(900), '会议改到星期四'.repeat(900), 'x'.repeat(5000)])(
    'fills the limit, by real tokens not over it: %#',
    (text) => {
      const fitting = truncateToTokens(text, 500);
      expect(text.startsWith(fitting)).toBe(true);
      expect(estimateTokens(fitting)).toBeLessThanOrEqual(500);
      expect(estimateTokens(fitting)).toBeGreaterThan(495);
      expect(encode(fitting).length).toBeLessThanOrEqual(500);
    },
  );

  test('divides no character', () => {
    const family = '👩‍👩‍👧‍👦';
    expect(truncateToTokens(family.repeat(50), 200).replaceAll(family, '')).toBe('');
  });
});

test('an empty text costs nothing, and the costs of lines add up', () => {
  expect(estimateTokens('')).toBe(0);
  expect(estimateTokens('one line\nand another')).toBeLessThanOrEqual(6);
});
