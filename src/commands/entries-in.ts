import { FileEntries } from '../entries/file-entries.ts';
import { actorOf } from '../session/actor.ts';
import type { Opened } from './open.ts';

/** The entries of an opened session, in the hands of whoever runs the command. */
export function entriesIn({ store, pad, mayMake }: Opened): FileEntries {
  return new FileEntries(store.paths, () => pad.now(), mayMake, actorOf(pad.env));
}
