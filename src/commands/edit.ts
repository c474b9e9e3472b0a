import { join } from 'node:path';
import { adviceFor, failed, misuse, refused, ScratchpadError } from '../base/errors.ts';
import {
  ensureFolder,
  exists,
  isTerminal,
  readText as readFile,
  remove,
  writeAtomically,
} from '../base/fs/index.ts';
import { editSpace } from '../core/spaces.ts';
import { refsOf } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { setRefs } from '../pad/refs.ts';
import { setText } from '../pad/spaces.ts';
import { command } from './command.ts';
import type { Invocation } from './invocation.ts';
import { needPad, type Opened, openSession } from './open.ts';
import { report } from './spaces.ts';

export const edit = command({
  takes: { '[what]': 'plan, notes or refs; the whole file unless given' },
  examples: ['scratchpad edit', 'scratchpad edit plan'],
  run: (call, { what }) => {
    if (what === undefined) return editFile(call);
    const space = SPACE_NAMES.find((name) => name === what);
    if (space) return editSpaceText(call, space);
    throw misuse('no such space', {
      expected: SPACE_NAMES.join(', '),
      found: what,
      next: 'an entry is changed with: scratchpad entry edit, or scratchpad entry write',
    });
  },
});

async function editFile(call: Invocation): Promise<void> {
  const opened = await openSession(call);
  const { store } = opened;
  const { exists: isThere } = await store.read();
  needPad(isThere, opened);
  // A file that was removed is written again.
  if (!exists(store.paths.pad)) await store.change(() => []);
  await runEditor(call, store.paths.pad);
  // The edit is journalled at once, so that history shows it and undo reverts it.
  const { notices, revisions } = await store.change(() => []);
  call.warn(notices);
  const changes = revisions.map(({ rev, space }) => ({ space, revision: rev }));
  const spaces = [...new Set(changes.map(({ space }) => space))];
  call.done(
    { pad: store.paths.pad, changes },
    spaces.length === 0 ? 'the spaces are unchanged' : `changed: ${spaces.join(', ')}`,
  );
}

/** Opens one space in an editor. Changes made by others meanwhile are merged with the saved text. */
export async function editSpaceText(call: Invocation, space: SpaceName): Promise<void> {
  const opened = await openSession(call);
  const { pad } = opened;
  const held = (await pad.store.read()).spaces[space];
  const before = space === 'refs' ? refsOf(held).join('\n') : held;
  await withDraft(call, opened, `${space}.md`, before, async (after) => {
    const { mergeText } = await import('../session/merge.ts');
    const outcome = await editSpace(pad, space, 'edit', (now, limits) => {
      const present = space === 'refs' ? refsOf(now).join('\n') : now;
      const { content, conflict } = mergeText(before, present, after);
      if (conflict) throw changedMeanwhile(space);
      return space === 'refs' ? setRefs(content.split('\n'), limits) : setText(space, content, limits);
    });
    report(call, outcome);
  });
}

/** Opens a text in the editor and passes the saved text to `accept`. A rejected text stays in its file. */
async function withDraft(
  call: Invocation,
  { store, mayMake }: Opened,
  name: string,
  before: string,
  accept: (after: string) => Promise<void>,
): Promise<void> {
  const folder = join(store.paths.data, 'drafts');
  const draft = join(folder, `${process.pid}-${name}`);
  editorOf(call);
  mayMake();
  ensureFolder(folder);
  writeAtomically(draft, before === '' || before.endsWith('\n') ? before : `${before}\n`);
  let kept = true;
  try {
    await runEditor(call, draft);
    const saved = readFile(draft, 'argument') ?? '';
    const after = before.endsWith('\n') ? saved : saved.replace(/\n$/, '');
    if (after === before) call.note('nothing was changed in the editor');
    else await accept(after);
    kept = false;
  } catch (error) {
    if (error instanceof ScratchpadError && kept) throw withPlace(error, draft);
    throw error;
  } finally {
    if (!kept) remove(draft);
  }
}

function withPlace(error: ScratchpadError, draft: string): ScratchpadError {
  const next = adviceFor(error.detail.next, 'command');
  return new ScratchpadError(error.kind, error.message, {
    ...error.detail,
    where: draft,
    next: `your text is still in that file${next === undefined ? '' : `; ${next}`}`,
  });
}

function changedMeanwhile(what: string): ScratchpadError {
  return refused(`somebody else changed ${what} while it was being edited`, {
    expected: 'no other change to the same lines',
    next: 'compare both and store the version you want',
  });
}

/** @throws ScratchpadError `environment` if there is no editor, or it fails */
async function runEditor(call: Invocation, file: string): Promise<void> {
  const { spawnSync } = await import('node:child_process');
  const { env } = call;
  const editor = editorOf(call);
  // The variable may have arguments, as in `code --wait`; the shell splits them.
  const { status, error } =
    process.platform === 'win32'
      ? spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit', env })
      : spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env });
  if (status === 0) return;
  throw failed('the editor failed: nothing was changed', {
    found: error?.message ?? `${editor} ended with ${status ?? 'a signal'}`,
    next: 'check VISUAL and EDITOR',
  });
}

/** @throws ScratchpadError `environment` if there is none */
function editorOf({ env }: Invocation): string {
  const editor = env.VISUAL || env.EDITOR || (isTerminal(0) && isTerminal(1) ? defaultEditor() : '');
  if (editor === '') {
    throw failed('no editor is configured', {
      expected: 'VISUAL or EDITOR set, or a terminal',
      next: { to: 'set EDITOR, or write the text', command: 'scratchpad notes set, plan set, refs set' },
    });
  }
  return editor;
}

function defaultEditor(): string {
  return process.platform === 'win32' ? 'notepad' : 'vi';
}
