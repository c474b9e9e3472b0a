import { misuse, type ScratchpadError } from '../base/errors.ts';
import { parseDuration } from '../pad/freshness.ts';
import { SECTIONS } from '../pad/sections.ts';
import { readCommand } from './command.ts';
import type { Setting, SettingValue } from './config.ts';

/**
 * Text that is shown to a model unchanged, such as the name of another model: words without Markdown
 * structure.
 */
const LABEL_PATTERN = "^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} _'’&,.:()/@+-]{0,59}$";

/**
 * Checks one value and converts it to the form that `Config` has.
 * @param key the full key, if `setting` is an `<id>` setting
 * @param origin the file that sets it
 * @throws ScratchpadError `usage` with the key, what it accepts and what was found
 */
export function readValue(setting: Setting, value: unknown, key = setting.key, origin = ''): SettingValue {
  switch (setting.kind) {
    case 'text':
      if (typeof value === 'string' && value.trim() !== '') return value;
      throw wrong(key, 'a text', value);
    case 'label':
      if (typeof value === 'string' && new RegExp(LABEL_PATTERN, 'u').test(value)) return value;
      throw wrong(key, 'a name of at most 60 letters, digits, spaces and . : / @ + _ -', value);
    case 'zone':
      if (typeof value === 'string' && isZone(value)) return value;
      throw wrong(key, 'an IANA time zone such as Europe/Berlin', value);
    case 'duration':
      try {
        return parseDuration(typeof value === 'string' ? value : '');
      } catch {
        throw wrong(key, 'a duration such as 90s, 30m, 2h', value);
      }
    case 'count':
      if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 1_000_000)
        return value;
      throw wrong(key, 'a whole number above 0', value);
    case 'switch':
      // YAML 1.2 reads on and off as strings.
      if (value === true || value === 'on' || value === 'true') return true;
      if (value === false || value === 'off' || value === 'false') return false;
      throw wrong(key, 'on or off', value);
    case 'turns':
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100_000_000)
        return value;
      throw wrong(key, 'a whole number, 0 to turn it off', value);
    case 'percent':
      if (typeof value === 'number' && value >= 0 && value <= 100) return value;
      throw wrong(key, 'a percentage from 0 to 100', value);
    case 'choice': {
      // YAML 1.2 reads a bare `off` as a string, YAML 1.1 as false.
      const text = value === false ? 'off' : value;
      if (typeof text === 'string' && setting.options?.includes(text)) return text;
      throw wrong(key, `one of ${setting.options?.join(', ')}`, value);
    }
    case 'command': {
      const command = readCommand(key, value, origin);
      if (key.startsWith('stages.') && SECTIONS.some(({ id }) => id === command.command))
        throw wrong(
          key,
          'a program that prints a section (stages.off leaves out a section)',
          command.command,
        );
      return command;
    }
    case 'list': {
      const items: unknown[] = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
      const texts = items.filter((item): item is string => typeof item === 'string' && item !== '');
      const { options } = setting;
      const fits = texts.every((text) => options?.includes(text) !== false) && texts.length === items.length;
      if (fits && (typeof value === 'string' || Array.isArray(value))) return texts;
      throw wrong(key, options ? `a list of ${options.join(', ')}` : 'a list of strings', value);
    }
  }
}

/** The forms in which a setting may be given, before it is checked. */
export type SettingInput = string | number | string[] | Record<string, unknown>;

/**
 * Parses a value from the command line into the type that the setting has in YAML. A command with parts is
 * given as JSON.
 */
export function parseArgument(setting: Setting, text: string, key = setting.key): SettingInput {
  if (setting.kind === 'count' || setting.kind === 'turns' || setting.kind === 'percent')
    return /^\d+$/.test(text) ? Number(text) : text;
  if (setting.kind === 'list')
    return text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  if (setting.kind === 'command' && /^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text) as SettingInput;
    } catch {
      throw wrong(
        key,
        'a program, or JSON such as ["date", "+%A"] or {"command": "date", "args": ["+%A"]}',
        text,
      );
    }
  }
  return text;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function wrong(key: string, expected: string, value: unknown): ScratchpadError {
  return misuse(`${key} is not valid`, {
    where: key,
    expected,
    found: typeof value === 'string' ? value : JSON.stringify(value),
  });
}
