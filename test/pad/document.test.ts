import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePad, readRegion } from '../../src/pad/document.ts';
import { heal, setRegion } from '../../src/pad/edit.ts';
import { SPACE_NAMES } from '../../src/pad/markers.ts';
import { createPadText } from '../../src/session/compose.ts';
import { runs } from '../helpers/runs.ts';
import { anyText } from './arbitrary.ts';

const RUNS = runs(40);

const pad = (...lines: string[]): string => `${lines.join('\n')}\n`;
const kinds = (text: string): string[] => parsePad(text).problems.map(({ kind }) => kind);

describe('parsePad', () => {
  test('keeps its source, with regions inside it that do not overlap', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const document = parsePad(text);
        expect(document.text).toBe(text);
        const regions = [...document.regions.values()].sort(
          (a, b) => a.outerStart - b.outerStart || a.outerEnd - b.outerEnd,
        );
        let end = 0;
        for (const { outerStart, innerStart, innerEnd, outerEnd } of regions) {
          expect(outerStart).toBeGreaterThanOrEqual(end);
          expect(innerStart).toBeGreaterThanOrEqual(outerStart);
          expect(innerEnd).toBeGreaterThanOrEqual(innerStart);
          expect(outerEnd).toBeGreaterThanOrEqual(innerEnd);
          end = outerEnd;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: RUNS },
    );
  });

  test('finds the spaces of a new pad, empty and undamaged', () => {
    const document = parsePad(createPadText('main'));
    expect([...document.regions.keys()]).toEqual(['plan', 'notes', 'refs']);
    expect(document.problems).toEqual([]);
    expect(SPACE_NAMES.map((name) => readRegion(document, name))).toEqual(['', '', '']);
  });

  test('uses headings when the markers are gone, up to the next heading', () => {
    const document = parsePad(
      pad('## Notes', '', 'one', '', 'two', '', '## Mine', 'x', '', '## Plan', '1. a'),
    );
    expect(readRegion(document, 'notes')).toBe('one\n\ntwo');
    expect(readRegion(document, 'plan')).toBe('1. a');
    expect(document.regions.has('refs')).toBe(false);
    expect(document.problems).toEqual([]);
  });

  test('guesses nothing when the headings are gone, too', () => {
    expect(parsePad('one\n\ntwo\n### Remarks\nthree\n').regions.size).toBe(0);
  });

  test('a duplicated marker, an opening one without its end, and a closing one without a start', () => {
    const open = '<!-- scratchpad:notes -->';
    const close = '<!-- /scratchpad:notes -->';
    const doubled = pad(open, 'a', close, open, 'b', close);
    expect(kinds(doubled)).toEqual(['marker-duplicated', 'marker-stray']);
    expect(parsePad(doubled).problems.map(({ message }) => message)).toEqual([
      'a second notes marker',
      'a second closing notes marker',
    ]);
    expect(kinds(pad(open, 'a', '# next'))).toEqual(['marker-unclosed']);
    expect(kinds(pad('a', close))).toEqual(['marker-stray']);
    expect(readRegion(parsePad(pad(open, 'a', close, open, 'b', close)), 'notes')).toBe('a');
    expect(readRegion(parsePad(pad(open, 'a', '', '## Mine', 'b')), 'notes')).toBe('a');
  });

  test('a fence hides no section, and a comment in code ends none', () => {
    const section = (name: string, body: string): string[] => [
      `<!-- scratchpad:${name} -->`,
      body,
      `<!-- /scratchpad:${name} -->`,
    ];
    const text = pad('```', ...section('plan', 'p'), ...section('notes', 'n\n```\nm'), '```js', 'x', '```');
    const document = parsePad(text);
    expect(document.problems).toEqual([]);
    expect([readRegion(document, 'plan'), readRegion(document, 'notes')]).toEqual(['p', 'n\n```\nm']);
    const code = ['```sh', '# install', 'npm ci', '```'];
    expect(readRegion(parsePad(pad('## Notes', ...code, '## Mine', 'x')), 'notes')).toBe(code.join('\n'));
  });

  test('a state block that has lost its end takes only generated lines with it', () => {
    const text = pad(
      '<!-- scratchpad:state -->',
      '## Time Context',
      '- now',
      '',
      'my own words',
      '- and a list',
    );
    expect(readRegion(parsePad(text), 'state')).toBe('## Time Context\n- now');
  });

  test('a block from before markers existed is recognised by its two comments', () => {
    const text = pad(
      '# SCRATCHPAD.md — Working Memory',
      '<!-- Updated: 2026-02-06T03:00:00Z -->',
      '<!-- TTL: 30 minutes — ignore if older -->',
      '',
      '## Emotional Context',
      '- **Primary:** frustrated (0.71)',
      '',
      'my own words',
    );
    const document = parsePad(text);
    expect(readRegion(document, 'state')).toMatch(/^<!-- Updated[\s\S]*frustrated \(0\.71\)$/);
    const next = setRegion(text, 'state', '## Time Context\n- now');
    expect(next).not.toContain('frustrated');
    expect(next).toContain('# SCRATCHPAD.md — Working Memory\n');
    expect(next).toContain('my own words\n');
  });

  test('thousands of stray markers and fences take hardly any time', () => {
    const text = '<!-- /scratchpad:notes -->\n```\n<!-- scratchpad:plan -->\n'.repeat(20_000);
    const healed = heal(text);
    expect(kinds(healed)).toEqual([]);
  });
});

describe('heal', () => {
  test('leaves no damage, and keeps every word', () => {
    const words = (text: string): string => text.replaceAll(/[\\]/g, '');
    fc.assert(
      fc.property(anyText, (text) => {
        const healed = heal(text);
        expect(parsePad(healed).problems).toEqual([]);
        const kept = new Set(words(healed).split(/[\r\n]+/));
        for (const line of words(text).split(/[\r\n]+/)) expect(kept).toContain(line);
      }),
      { numRuns: RUNS },
    );
  });

  test('changes nothing that is undamaged', () => {
    expect(heal(createPadText('main'))).toBe(createPadText('main'));
  });
});

test('a comment that somebody left open ends before our next marker', () => {
  const text =
    '## Plan\n<!-- left open\n\n## Notes\n<!-- scratchpad:notes -->\na note\n<!-- /scratchpad:notes -->\n';

  expect(readRegion(parsePad(text), 'plan')).toBe('<!-- left open');
});
