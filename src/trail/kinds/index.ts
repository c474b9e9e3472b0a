import type { Extractor } from '../extractor.ts';
import { failingNames, lastCheck } from './checks.ts';
import { commandsHere } from './commands.ts';
import { commitsMade } from './commits.ts';
import { decisions } from './decisions.ts';
import { editedFiles } from './edited.ts';
import { filesInHand } from './files.ts';
import { instructions } from './instructions.ts';
import { interruptedWork } from './interrupted.ts';
import { approvedPlan } from './plan.ts';
import { openQuestion } from './question.ts';
import { hostRecap } from './recap.ts';
import { references } from './references.ts';
import { turnedDown } from './rejected.ts';
import { openTasks } from './tasks.ts';
import { sessionTitle } from './title.ts';

/** The extractors by kind: a new kind is one file and one row. */
const EXTRACTORS = {
  recap: hostRecap,
  title: sessionTitle,
  task: openTasks,
  question: openQuestion,
  check: lastCheck,
  failing: failingNames,
  rejected: turnedDown,
  interrupted: interruptedWork,
  instruction: instructions,
  decision: decisions,
  plan: approvedPlan,
  edited: editedFiles,
  commit: commitsMade,
  reference: references,
  file: filesInHand,
  command: commandsHere,
};

type Table = typeof EXTRACTORS;

/** The state of each extractor between two readings. */
export type States = { [Kind in keyof Table]: ReturnType<Table[Kind]['initial']> };

/** The table for the fold, independent of the type of state. */
export const ALL: readonly Extractor<unknown>[] = Object.values(EXTRACTORS);
