import { parsePad } from '../pad/document.ts';
import { setRegion } from '../pad/edit.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { stripVolatileFields, withSpaces } from './compose.ts';
import { NO_SPACES, type Spaces } from './journal.ts';
import { mergeText, type UnsettledChunk } from './merge.ts';
import { readFileSpaces } from './reconcile.ts';

/** Conflict markers as git writes them, with the common ancestor. */
const markConflict: UnsettledChunk = (ours, base, theirs) => [
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
 * They conflict only where they disagree: there the lines of both are between git's conflict markers.
 *
 * @param base the common ancestor, `''` if there is none
 */
export function mergePads(base: string, ours: string, theirs: string): { text: string; conflict: boolean } {
  const sides = [base, ours, theirs].map(separateParts) as [SeparatedPad, SeparatedPad, SeparatedPad];
  const [from, left, right] = sides;
  const around = mergeText(from.around, left.around, right.around, markConflict);
  let { content: text, conflict } = around;

  for (const space of SPACE_NAMES) {
    const merged = mergeText(from.spaces[space], left.spaces[space], right.spaces[space], markConflict);
    conflict ||= merged.conflict;
    if (merged.content !== '') text = setRegion(text, space, merged.content);
  }

  return { text, conflict };
}

interface SeparatedPad {
  spaces: Spaces;
  /** The file with empty spaces, and without the fields that change at every write. */
  around: string;
}

function separateParts(text: string): SeparatedPad {
  if (text.trim() === '') return { spaces: NO_SPACES, around: '' };

  const document = parsePad(text);
  const { plan = '', notes = '', refs = '' } = readFileSpaces(document);

  return {
    spaces: { plan, notes, refs },
    around: stripVolatileFields(withSpaces(document, 'main', NO_SPACES), 'main'),
  };
}
