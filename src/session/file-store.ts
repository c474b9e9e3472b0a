import { basename } from 'node:path';
import { type PadDocument, type Problem, parsePad } from '../pad/document.ts';
import { commentOutFrontMatter, heal } from '../pad/edit.ts';
import { compose, withSpaces } from './compose.ts';
import { draftFile, ensureDataDir, readTextFile } from './files.ts';
import type { Author, Revision } from './journal.ts';
import { appendRevisions, readJournal, readLastRevision } from './journal-file.ts';
import { keepConflict, keepOriginal, sweep } from './keepsakes.ts';
import { withLock } from './lock.ts';
import { type Reconciled, reconcile } from './reconcile.ts';
import type { Change, Committed, History, SessionStore, Snapshot } from './store.ts';
import { checkDataDir, type SessionPaths, sessionPaths, writableTarget } from './workspace.ts';

const OWN_FIELDS = new Set(['scratchpad', 'session', 'revision', 'updated', 'ttl', 'expires', 'tokens']);
/** An editor that saves in place shows an empty file for a moment: so often and so long it is looked at again. */
const BLANK_LOOKS = 4;
const BLANK_PAUSE_MS = 15;
/** A person who keeps saving while we write is merged again each time, within reason. */
const WRITE_ATTEMPTS = 20;

interface Loaded {
  text: string | undefined;
  document: PadDocument | undefined;
  problems: readonly Problem[];
  last: Revision | undefined;
  reconciled: Reconciled;
}

/**
 * A session's memory in `SCRATCHPAD.md` and its journal (`docs/format.md`).
 *
 * Order of a write: lock; read and adopt; write the new file beside the old one and flush it;
 * append to the journal and flush it (from here on the change is acknowledged); rename. The
 * file is drafted before the journal so that a full disk stops the change before it has
 * begun. After a kill between journal and rename the next command renders from the journal.
 */
export class FileStore implements SessionStore {
  readonly paths: SessionPaths;
  readonly #root: string;
  readonly #now: () => number;
  readonly #lockWaitMs: number | undefined;

  /** @param options `lockWaitMs`: how long a change waits for another process, if not as usual */
  constructor(
    root: string,
    session: string,
    options: { primary?: string; now?: () => number; lockWaitMs?: number } = {},
  ) {
    this.#root = root;
    this.paths = sessionPaths(root, session, options.primary);
    this.#now = options.now ?? Date.now;
    this.#lockWaitMs = options.lockWaitMs;
  }

  async read(): Promise<Snapshot> {
    return this.#snapshot(await this.#load());
  }

  async change(
    decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
    by: Author = 'cli',
  ): Promise<Committed> {
    checkDataDir(this.#root);
    const target = writableTarget(this.paths.pad, this.#root);
    ensureDataDir(this.paths.data, this.paths.dir);
    return withLock(
      this.paths.lock,
      async ({ tookOver }) => {
        if (tookOver) sweep(this.paths);
        return this.#write(target, decide, by);
      },
      this.#lockWaitMs,
    );
  }

  async history(): Promise<History> {
    return readJournal(this.paths.journal);
  }

  async #write(
    target: string,
    decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
    by: Author,
  ): Promise<Committed> {
    const revisions: Revision[] = [];
    const notices: string[] = [];
    let changes: readonly Change[] | undefined;
    for (let attempt = 0; ; attempt += 1) {
      const loaded = await this.#load();
      changes ??= await decide(this.#snapshot(loaded));
      notices.push(...this.#keepsakes(loaded));
      const document = loaded.problems.length > 0 ? healed(loaded) : loaded.document;
      const { spaces, adoptions } = loaded.reconciled;
      const { session } = this.paths;
      const now = this.#now();
      const composed = compose({ session, document, spaces, adoptions, last: loaded.last, changes, by, now });
      const draft = composed.text === loaded.text ? undefined : draftFile(target, composed.text);
      try {
        if (composed.revisions.length > 0) {
          appendRevisions(this.paths.journal, session, this.#root, composed.revisions);
        }
      } catch (error) {
        draft?.discard();
        throw error;
      }
      revisions.push(...composed.revisions);
      // A person may have saved since the file was read: then it is read and merged again.
      if (draft && attempt < WRITE_ATTEMPTS && readTextFile(target) !== loaded.text) {
        draft.discard();
        // The spaces are journalled by now; only a state block has still to be put in.
        changes = changes.filter((change) => change.kind === 'state');
        continue;
      }
      draft?.commit();
      return {
        session,
        exists: true,
        document: parsePad(composed.text),
        spaces: composed.spaces,
        revision: composed.revision,
        revisions,
        notices,
      };
    }
  }

  async #load(): Promise<Loaded> {
    const last = readLastRevision(this.paths.journal);
    let text = readTextFile(this.paths.pad);
    for (let look = 0; look < BLANK_LOOKS && text === '' && last; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, BLANK_PAUSE_MS));
      text = readTextFile(this.paths.pad);
    }
    // An empty file is a save cut short, or a deletion gone wrong: never an edit that empties three spaces.
    const document = text === undefined || text.trim() === '' ? undefined : parsePad(text);
    const problems = document ? await this.#problemsOf(document) : [];
    const reconciled = await reconcile(document, last, () => readJournal(this.paths.journal));
    return { text, document, problems, last, reconciled };
  }

  async #problemsOf(document: PadDocument): Promise<readonly Problem[]> {
    if (document.fields !== undefined) return document.problems;
    // Only front matter that is not plain key: value lines needs the YAML parser.
    const { parseFrontMatter } = await import('../pad/yaml.ts');
    try {
      parseFrontMatter(document.text);
      return document.problems;
    } catch {
      const message = 'the front matter is not valid YAML';
      return [{ kind: 'front-matter-invalid', message, line: 1 }, ...document.problems];
    }
  }

  #snapshot({ text, document, problems, last, reconciled }: Loaded): Snapshot {
    const { session } = this.paths;
    const exists = text !== undefined || last !== undefined;
    const shown = exists ? withSpaces(document, session, reconciled.spaces) : '';
    return {
      session,
      exists,
      document: shown === document?.text ? document : parsePad(shown),
      spaces: reconciled.spaces,
      revision: last?.rev ?? 0,
      notices: problems.map(
        (problem) =>
          `${basename(this.paths.pad)} line ${problem.line}: ${problem.message}; read as far as it goes`,
      ),
    };
  }

  #keepsakes({ text, problems, reconciled }: Loaded): string[] {
    const notices: string[] = [];
    if (text !== undefined && problems.length > 0)
      notices.push(keepOriginal(this.paths, this.#root, text, problems));
    for (const conflict of reconciled.conflicts) notices.push(keepConflict(this.paths, this.#root, conflict));
    for (const { space, by } of reconciled.adoptions) {
      if (by === 'merge') notices.push(`${space}: an edit made in an older copy of the file was merged in`);
    }
    return notices;
  }
}

function healed({ document, problems }: Loaded): PadDocument | undefined {
  if (!document) return undefined;
  const invalid = problems.some((problem) => problem.kind === 'front-matter-invalid');
  return parsePad(heal(invalid ? commentOutFrontMatter(document.text, OWN_FIELDS) : document.text));
}
