import { misuse } from '../base/errors.ts';
import {
  forgetMessages,
  type HandoverOptions,
  type HandoverView,
  handoverText,
  openHandover,
} from '../handover/index.ts';
import { actorOf } from '../session/actor.ts';
import { command, type Declared } from './command.ts';
import { type Invocation, withoutSession } from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { localTimes } from './print.ts';

export const handover: Declared = {
  examples: ['scratchpad handover', 'scratchpad handover --json'],
  verbs: {
    show: command({
      about: 'print the state and the messages, each with the reason',
      usual: true,
      run: async (call) => {
        const opened = await openSession(withoutSession(call));
        const view = await shownHere(call, opened);
        if (view === undefined) {
          call.note('no session of this workspace is known yet');
          return call.result({ session: null }, '');
        }
        call.result(view, handoverText(view, localTimes(opened.config)));
      },
    }),
    forget: command({
      about: 'leave these messages out from now on',
      takes: { '<numbers...>': 'numbers that `scratchpad handover` shows' },
      run: async (call, { numbers }) => {
        const opened = await openSession(withoutSession(call));
        const options = optionsOf(call, opened);
        const view = await shownHere(call, opened);
        const messages = view?.messages ?? [];
        const chosen = messages.filter(({ number }) => numbers.includes(String(number)));
        if (chosen.length < new Set(numbers).size)
          throw misuse('no message has that number', {
            expected:
              messages.length > 0 ? `a number from 1 to ${messages.length}` : 'a session with messages',
            found: numbers.join(' '),
            next: { to: 'see the numbers', command: 'scratchpad handover' },
          });
        opened.mayMake();
        const ids = chosen.map(({ id }) => id);
        if (view !== undefined) await forgetMessages(options, view.session, ids);
        call.done(
          { forgotten: chosen.map(({ id, text }) => ({ id, text })) },
          chosen.map(({ text }) => `will not be told again: ${text}`),
        );
      },
    }),
  },
};

/** Of the session that `--session` names; else for an agent of the one before its own, else of the newest. */
const shownHere = (call: Invocation, opened: Opened): Promise<HandoverView | undefined> =>
  openHandover(optionsOf(call, opened), actorOf(call.env).session);

/** The hand-over of the session that `--session` names, else of the most recently active one. */
export async function handoverHere(call: Invocation): Promise<HandoverView | undefined> {
  return openHandover(optionsOf(call, await openSession(withoutSession(call))));
}

function optionsOf(call: Invocation, { workspace, config }: Opened): HandoverOptions {
  return {
    root: workspace.root,
    cwd: workspace.worktree === undefined ? undefined : call.cwd,
    session: call.options.session,
    now: call.now,
    config,
    env: call.env,
    onProblem: (problem) => call.warn([problem]),
  };
}
