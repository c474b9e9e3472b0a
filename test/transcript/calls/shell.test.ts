import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCheck } from '../../../src/transcript/calls/checks.ts';
import { commandsIn } from '../../../src/transcript/calls/shell.ts';

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
      ["git commit -m $(cat <<'EOF'\nIt's \"done\" (really)\n\nx && y\nEOF\n)", 'git push'],
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

  test('with what hides its status', () => {
    const [first, second] = commandsIn('set -o pipefail; npm test | tail -5 &\nls');
    expect(first).toMatchObject({
      words: ['npm', 'test'],
      into: [['tail', '-5']],
      pipefail: true,
      background: true,
    });
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
      { numRuns: 500 },
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

const isOne = (line: string): boolean => commandsIn(line).some(isCheck);

test.each([
  'npm test',
  'npm run -s lint',
  'npm run ci',
  'npm --prefix packages/web run build',
  'npm run test -w packages/web',
  'npm -w packages/web test',
  'pnpm --filter @acme/web check-types',
  'pnpm -C packages/web test',
  'pnpm -r lint',
  'pnpm vitest',
  'yarn workspace web test',
  'yarn workspaces foreach -A run build',
  'make -C lib check',
  'make',
  'go -C tools test ./...',
  'cargo +nightly clippy --all-targets',
  'cargo nextest run',
  'cargo test -p core',
  'uv run --with httpx pytest -q',
  'uv run -m pytest',
  'poetry run pytest',
  'uv run python -m pytest',
  'bundle exec rake test',
  'mise exec -- go test ./...',
  'python -m pytest tests',
  'python3.12 -m unittest',
  'python manage.py test shop',
  'bin/rails test test/models',
  'php artisan test',
  'php vendor/bin/phpunit',
  './gradlew :app:test',
  'mvn -pl core verify',
  'node node_modules/typescript/bin/tsc --noEmit',
  'node --test test/',
  './node_modules/.bin/eslint src',
  'timeout 300 npx vitest run',
  './test.sh',
  'bash scripts/ci.sh',
  'scripts/lint',
  'docker compose exec -T web pytest -x',
  'docker run --rm -v "$PWD:/app" -w /app builder npm test',
  'CI=1 turbo run build --filter web',
  'rtk vitest run',
  'doppler run -- npm test',
  'prettier --check .',
  'bash -c "npm test"',
])('%s checks the work', (line) => {
  expect(isOne(line)).toBe(true);
});

test.each([
  'npm install',
  'npm ci',
  'npm --prefix test install',
  'pnpm add -D vitest',
  'pnpm --filter test-utils add lodash',
  'yarn workspace test add left-pad',
  'git commit -m test',
  'bash scripts/deploy.sh',
  'cat scripts/test.sh',
  'node build/server.js',
  'docker compose up -d test',
  'docker run --rm postgres:16',
  'python manage.py migrate',
  'bin/rails server',
  'tsc --version',
  'mkdir -p build/test',
  'npx playwright install',
  'prettier --write .',
  'terraform apply',
  'echo "npm test"',
  'grep -rn "npm test" .',
  'which pytest',
])('%s does not', (line) => {
  expect(isOne(line)).toBe(false);
});
