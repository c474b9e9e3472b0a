import { misuse } from '../base/errors.ts';
import {
  forgetMessages,
  type HandoverOptions,
  type HandoverView,
  handoverOf,
  handoverText,
  openHandover,
} from '../handover/index.ts';
import { fileArgument, type Invocation, withoutSession } from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { localTimes } from './terminal.ts';

/** Where the last session stands, and what the person said in it: all that a next session may be told. */
export async function show(invocation: Invocation, options: { transcript?: string }): Promise<void> {
  const opened = await openSession(withoutSession(invocation));
  const { root } = opened.workspace;
  const view =
    options.transcript === undefined
      ? await openHandover(optionsOf(invocation, opened))
      : await handoverOf(fileArgument(options.transcript, invocation), { root, now: invocation.now });
  if (view === undefined) {
    invocation.note('no session of this workspace is known yet');
    return invocation.result({ session: null }, '');
  }
  const time = localTimes(opened.config);
  invocation.result(view, handoverText(view, invocation.now, time));
}

/** Leaves messages out of what is told from now on, by the numbers that `handover` shows. */
export async function forget(invocation: Invocation, numbers: string[]): Promise<void> {
  const opened = await openSession(withoutSession(invocation));
  const options = optionsOf(invocation, opened);
  const view = await openHandover(options);
  const messages = view?.messages ?? [];
  const chosen = numbers.map((number) => {
    const found = messages.find((said) => String(said.number) === number);
    if (found !== undefined) return found;
    throw misuse('no message has that number', {
      expected: messages.length === 0 ? 'a session with messages' : `a number from 1 to ${messages.length}`,
      found: number,
      next: { to: 'see the numbers', command: 'scratchpad handover' },
    });
  });
  opened.mayMake();
  if (view !== undefined)
    await forgetMessages(
      options,
      view.session,
      chosen.map(({ id }) => id),
    );
  invocation.done(
    { forgotten: chosen.map(({ id, text }) => ({ id, text })) },
    chosen.map(({ text }) => `will not be told again: ${text}`).join('\n'),
  );
}

/** The hand-over of the session that `--session` names, else of the most recently active one. */
export async function handoverHere(invocation: Invocation): Promise<HandoverView | undefined> {
  return openHandover(optionsOf(invocation, await openSession(withoutSession(invocation))));
}

function optionsOf(invocation: Invocation, { workspace, config }: Opened): HandoverOptions {
  return {
    root: workspace.root,
    cwd: workspace.worktree === undefined ? undefined : invocation.cwd,
    session: invocation.options.session,
    now: invocation.now,
    config,
    env: invocation.env,
    onProblem: (problem) => invocation.warn([problem]),
  };
}
