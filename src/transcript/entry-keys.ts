import { isObject } from '../text/json.ts';
import { plain } from './content.ts';
import type { CustomEntry } from './types.ts';

/** Prefix of the keys of our custom entries; on its own it is the older key of the notes. */
export const OUR_KEY = 'openclaw:scratchpad';

/** The spaces in a session file; one without an entry is absent. */
export interface Spaces {
  notes?: string;
  plan?: string;
  refs?: string[];
}

/** The last entry of each key. An entry whose data has the wrong shape is ignored. */
export function lastEntries(entries: readonly CustomEntry[]): Spaces {
  const spaces: Spaces = {};
  let legacy: string | undefined;
  for (const { key, data } of entries) {
    const text = textOf(data);
    if (key === OUR_KEY) legacy = text ?? legacy;
    if (key === `${OUR_KEY}:notes` && text !== undefined) spaces.notes = text;
    if (key === `${OUR_KEY}:plan` && text !== undefined) spaces.plan = text;
    const refs = key === `${OUR_KEY}:refs` ? listOf(data) : undefined;
    if (refs !== undefined) spaces.refs = refs;
  }
  if (spaces.notes === undefined && legacy !== undefined) spaces.notes = legacy;
  return spaces;
}

function textOf(data: unknown): string | undefined {
  const text = isObject(data) ? data.content : data;
  return typeof text === 'string' ? plain(text) : undefined;
}

function listOf(data: unknown): string[] | undefined {
  const list = isObject(data) ? data.refs : data;
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : undefined;
}
