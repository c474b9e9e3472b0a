import { statSync } from 'node:fs';
import { type Candidate, fileCandidate, filesIn, type Search } from './host.ts';

/** Files and folders that config names: what lies there belongs to the workspace, wherever it ran. */
export function listedSessions({ paths }: Search): Candidate[] {
  return paths.flatMap((path) => {
    if (!isDirectory(path))
      return [fileCandidate('', path, () => true)].filter((found) => found !== undefined);
    return filesIn(
      '',
      path,
      (name) => /\.jsonl?$/.test(name) && name !== 'sessions.json',
      () => true,
    );
  });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
