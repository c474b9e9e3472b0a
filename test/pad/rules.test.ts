import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const RULE = 'Rule: never touch the coupon code';

async function pad(...notes: string[]): Promise<string> {
  const cwd = testDir({ 'SCRATCHPAD.md': '', '.scratchpad/.gitignore': '*\n' });
  await runWarm(['notes', 'set', notes.join('\n')], { cwd });
  return cwd;
}

const shown = async (cwd: string): Promise<string> => (await runWarm(['notes'], { cwd })).stdout.trim();

describe('a note that begins with "Rule:"', () => {
  test.each([
    ...[
      RULE,
      `- ${RULE}`,
      '**Rule:** no new packages',
      '- **Rule**: no new packages',
      'rule: no new packages',
    ],
    'Rule: never touch these files:\n- coupon.ts\n- cart.ts',
    'Rule: never touch these files:\n\n1. coupon.ts\n2. cart.ts',
    '- Rule: never touch the coupon code\n  it belongs to Ana\n\n  and to Bo',
  ])('stays when the notes are cleared: %s', async (rule) => {
    const cwd = await pad('found it', rule, 'and more');
    const { stdout } = await runWarm(['notes', 'clear'], { cwd });
    expect(stdout).toMatch(/^notes cleared; the rules stay\n/);
    expect(await shown(cwd)).toBe(rule);
    await runWarm(['notes', 'clear', '--all'], { cwd });
    expect(await shown(cwd)).toBe('');
  });

  test('is no other word, and no step of a plan', async () => {
    const cwd = await pad('Rules: see docs', 'The rule: none');
    await runWarm(['notes', 'clear'], { cwd });
    expect(await shown(cwd)).toBe('');
    await runWarm(['plan', 'set', RULE], { cwd });
    await runWarm(['plan', 'clear'], { cwd });
    expect((await runWarm(['plan'], { cwd })).stdout).toBe('');
  });

  test('is not what the limit cuts', async () => {
    const cwd = await pad('one line\n'.repeat(600), RULE);
    const kept = await shown(cwd);
    expect(kept.split('\n', 1)).toEqual([RULE]);
    expect(kept.length).toBeGreaterThan(3900);
  });

  test('is named where the limit cuts it, or new notes lack it, and never cut in half', async () => {
    const rules = Array.from(
      { length: 90 },
      (_, k) => `Rule: never do ${k} without a word from Ana, not even once`,
    );
    const cwd = await pad(...rules);
    const lines = (await shown(cwd)).split('\n');
    expect(rules.slice(0, lines.length)).toEqual(lines);
    const { stderr } = await runWarm(['notes', 'set', 'nothing else'], { cwd });
    expect(stderr).toContain(`no longer in the notes: ${rules[0]}; ${rules[1]}; ${rules[2]}; and`);
  });

  test('is told first, also where a host leaves no room for the rest', async () => {
    const lines = Array.from({ length: 50 }, (_, k) => `note ${k} ${'x'.repeat(60)}`);
    const cwd = await pad(...lines.slice(0, 25), RULE, ...lines.slice(25));
    await runWarm(['config', 'set', 'limits.notes', '40000'], { cwd });
    const many = Array.from({ length: 200 }, (_, k) => `note ${k} ${'x'.repeat(60)}`);
    await runWarm(['notes', 'set', '-'], {
      cwd,
      input: [...many.slice(0, 100), RULE, ...many.slice(100)].join('\n'),
    });
    for (const words of [['context'], ['hook', 'claude-code', 'SessionStart']]) {
      const input = JSON.stringify({
        session_id: 's',
        cwd,
        source: 'startup',
        hook_event_name: 'SessionStart',
      });
      const { stdout } = await runWarm(words, { cwd, input });
      const text = stdout.replaceAll('\\n', '\n');
      expect(text).toMatch(
        /## Notes\n(?:\(\d+ more lines in SCRATCHPAD\.md\)\n)?Rule: never touch the coupon code\n/,
      );
      expect(text).toContain('note 199 ');
    }
  });

  test('is told with its list, and again as a whole when the list changes', async () => {
    const cwd = await pad('- fact', 'Rule: never touch these files:', '- coupon.ts', '- cart.ts', 'last');
    const rule = 'Rule: never touch these files:\n- coupon.ts\n- cart.ts';
    const hook = async (event: string, more: object): Promise<string> => {
      const input = JSON.stringify({ session_id: 's', cwd, hook_event_name: event, ...more });
      const { stdout } = await runWarm(['hook', 'claude-code', event], { cwd, input });
      return stdout.replaceAll('\\n', '\n');
    };
    const notes = `## Notes\n${rule}\n\n- fact\nlast\n`;
    expect((await runWarm(['context'], { cwd })).stdout).toContain(notes);
    expect(await hook('SessionStart', { source: 'startup' })).toContain(notes);
    await runWarm(['notes', 'replace', '- cart.ts', '- cart.ts\n- price.ts'], { cwd });
    expect(await hook('UserPromptSubmit', { prompt: 'go on' })).toContain(`${rule}\n- price.ts\n`);
  });

  test('keeps its place in the file that a person edits', async () => {
    const cwd = await pad('first', RULE, 'last');
    expect(await shown(cwd)).toBe(`first\n${RULE}\nlast`);
  });
});
