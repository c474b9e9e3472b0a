import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandsIn } from '../../../src/transcript/calls/shell.ts';
import { runs } from '../../helpers/runs.ts';

const read = (line: string): string[] =>
  commandsIn(line).map(({ words, wrapper }) =>
    wrapper === '' ? words.join(' ') : `[${wrapper}] ${words.join(' ')}`,
  );

describe('programs that only run another one come off', () => {
  test.each([
    ['rtk bun test', '[rtk] bun test'],
    ['env -u CI A=1 npm test', 'npm test'],
    ['sudo -u web npm test', '[sudo] npm test'],
    ['command npm test', 'npm test'],
    ['doppler run --project x -- npm test', '[doppler run] npm test'],
    ['mise x -- go test ./...', '[mise x] go test ./...'],
    ['mise exec node@22 -- npm test', '[mise exec] npm test'],
    ['npx -y vitest run', '[npx] vitest run'],
    ['npx --package=typescript tsc', '[npx] tsc'],
    ['bunx --bun vitest', '[bunx] vitest'],
    ['pnpm --filter web exec vitest', '[pnpm exec] vitest'],
    ['pnpm exec -- vitest run', '[pnpm exec] vitest run'],
    ['uv run --with httpx pytest -q', '[uv run] pytest -q'],
    ['uv run -m pytest', '[uv run] pytest'],
    ['poetry run pytest', '[poetry run] pytest'],
    ['bundle exec rspec', '[bundle exec] rspec'],
    ['docker compose exec -T web pytest -x', '[docker compose exec] pytest -x'],
    ['docker compose -f dev.yml exec -e A=1 web npm test', '[docker compose exec] npm test'],
    ['docker run --rm -v "$PWD:/app" -w /app builder npm test', '[docker run] npm test'],
    ['time npm test', 'npm test'],
    ['timeout 60 npm test', 'npm test'],
    ['timeout -k 5 60 nice -n 10 npm test', 'npm test'],
    ['dotenv -e .env -- npm test', '[dotenv] npm test'],
    ['direnv exec . npm test', '[direnv exec] npm test'],
    ['nix develop .#ci -c make test', '[nix develop] make test'],
    ['bash -lc "npm test"', 'npm test'],
    ['sudo env A=1 timeout 5m rtk npx vitest', '[sudo rtk npx] vitest'],
    ['/usr/bin/env node --test', 'node --test'],
    // No command behind it: nothing comes off.
    ['env', 'env'],
    ['npx', 'npx'],
    ['docker compose up -d web', 'docker compose up -d web'],
    ['uv sync', 'uv sync'],
  ])('%s', (line, expected) => {
    expect(read(line)).toEqual([expected]);
  });
});

describe('a command line is split', () => {
  test.each([
    ['a && b || c; d', ['a', 'b', 'c', 'd']],
    ['a \n b\n\n\tc 2>x\r\nd>e', ['a', 'b', 'c', 'd']],
    ['A=1 B="x y" npm test', ['npm test']],
    ['a | b | c', ['a']],
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
    expect(commandsIn('cd web && bash -c "npm test"').map(({ cd }) => cd)).toEqual(['web']);
  });

  test('with the later stages of its pipe, and what joins it to the one before', () => {
    const [first, second] = commandsIn('set -o pipefail; npm test | tail -5 &\nls');
    expect(first).toMatchObject({ words: ['npm', 'test'], into: [['tail', '-5']] });
    expect(second).toMatchObject({ words: ['ls'], after: ';' });
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
