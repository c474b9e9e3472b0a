import { isAbsolute, resolve } from 'node:path';
import { getMessage } from '../base/errors.ts';
import { createCommandRunner } from '../config/runner.ts';
import { listMemoryPaths } from '../memory/places.ts';
import { readAgenda } from './calendar.ts';
import { parseMood } from './mood-command.ts';
import { readFileLines } from './quote.ts';
import { readMood } from './sentiment.ts';
import type { ContextInput, StageContext } from './stage.ts';
import { readTasks } from './tasks.ts';
import { runStageCommand } from './user.ts';

export function createStageContext(input: ContextInput): StageContext {
  const { workspace, now, clock, config, env } = input;
  const local = clock(now);
  const roots = makeOnce(() =>
    listMemoryPaths(config.memory, workspace, env ?? process.env).map((each) => resolve(workspace, each)),
  );
  const linesRead = new Map<string, readonly string[]>();
  const context: StageContext = {
    ...input,
    local,
    runCommand: createCommandRunner(workspace, env ?? {}),
    linesOf: (path) => {
      if (input.isForeign && !isAbsolute(path)) return [];

      const lines = linesRead.get(path) ?? readFileLines(workspace, path, roots());
      linesRead.set(path, lines);
      return lines;
    },
    // Several stages ask, and a broken calendar must not cost them their sections.
    agenda: makeOnce(() =>
      readAgenda(context).catch((error: unknown) => ({
        appointments: [],
        problems: [`the calendars cannot be read: ${getMessage(error)}`],
      })),
    ),
    handover: makeOnce(async () => input.openHandover?.()),
    tasks: makeOnce(() => readTasks(context)),
    mood: makeOnce(async () => {
      const engine = config.stages.user.find(({ id }) => id === 'sentiment');
      const turnCount = context.messages.filter(({ role }) => role === 'user').length;
      return readMood(context, engine && parseMood(await runStageCommand(engine, context), turnCount));
    }),
  };

  return context;
}

function makeOnce<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
