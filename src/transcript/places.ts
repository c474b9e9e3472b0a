import { FORMATS } from './formats/index.ts';
import { fileOrFolder, type Place, type Search } from './home.ts';

export { fileOrFolder, onlyFile, type Place } from './home.ts';

/** Where the sessions of a workspace are created and changed, for all hosts. */
export function sessionPlaces(search: Search): Place[] {
  return [
    ...search.paths.flatMap((path) => fileOrFolder(path, (name) => /\.jsonl?$/.test(name))),
    ...FORMATS.flatMap(({ home }) => home?.places(search) ?? []),
  ];
}
