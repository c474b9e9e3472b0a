import { parsePad } from '../pad/document.ts';
import { setRegion } from '../pad/edit.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { stripVolatileFields, withSpaces } from './compose.ts';
import { NO_SPACES, type Spaces } from './journal.ts';
import { type ConflictRenderer, mergeText } from './merge.ts';
import { readFileSpaces } from './reconcile.ts';

/** Conflict markers as git writes them, with the common ancestor. */
const markConflict: ConflictRenderer = (ours, base, theirs) => [
  '<<<<<<< ours',
  ...ours,
  '||||||| base',
  ...base,
  '=======',
  ...theirs,
  '>>>>>>> theirs',
];

/**
 * Merges two versions of a tracked pad: each space separately, keeping additions of both, and the text around them.
 * Lines that both changed are put between git's conflict markers.
 *
 * @param base the common ancestor, `''` if there is none
 */
export function mergePads(base: string, ours: string, theirs: string): { text: string; conflict: boolean } {
  const [ancestor, own, other] = [separateParts(base), separateParts(ours), separateParts(theirs)];
  let { content: text, conflict } = mergeText(ancestor.around, own.around, other.around, markConflict);

  for (const space of SPACE_NAMES) {
    const merged = mergeText(ancestor.spaces[space], own.spaces[space], other.spaces[space], markConflict);
    conflict ||= merged.conflict;
    if (merged.content !== '') text = setRegion(text, space, merged.content);
  }

  return { text, conflict };
}

/** `around` is the file with empty spaces, and without the fields that change at every write. */
function separateParts(text: string): { spaces: Spaces; around: string } {
  if (text.trim() === '') return { spaces: NO_SPACES, around: '' };

  const document = parsePad(text);
  const { plan = '', notes = '', refs = '' } = readFileSpaces(document);

  return {
    spaces: { plan, notes, refs },
    around: stripVolatileFields(withSpaces(document, 'main', NO_SPACES), 'main'),
  };
}
