import { expect, test } from 'vitest';
import { isCheck } from '../../src/trail/checks.ts';
import { segmentsOf } from '../../src/trail/shell.ts';

const isOne = (line: string): boolean => segmentsOf(line).some(isCheck);

test.each([
  'npm test',
  'npm run -s lint',
  'npm --prefix packages/web run build',
  'npm run test -w packages/web',
  'npm -w packages/web test',
  'pnpm --filter @acme/web check-types',
  'pnpm -C packages/web test',
  'pnpm -r lint',
  'yarn workspace web test',
  'yarn workspaces foreach -A run build',
  'make -C lib check',
  'make',
  'go -C tools test ./...',
  'cargo +nightly clippy --all-targets',
  'cargo test -p core',
  'uv run --with httpx pytest -q',
  'poetry run pytest',
  'uv run python -m pytest',
  'bundle exec rake test',
  'mise exec -- go test ./...',
  'python -m pytest tests',
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
])('%s checks the work', (line) => {
  expect(isOne(line)).toBe(true);
});

test.each([
  'npm install',
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
])('%s does not', (line) => {
  expect(isOne(line)).toBe(false);
});
