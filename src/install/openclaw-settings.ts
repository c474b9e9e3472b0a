import { isObject, type JsonObject, objectAt } from '../text/json.ts';
import type { Target } from './change.ts';
import { isBlank, read, setValue } from './hooks-json.ts';
import { readJson5, removeJson5, setJson5 } from './json5.ts';

const ENTRY = ['plugins', 'entries', 'scratchpad'];

/**
 * The settings of OpenClaw, which are JSON5.
 * @throws ScratchpadError `refused` for a file that is neither JSON5 nor JSON
 */
export function openClawSettings(text: string, path: string): JsonObject {
  return readJson5(text) ?? read(text, path);
}

/** The entry in openclaw.json that lets the plugin see the conversation. */
export function openClawEntry(path: string): Target {
  return {
    path,
    add(text) {
      const now = text === undefined || isBlank(text) ? '{}\n' : text;
      const found = entryIn(openClawSettings(now, path));
      let next = now;
      if (found?.enabled !== true) next = set(next, [...ENTRY, 'enabled'], true, path);
      if (objectAt(found, 'hooks')?.allowConversationAccess !== true) {
        next = set(next, [...ENTRY, 'hooks', 'allowConversationAccess'], true, path);
      }
      return next;
    },
    remove(text) {
      if (isBlank(text)) return text;
      if (!entryIn(openClawSettings(text, path))) return text;
      let next = set(text, ENTRY, undefined, path);
      for (const place of [['plugins', 'entries'], ['plugins']]) {
        const at = place.reduce<unknown>(
          (value, key) => (isObject(value) ? value[key] : undefined),
          openClawSettings(next, path),
        );
        if (isObject(at) && Object.keys(at).length === 0) next = set(next, place, undefined, path);
      }
      return Object.keys(openClawSettings(next, path)).length === 0 ? undefined : next;
    },
  };
}

const entryIn = (settings: JsonObject): JsonObject | undefined =>
  objectAt(objectAt(objectAt(settings, 'plugins'), 'entries'), 'scratchpad');

/** Plain JSON stays plain JSON; `undefined` removes a value. */
function set(text: string, place: string[], value: unknown, path: string): string {
  if (isJson(text, path)) return setValue(text, place, value, path);
  return value === undefined ? removeJson5(text, place) : setJson5(text, place, value);
}

function isJson(text: string, path: string): boolean {
  try {
    read(text, path);
    return true;
  } catch {
    return false;
  }
}
