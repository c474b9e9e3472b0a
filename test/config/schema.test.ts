import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSetting } from '../../src/config/build.ts';
import type { Setting } from '../../src/config/config.ts';
import { configSchema } from '../../src/config/schema.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { readValue } from '../../src/config/values.ts';

const ajv = new Ajv({ allErrors: true, strictTypes: false, strictTuples: false });
const validate = ajv.compile(configSchema());

/** The setting alone in a file. */
function fileWith(key: string, value: unknown): unknown {
  return key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

function reads(setting: Setting, key: string, value: unknown): boolean {
  try {
    readValue(setting, value, key);
    return true;
  } catch {
    return false;
  }
}

const keyOf = (setting: Setting): string => setting.key.replace('<id>', 'weather');

/** Values near the edges of what any setting takes. */
const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'on',
    'off',
    'true',
    'once',
    'own',
    'medium',
    'main',
    '30m',
    '0s',
    '00m',
    ' 2 h ',
    '1000000s',
  ),
  fc.constantFrom(
    '60s',
    '61s',
    '060s',
    '1m',
    '2m',
    '500ms',
    '0ms',
    '60000ms',
    '60001ms',
    '1 ms',
    ' 1ms',
    '1d',
    '5',
  ),
  fc.constantFrom(
    'date',
    'my prog',
    './my prog',
    'a\0b',
    '/',
    'Build, today',
    '# Title',
    'x'.repeat(41),
    'Ünï',
  ),
  fc.string(),
);
const number = fc.oneof(
  fc.constantFrom(0, 1, -1, 0.5, 100, 100.5, 1_000_000, 1_000_001, 100_000_000, 100_000_001),
  fc.integer(),
);
const list = fc.array(fc.oneof(text, number, fc.boolean()), { maxLength: 3 });
const command = fc.record(
  {
    command: fc.oneof(text, number),
    args: fc.oneof(text, list, number),
    timeout: fc.oneof(text, number),
    title: fc.oneof(text, number),
    priority: fc.oneof(text, number),
    shell: fc.boolean(),
  },
  { requiredKeys: [] },
);
const value = fc.oneof(text, number, fc.boolean(), list, command, fc.constant(null));

describe('the schema of the config', () => {
  test.each(SETTINGS.filter(({ kind }) => kind !== 'zone').map((setting) => [setting.key, setting] as const))(
    'accepts for %s exactly what is read',
    (_, setting) => {
      const key = keyOf(setting);
      fc.assert(
        fc.property(value, (each) => {
          expect(validate(fileWith(key, each)), JSON.stringify(each)).toBe(reads(setting, key, each));
        }),
        { numRuns: 300 },
      );
    },
  );

  test('takes every default, and describes every setting in the words of the table', () => {
    for (const setting of SETTINGS) {
      if (setting.default !== undefined)
        expect(validate(fileWith(setting.key, setting.default)), setting.key).toBe(true);
      expect(JSON.stringify(configSchema())).toContain(JSON.stringify(setting.about).slice(1, -1));
    }
  });

  test.each(['limit.notes', 'limits.note', 'stages.a b', 'stages.user', 'alerts.commands.9', 'nothing'])(
    'rejects %s, as the reader does',
    (key) => {
      expect(findSetting(key)).toBeUndefined();
      expect(validate(fileWith(key, 'date'))).toBe(false);
    },
  );

  test('is a draft 7 schema that is shipped and printed unchanged', () => {
    expect(ajv.validateSchema(configSchema())).toBe(true);
    const shipped = readFileSync(join(import.meta.dirname, '../../dist/config.schema.json'), 'utf8');
    expect(JSON.parse(shipped)).toEqual(JSON.parse(JSON.stringify(configSchema())));
  });

  test('looks like this', () => {
    const { limits, stages, hook } = (configSchema() as { properties: Record<string, unknown> }).properties;
    expect({ limits, stages, hook }).toMatchSnapshot();
  });
});
