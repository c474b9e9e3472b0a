import { ScratchpadError } from '../base/errors.ts';
import { forFace } from '../core/faces.ts';
import { Sessions as CoreSessions } from '../core/sessions.ts';
import { findWorkspace } from '../session/workspace.ts';
import { complaint } from './arguments.ts';
import { asLibrary } from './as-library.ts';

/** The sessions of a workspace. Parent and child are independent once the child exists. */
export class Sessions extends CoreSessions {
  /** @param options `archiveMs`: how long archived sessions are kept */
  constructor(root: string, options: { primary?: string; now?: () => number; archiveMs?: number } = {}) {
    super(existing(root, options), options);
    // biome-ignore lint/correctness/noConstructorReturn: the same object, with errors in terms of the API.
    return asLibrary('sessions', this);
  }
}

function existing(...args: [root: string, options: object]): string {
  const [root] = args;
  const wrong = complaint('Sessions', args);
  if (wrong !== undefined) throw wrong;
  try {
    return findWorkspace(root, {}, process.cwd()).root;
  } catch (error) {
    throw error instanceof ScratchpadError ? forFace(error, 'call') : error;
  }
}
