import { join } from 'node:path';
import { tryList, tryStat } from '../base/fs/index.ts';
import { fileNameFor, sessionPaths } from '../session/workspace.ts';
import { FileEntries } from './file-entries.ts';
import { INDEX_FILE } from './index-file.ts';
import type { EntryInfo } from './types.ts';

/**
 * Where a caller's entries are, in the order in which a name is looked up: those of its session of a host, such as
 * outputs that hooks kept, then those of the workspace.
 */
export type Places = readonly [FileEntries, ...FileEntries[]];

/** The place that has an entry of that name. */
export function holding(places: Places, name: string): FileEntries | undefined {
  return places.find((place) => place.index().entries.some((entry) => entry.name === name));
}

/** A name with the place that has it, else with one whose entries a refusal can list. */
export function entryIn(places: Places, name: string): { place: FileEntries; name: string } {
  const place = holding(places, name) ?? places.find((each) => each.index().entries.length > 0) ?? places[0];
  return { place, name };
}

/** All entries that a caller can name, and where each is; in one place oldest first, of several the newest last. */
export async function reached(places: Places): Promise<{ place: FileEntries; info: EntryInfo }[]> {
  const names = new Set<string>();
  const all: { place: FileEntries; info: EntryInfo }[] = [];
  for (const place of places) {
    const infos = (await place.list()).filter(({ name }) => !names.has(name));
    for (const info of infos) names.add(info.name);
    all.push(...infos.map((info) => ({ place, info })));
  }
  if (places.length === 1) return all;
  return all.sort(
    ({ info: a }, { info: b }) => Number(a.updated > b.updated) - Number(a.updated < b.updated),
  );
}

/** That another session of the workspace has entries. */
export interface Elsewhere {
  session: string;
  count: number;
  /** When the newest was kept: ISO 8601, UTC. */
  newest: string;
}

/** The other sessions of a workspace that have entries, newest first. One that cannot be read is left out. */
export function elsewhere(root: string, here: FileEntries, idOf: (dir: string) => string): Elsewhere[] {
  const { sessions } = sessionPaths(root, 'any');
  const found = tryList(sessions).flatMap((folder): Elsewhere[] => {
    const dir = join(sessions, folder);
    const entries = new FileEntries(sessionPaths(root, 'any', undefined, dir));
    if (entries.dir === here.dir || !tryStat(join(entries.dir, INDEX_FILE))) return [];
    try {
      const listed = entries.index().entries;
      const newest = listed.map(({ updated }) => updated).reduce((a, b) => (b > a ? b : a), '');
      // The folder of an unusual id has another name.
      const isId = ({ owner = '' }): boolean => fileNameFor(owner) === folder;
      const session = listed.find(isId)?.owner ?? idOf(dir);
      return listed.length === 0 ? [] : [{ session, count: listed.length, newest }];
    } catch {
      return [];
    }
  });
  return found.sort((a, b) => Number(a.newest < b.newest) - Number(a.newest > b.newest));
}
