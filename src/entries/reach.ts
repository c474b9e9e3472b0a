import type { FileEntries } from './file-entries.ts';
import { findEntry, listVersions } from './index-file.ts';
import type { EntryInfo } from './types.ts';

/**
 * The places of a caller's entries, in the order in which a name is looked up: those of its host's session, such as
 * outputs that hooks kept, then those of the workspace.
 */
export type EntryPlaces = readonly [FileEntries, ...FileEntries[]];

export const findHolder = (places: EntryPlaces, name: string): FileEntries | undefined =>
  places.find((place) => findEntry(place.index(), name) !== undefined);

/** The place that keeps a past version of a name. */
export const findPastHolder = (places: EntryPlaces, name: string): FileEntries | undefined =>
  places.find((place) => listVersions(place.index(), name).length > 0);

/** The place that has a name, else one whose entries a refusal can list. */
export const choosePlace = (places: EntryPlaces, name: string): FileEntries =>
  findHolder(places, name) ?? places.find((each) => each.index().entries.length > 0) ?? places[0];

/** All entries that a caller can name, and where each is; in one place oldest first, of several the newest last. */
export async function listReachable(places: EntryPlaces): Promise<{ place: FileEntries; info: EntryInfo }[]> {
  const names = new Set<string>();
  const all: { place: FileEntries; info: EntryInfo }[] = [];

  for (const place of places) {
    const infos = (await place.list()).filter(({ name }) => !names.has(name));
    for (const info of infos) names.add(info.name);
    all.push(...infos.map((info) => ({ place, info })));
  }

  return places.length === 1
    ? all
    : all.sort(({ info: a }, { info: b }) => Number(a.updated > b.updated) - Number(a.updated < b.updated));
}
