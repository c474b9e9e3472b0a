import { misuse } from '../base/errors.ts';
import { isObject } from '../base/text/json.ts';
import { spellValue } from '../base/text/spell-value.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import type { Author } from '../session/journal.ts';
import { MemoryStore as CoreMemoryStore } from '../session/memory-store.ts';
import type { Change, Committed, Snapshot } from '../session/store.ts';
import { asLibrary } from './as-library.ts';

/** A session's memory for the lifetime of the process: for tests and for embedding. */
export class MemoryStore extends CoreMemoryStore {
  constructor(session = 'main', now: () => number = Date.now) {
    super(session, now);
    // biome-ignore lint/correctness/noConstructorReturn: the same object, with errors in terms of the API.
    return asLibrary(this);
  }

  override change(
    decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
    by?: Author,
  ): Promise<Committed> {
    return super.change(async (now) => checkChanges(await decide(now)), by);
  }
}

function checkChanges(changes: unknown): readonly Change[] {
  if (Array.isArray(changes) && changes.every(isChange)) return changes;
  const wrong = Array.isArray(changes) ? changes.find((change) => !isChange(change)) : changes;
  throw misuse('memoryStore.change was given an invalid change: nothing was changed', {
    where: 'decide',
    expected: 'a function that returns an array of {kind: "space", space, content, op}',
    found: spellValue(wrong),
  });
}

function isChange(change: unknown): change is Change {
  if (!isObject(change) || typeof change.content !== 'string') return false;
  if (change.kind === 'state') return change.fields instanceof Map;
  const { kind, space, op } = change;
  return kind === 'space' && SPACE_NAMES.some((name) => name === space) && typeof op === 'string';
}
