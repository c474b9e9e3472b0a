import fc from 'fast-check';
import { closeMarker, openMarker, type RegionName } from '../../src/pad/markers.ts';

const REGIONS: readonly RegionName[] = ['plan', 'notes', 'refs', 'state'];

/** Lines that could be taken for structure. */
const structure = fc.constantFrom(
  ...REGIONS.flatMap((name) => [
    openMarker(name),
    closeMarker(name),
    `  ${openMarker(name)}\t`,
    closeMarker(name).replace('/', '\\/'),
    `<!-- scratchpad:${name} v2 -->`,
    `<!--scratchpad:${name}-->`,
    `text ${openMarker(name)}`,
  ]),
  '## Plan',
  '## Notes',
  '## Refs',
  '## Notes ##',
  '# Title',
  '## Time Context',
  '### Deeper',
  '---',
  '--- ',
  '---js',
  'revision: 3',
  'scratchpad: 1',
  'key: [unclosed',
  'list:',
  '  - item # remark',
  '```',
  '```js',
  '~~~~',
  '    ```',
  '<!-- Updated: 2026-02-06T03:00:00+11:00 -->',
  '<!-- TTL: 30 minutes — ignore if older -->',
  '- bullet',
  '1. step',
  '',
  ' ',
);

const prose = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\n', ' '));

export const anyLine: fc.Arbitrary<string> = fc.oneof({ weight: 3, arbitrary: structure }, prose);

const eol = fc.oneof(
  { weight: 6, arbitrary: fc.constant('\n') },
  { weight: 2, arbitrary: fc.constant('\r\n') },
  fc.constantFrom('\r', '\u2028', ''),
);

/** Any text at all, leaning to what a pad is made of; with or without BOM, NUL and stray bytes. */
export const anyText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '', '\ufeff', '---\n'),
    fc.array(fc.tuple(anyLine, eol), { maxLength: 25 }),
    fc.constantFrom('', '', '\0', '\udcff', 'end'),
  )
  .map(([start, lines, end]) => start + lines.map(([line, lineEnd]) => line + lineEnd).join('') + end);

/** Content of a space: LF line ends, anything else. */
export const anyContent: fc.Arbitrary<string> = fc
  .array(anyLine, { maxLength: 8 })
  .map((lines) => lines.join('\n').replaceAll('\r', '?'));

/** Prose that a person may have between sections: no markers, headings or fences of ours, no front matter. */
export const freeText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '',
        'plain words',
        '### Deeper',
        '> quote',
        '* * *',
        '<b>html</b>',
        '| a | b |',
        '~~~x',
      ),
      fc.string({ maxLength: 20 }).map((text) => `t${text.replaceAll(/[\r\n]/g, ' ')}`),
    ),
    { maxLength: 4 },
  )
  .map((lines) => lines.map((line) => `${line}\n`).join(''));
