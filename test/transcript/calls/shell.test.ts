import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandsIn, ranBy } from '../../../src/transcript/calls/shell.ts';
import { runs } from '../../helpers/runs.ts';

const read = (line: string): string[] => commandsIn(line).map(({ words }) => words.join(' '));

test.each([
  ['rtk bun test', 'bun test'],
  ['env -u=CI A=1 npm test', 'npm test'],
  ['sudo npm test', 'npm test'],
  ['time npm test', 'npm test'],
  ['timeout 60 nice -n 10 npm test', 'npm test'],
  ['/usr/bin/env node --test', 'node --test'],
  // No command behind it: nothing comes off.
  ['env', 'env'],
  ['uv run pytest', 'uv run pytest'],
])('a program that only runs another one comes off: %s', (line, expected) => {
  expect(commandsIn(line).map(({ words }) => ranBy(words).join(' '))).toEqual([expected]);
});

describe('a command line is split', () => {
  test.each([
    ['a && b || c; d', ['a', 'b', 'c', 'd']],
    ['a \n b\n\n\tc 2>x\r\nd>e', ['a', 'b', 'c', 'd']],
    ['A=1 B="x y" npm test', ['npm test']],
    ['a | b | c', ['a', 'b', 'c']],
    ['a 2>&1 > out.txt < in.txt', ['a']],
    ['echo "a && b" \'c; d\' e\\ f', ['echo a && b c; d e f']],
    [
      'git commit -m "$(cat <<\'EOF\'\nIt\'s "done" (really)\n\nx && y\nEOF\n)" && git push',
      ['git commit -m $(cat \n)', 'git push'],
    ],
    ["cat > a.txt <<'EOF' && npm test\nrm -rf x\nEOF\nls", ['cat', 'npm test', 'ls']],
    ['(cd web && npm test) && npm run lint', ['npm test', 'npm run lint']],
    ['if npm test; then git push; fi', ['npm test', 'git push']],
    ['for f in *.ts; do tsc $f; done', ['tsc $f']],
    ['npm test # the rest; is a comment', ['npm test']],
    ['npm \\\n  test', ['npm test']],
    ['echo `date; ls` $(a; b)', ['echo `date; ls` $(a; b)']],
    ['a <<< "x; y"', ['a']],
    ['', []],
  ])('%s', (line, expected) => {
    expect(read(line)).toEqual(expected);
  });

  test('with the place where each command runs', () => {
    const places = commandsIn('(cd web && npm test); cd lib && make check; cd sub; ls').map(({ cd }) => cd);
    expect(places).toEqual(['web', 'lib', 'lib/sub']);
  });

  test('with what joins each to the one before', () => {
    const commands = commandsIn('set -o pipefail; npm test | tail -5 &\nls && pwd');
    expect(commands.map(({ words: [first], after }) => [after, first])).toEqual([
      ['', 'npm'],
      ['|', 'tail'],
      [';', 'ls'],
      ['&&', 'pwd'],
    ]);
  });

  test('whatever it is, quickly', () => {
    const piece = fc.constantFrom(
      '"',
      "'",
      '`',
      '$(',
      ')',
      '(',
      '<<EOF',
      '\nEOF\n',
      '\\',
      '&&',
      '|',
      ';',
      '>',
      '2>&1',
      'a',
      ' ',
      '\n',
      '{',
      'npx ',
      '#',
      '--',
    );
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 200 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(line, (text) => {
        for (const command of commandsIn(text)) expect(command.words.length).toBeGreaterThan(0);
      }),
      { numRuns: runs(100) },
    );
  });

  test.each(['"$(', "'", '$((', '(', '<<A ', 'x;', '`$(', '"$(cat <<E\n', 'npx '])(
    '%s, repeated, quickly',
    (text) => {
      const start = performance.now();
      commandsIn(text.repeat(20_000));
      expect(performance.now() - start).toBeLessThan(1000);
    },
  );
});
