import { describe, expect, test } from 'vitest';
import { rateSensitivity } from '../../src/stages/routing.ts';

const level = (content: string): string =>
  rateSensitivity([{ id: '1', role: 'tool', content, session: 's' }]).level;

describe('the sensitivity of a window', () => {
  test.each([
    '--- PASS: TestHookResponse_SessionStart (0.00s)',
    '`current_session`, `logs/`, session_id=446f6b3c-e344-42ed-a400-d81b11ff6723',
    'SessionID: "2026-01-13-446f6b3c-e344-42ed-a400-d81b11ff6723"',
    '[+51894 (175 files)], +1200 -340 (12 files), +518 94 175',
    'result.InputTokens = a.InputTokens; "requestId":"req_011CWuvEJ8GEqTCifD98Hq1S"',
    'Co-Authored-By: Claude <noreply@anthropic.com>, git@github.com:acme/reef.git, go@1.25.6, test@test.com',
  ])('%s is ordinary', (content) => {
    expect(level(content)).toBe('LOW');
  });

  test('a card is personal', () => {
    expect(level('pay to 4111 1111 1111 1111')).toBe('MEDIUM');
  });

  test('a key is a secret', () => {
    expect(level(`export GITHUB_TOKEN=gh${'p'}_${'a7B'.repeat(12)}`)).toBe('HIGH');
  });
});
