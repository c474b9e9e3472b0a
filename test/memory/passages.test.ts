import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PASSAGE_LENGTH, parsePassages } from '../../src/memory/passages.ts';

const textsOf = (markdown: string): string[] => parsePassages(markdown.split('\n')).map((each) => each.text);

describe('passagesOf', () => {
  it('carries no more of a title than a reader would', () => {
    const [passage] = parsePassages([`# ${'deploy '.repeat(100_000)}`, '- restart the pods']).slice(-1);
    expect(passage?.headings).toEqual(['deploy '.repeat(100).slice(0, 300)]);
  });

  it('takes an underlined line for a title', () => {
    const found = parsePassages(['Falcon', '======', 'Relay', '-----', '- version 5', '', '---', 'end']);
    expect(found.map(({ text, headings }) => [text, headings])).toEqual([
      ['Falcon', []],
      ['Relay', ['Falcon']],
      ['version 5', ['Falcon', 'Relay']],
      ['end', ['Falcon', 'Relay']],
    ]);
  });

  it('gives list items, paragraphs, rows and code, with their titles and lines', () => {
    const found = parsePassages([
      '# Lab',
      '',
      '## Cluster',
      '- config in ~/.kube/lab',
      '  not with sudo',
      '  - port 6443',
      '',
      'One',
      'two',
    ]);
    expect(found.map(({ line, endLine, text, headings }) => [line, endLine, text, headings])).toEqual([
      [1, 1, 'Lab', []],
      [3, 3, 'Cluster', ['Lab']],
      [4, 5, 'config in ~/.kube/lab not with sudo', ['Lab', 'Cluster']],
      [6, 6, 'port 6443', ['Lab', 'Cluster', 'config in ~/.kube/lab not with sudo']],
      [8, 9, 'One two', ['Lab', 'Cluster']],
    ]);
  });

  it('tells a title with text under it from one that stands alone', () => {
    const found = parsePassages(['# A', '## Chose Postgres', '## B', 'text']);
    expect(found.map(({ text, title }) => [text, title])).toEqual([
      ['A', true],
      ['Chose Postgres', false],
      ['B', true],
      ['text', false],
    ]);
  });

  it('leaves out front matter without a description, comments, rules and separators', () => {
    expect(textsOf('---\nname: deploys\n---\n<!-- hidden -->\n***\n| a | b |\n|---|---|\n| 1 | 2 |')).toEqual(
      ['| a | b |', '| 1 | 2 |'],
    );
    expect(textsOf('<!--\nnot\nshown\n-->\nshown')).toEqual(['shown']);
  });

  it('does not take a comment in code for a title', () => {
    expect(parsePassages(['```sh', '# install', 'npm ci', '```', 'after'])[1]?.headings).toEqual([]);
  });

  it('cuts a long paragraph at the ends of sentences', () => {
    const sentence = 'This sentence has exactly fifty characters in it ok. ';
    const found = parsePassages([sentence.repeat(8), sentence.repeat(8), sentence.repeat(8)]);
    expect(found.length).toBeGreaterThan(1);
    for (const each of found) {
      expect(each.text.length).toBeLessThanOrEqual(PASSAGE_LENGTH * 1.5);
      expect(each.text).toMatch(/^This .*\.$/);
    }
    expect(found.at(-1)?.line).toBeGreaterThan(1);
  });

  it('loses no line and never fails, whatever the text', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '# T',
        '## U',
        '- item',
        '  - sub',
        '```',
        '---',
        '<!--',
        '-->',
        '| a |',
        '> q',
        '',
        '===',
      ),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        for (const each of parsePassages(lines)) {
          expect(each.startLine).toBeGreaterThanOrEqual(1);
          expect(each.endLine).toBeLessThanOrEqual(lines.length);
          expect(each.line).toBeGreaterThanOrEqual(each.startLine);
          expect(each.line).toBeLessThanOrEqual(each.endLine);
          const block = lines
            .slice(each.startLine - 1, each.endLine)
            .join(' ')
            .replace(/\s+/g, ' ');
          for (const word of each.text.split(' ').filter((part) => /\w/.test(part)))
            expect(block).toContain(word);
        }
      }),
    );
  });
});
