import { usageError } from '../base/errors.ts';
import { decodeText } from '../base/fs/index.ts';
import { toOneLine } from '../base/text/prose.ts';
import { quoteText, shorten } from '../base/text/strings.ts';
import {
  forgetMessages,
  type HandoverOptions,
  type HandoverView,
  makeHandover,
  openHandover,
  renderHandover,
} from '../handover/index.ts';
import { formatAgo } from '../handover/lines.ts';
import { completeSession, detectActor, detectHost } from '../session/actor.ts';
import { type CommandDefinition, defineCommand } from './command.ts';
import { dropSession, type Invocation, readInput, refuseAgent, resolveFile } from './invocation.ts';
import { type OpenPad, openSession } from './open.ts';
import { makeTimeFormatter } from './print.ts';
import { hostSessionNotFound, listHostSessions } from './transcript.ts';

export const handover: CommandDefinition = {
  examples: ['scratchpad handover', 'scratchpad handover --transcript session.jsonl'],
  verbs: {
    show: defineCommand({
      about: 'print the state and the messages, each with the reason',
      isDefault: true,
      takes: { '-t, --transcript <file>': "a host's session file; the last session here unless given" },
      run: async (call, { transcript }) => {
        const opened = await openSession(dropSession(call));
        const file = transcript === undefined ? undefined : resolveFile(transcript, call);
        const view = await readShownHandover(call, opened, file);
        if (view === undefined) {
          const { session } = call.options;
          if (session) throw hostSessionNotFound('list them with: scratchpad transcript list', session);
          call.note('no session of this workspace is known yet');
          return call.print({ session: null }, '');
        }

        call.print(view, renderHandover(view, makeTimeFormatter(opened.config)));
      },
    }),
    forget: defineCommand({
      about: 'leave these messages out from now on',
      takes: { '<numbers...>': 'numbers that `scratchpad handover` shows' },
      run: async (call, { numbers }) => {
        // The messages are the person's words.
        refuseAgent(call, 'forget is for a person: nothing was done');

        const opened = await openSession(dropSession(call));
        const messages = (await readShownHandover(call, opened))?.messages ?? [];
        const chosen = messages.filter(({ number }) => numbers.includes(String(number)));

        if (chosen.length < new Set(numbers).size)
          throw usageError('no message has that number', {
            expected:
              messages.length > 0 ? `a number from 1 to ${messages.length}` : 'a session with messages',
            found: numbers.join(' '),
            next: { to: 'see the numbers', command: 'scratchpad handover' },
          });

        opened.assertCanCreate();
        await forgetMessages(buildHandoverOptions(call, opened), chosen);
        call.report(
          { forgotten: chosen.map(({ id, text }) => ({ id, text })) },
          chosen.map(({ text }) => `will not be told again: ${text}`),
        );
      },
    }),
  },
};

/** Shows the session that `--session` or a file names; else to an agent the one before its own, else the newest. */
async function readShownHandover(
  call: Invocation,
  opened: OpenPad,
  file?: string,
): Promise<HandoverView | undefined> {
  const options = buildHandoverOptions(call, opened);
  const sessions = (options.session ?? file) === undefined ? [] : await listHostSessions(call, opened);
  const fileSession = sessions.find(({ path }) => path === file);

  if (file !== undefined && fileSession === undefined) {
    const view = await makeHandover({ text: decodeText(readInput(file)).text, name: file }, options);
    call.note('not a session of this folder: a session that goes on with it in its own folder is told this');
    return view;
  }

  const ids = sessions.map(({ id }) => id);
  options.session = fileSession?.id ?? (options.session && completeSession(options.session, ids));
  return openHandover(options, detectActor(call.env).session);
}

/** Tells a person who has just begun that their last session here is known. */
export async function introduceLastSession(call: Invocation, opened: OpenPad): Promise<string[]> {
  if (call.options.quiet || call.options.json || detectHost(call.env) !== undefined) return [];

  const view = await readShownHandover(call, opened).catch(() => undefined);
  if (view === undefined || view.line === '') return [];

  const { subject } = view.state;
  const about = subject && `: ${quoteText(shorten(toOneLine(subject.text), 50))}`;
  return [
    `your last session here${formatAgo(Date.parse(view.at), call.now)}${about ?? ''}`,
    'next: scratchpad handover             what the next session will be told of it',
  ];
}

export const buildHandoverOptions = (call: Invocation, { workspace, config }: OpenPad): HandoverOptions => ({
  root: workspace.root,
  cwd: workspace.worktree === undefined ? undefined : call.cwd,
  session: call.options.session,
  now: call.now,
  config,
  env: call.env,
  onProblem: (problem) => call.warn([problem]),
});
