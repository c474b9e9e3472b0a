import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePad, readRegion } from '../../src/pad/document.ts';
import { commentOutFrontMatter, heal, setFrontMatter, setRegion } from '../../src/pad/edit.ts';
import { readFields } from '../../src/pad/front-matter.ts';
import { closeMarker, openMarker, SPACE_NAMES, type SpaceName } from '../../src/pad/markers.ts';
import { createPadText } from '../../src/session/compose.ts';
import { runs } from '../helpers/runs.ts';
import { anyContent, anyText, freeText } from './arbitrary.ts';

const RUNS = runs(40);

const space = fc.constantFrom<SpaceName>(...SPACE_NAMES);
const lines = (text: string): string[] =>
  text
    .replace('\ufeff', '')
    .split('\n')
    .map((line) => line.trimEnd());
const contentsOf = (text: string): string[] =>
  [...SPACE_NAMES, 'state' as const].map((name) => readRegion(parsePad(text), name));

/** A sound pad with prose between its sections, in either line end, with or without a BOM. */
const soundPad = fc
  .tuple(
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\ufeff'),
    fc.array(freeText, { minLength: 4, maxLength: 4 }),
    fc.array(anyContent, { minLength: 3, maxLength: 3 }),
    fc.boolean(),
  )
  .map(([eol, bom, prose, contents, last]) => {
    const sections = SPACE_NAMES.map((name, k) => {
      const empty = `## Heading\n${openMarker(name)}\n${closeMarker(name)}\n`;
      return setRegion(empty, name, contents[k] ?? '') + (prose[k] ?? '');
    });
    const text = `---\nscratchpad: 1\n# mine\n---\n\n${prose[3]}${sections.join('')}`;
    const whole = bom + text.replaceAll('\n', eol);
    return last ? whole : whole.slice(0, -eol.length);
  });

describe('setRegion', () => {
  test('in an undamaged pad: the content comes back, and no byte outside the region changes', () => {
    fc.assert(
      fc.property(soundPad, space, anyContent, (text, name, content) => {
        const before = parsePad(text).regions.get(name);
        const next = setRegion(text, name, content);
        const after = parsePad(next);
        const region = after.regions.get(name);
        expect(readRegion(after, name)).toBe(content);
        expect(after.problems).toEqual([]);
        expect(next.slice(0, region?.innerStart)).toBe(text.slice(0, before?.innerStart));
        expect(next.slice(region?.innerEnd)).toBe(text.slice(before?.innerEnd));
        for (const other of SPACE_NAMES) {
          if (other !== name) expect(readRegion(after, other)).toBe(readRegion(parsePad(text), other));
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('in any pad that was healed: the content comes back, the others keep theirs, no text goes', () => {
    fc.assert(
      fc.property(anyText.map(heal), space, anyContent, (text, name, content) => {
        const others = contentsOf(text);
        const next = setRegion(text, name, content);
        const at = SPACE_NAMES.indexOf(name);
        expect(contentsOf(next)[at]).toBe(content);
        // The state block may only be found by the absence of other structure: the spaces count.
        expect(contentsOf(next).slice(0, 3).toSpliced(at, 1)).toEqual(others.slice(0, 3).toSpliced(at, 1));
        const region = parsePad(text).regions.get(name);
        const outside = text.slice(0, region?.innerStart ?? 0) + text.slice(region?.innerEnd ?? 0);
        const kept = new Set(lines(next));
        for (const line of lines(outside)) expect(kept).toContain(line);
      }),
      { numRuns: RUNS },
    );
  });

  test('lines that stay the same keep their bytes', () => {
    const text = `${openMarker('notes')}\r\na\r\nb\nc\r\n${closeMarker('notes')}\r\n`;
    expect(setRegion(text, 'notes', 'a\nb\nnew\nc')).toBe(
      `${openMarker('notes')}\r\na\r\nb\nnew\r\nc\r\n${closeMarker('notes')}\r\n`,
    );
    expect(setRegion(text, 'notes', 'a\nb\nc')).toBe(text);
  });

  test('a missing section is added where it belongs', () => {
    const bare = createPadText('main').replace(/## Notes\n.*\n.*\n\n/, '');
    expect(bare).not.toContain('Notes');
    expect(setRegion(bare, 'notes', '')).toBe(createPadText('main'));
    expect(setRegion('', 'notes', 'x')).toBe(
      `## Notes\n${openMarker('notes')}\nx\n${closeMarker('notes')}\n`,
    );
  });

  test('a section known by its heading gets its markers back', () => {
    expect(setRegion('## Notes\n\none\n\n## Mine\nx\n', 'notes', 'one\ntwo')).toBe(
      `## Notes\n\n${openMarker('notes')}\none\ntwo\n${closeMarker('notes')}\n\n## Mine\nx\n`,
    );
  });
});

describe('setFrontMatter', () => {
  test('keeps unknown keys, their comments and every other byte', () => {
    const text =
      '\ufeff---\r\n# about\r\nscratchpad: 1\r\nowner: me # really\r\nttl: 1h # short\r\nnested:\r\n  a: 1\r\n---\r\nbody\r\n';
    expect(
      setFrontMatter(
        text,
        new Map([
          ['ttl', '30m'],
          ['revision', '4'],
        ]),
      ),
    ).toBe(
      '\ufeff---\r\n# about\r\nscratchpad: 1\r\nowner: me # really\r\nttl: 30m # short\r\nnested:\r\n  a: 1\r\nrevision: 4\r\n---\r\nbody\r\n',
    );
  });

  test('leaves the values of front matter that somebody else began', () => {
    const text = '---\ntitle: Home lab\nttl: 90 days # by hand\nrevision: C\n---\nbody\n';
    const fields = new Map([
      ['ttl', '30m'],
      ['revision', '4'],
      ['tokens', null],
    ]);
    expect(setFrontMatter(text, fields)).toBe(
      '---\ntitle: Home lab\nttl: 90 days # by hand\nrevision: C\nscratchpad-ttl: 30m\nscratchpad-revision: 4\n---\nbody\n',
    );
  });

  test('is created after the BOM if there is none', () => {
    expect(setFrontMatter('\ufeffbody\n', new Map([['a', '1']]))).toBe('\ufeff---\na: 1\n---\n\nbody\n');
  });

  test('in any healed text: the field reads back, the spaces stay', () => {
    fc.assert(
      fc.property(anyText.map(heal), fc.nat(), (text, revision) => {
        const next = setFrontMatter(text, new Map([['revision', String(revision)]]));
        expect(next).toMatch(
          new RegExp(`^\ufeff?---[\\s\\S]*^(?:scratchpad-)?revision: ${revision}\\b`, 'm'),
        );
        expect(contentsOf(next).slice(0, 3)).toEqual(contentsOf(text).slice(0, 3));
      }),
      { numRuns: RUNS },
    );
  });
});

describe('commentOutFrontMatter', () => {
  test('leaves front matter that YAML can read: every line is a comment', () =>
    fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const next = commentOutFrontMatter(
          `---\nttl: 30m\n${text.replaceAll(/---|scratchpad:/g, '')}\n---\nx`,
        );
        expect(await readFields(next)).toEqual({});
      }),
      { numRuns: RUNS },
    ));
});

test('a closing fence without its line end stays a fence when a section comes after it', () => {
  for (const end of ['', ' ', ' \r']) {
    const text = setRegion(`---\n# mine\n---${end}`, 'notes', 'x');
    expect(parsePad(text).frontMatter.kind).toBe('fenced');
    expect(text).toContain('\n## Notes\n');
  }
});
