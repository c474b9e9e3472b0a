import { join } from 'node:path';
import { failed, ScratchpadError } from '../base/errors.ts';
import { exists, readBytes } from '../base/fs/index.ts';
import { packageFolder } from '../base/package.ts';
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

function modelFolder(): string {
  const folder = join(packageFolder(), 'models');
  if (exists(join(folder, MOOD_FILE))) return folder;
  throw failed('The sentiment model is not installed', {
    expected: `models/${MOOD_FILE} in the package`,
    where: folder,
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
  throw failed('The sentiment model cannot be read', {
    found: cause === undefined ? 'no such file' : String(cause),
    where: file,
    next: 'Install the package again; until then mood is read from signals and a small lexicon.',
    cause,
  });
}
