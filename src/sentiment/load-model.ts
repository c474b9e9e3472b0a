import { dirname, join } from 'node:path';
import { ScratchpadError } from '../errors.ts';
import { exists, readBytes } from '../fs/index.ts';
import { parseModel, type SentimentModel } from './model.ts';

/** The main weights, under permissive licences, and those trained on EmoBank (CC BY-SA 4.0). */
export const MOOD_FILE = 'mood.bin';
export const AFFECT_FILE = 'affect-emobank.bin';

/**
 * Loads the trained model from `folder`, by default `models/` of the package that contains this code. The
 * EmoBank file may be missing.
 * @throws ScratchpadError `environment` if there is no usable model
 */
export function loadModel(folder?: string): SentimentModel {
  const from = folder ?? modelFolder();
  const mood = join(from, MOOD_FILE);
  const affect = join(from, AFFECT_FILE);
  return parseModel(read(mood), exists(affect) ? read(affect) : null, from);
}

/** Like {@link loadModel}, but `null` instead of an error: assembly works without a model. */
export function tryLoadModel(folder?: string): SentimentModel | null {
  try {
    return loadModel(folder);
  } catch (error) {
    if (error instanceof ScratchpadError) return null;
    throw error;
  }
}

/**
 * The nearest `models/` that holds the model, searching upwards from this file, which may be in src/sentiment
 * or in dist.
 */
function modelFolder(): string {
  const start = import.meta.dirname;
  let here = start;
  for (let up = 0; up < 5; up++) {
    const candidate = join(here, 'models');
    if (exists(join(candidate, MOOD_FILE))) return candidate;
    here = dirname(here);
  }
  throw new ScratchpadError('environment', 'The sentiment model is not installed', {
    expected: `models/${MOOD_FILE} in the package`,
    where: start,
    next: 'Install the package again; until then mood is read from signals and a small lexicon.',
  });
}

function read(file: string): Buffer {
  let cause: unknown;
  try {
    const bytes = readBytes(file, 'package');
    if (bytes) return bytes;
  } catch (error) {
    cause = error;
  }
  throw new ScratchpadError('environment', 'The sentiment model cannot be read', {
    found: cause === undefined ? 'no such file' : String(cause),
    where: file,
    next: 'Install the package again; until then mood is read from signals and a small lexicon.',
    cause,
  });
}
