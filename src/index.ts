export type { Assembly, StageReport } from './assembly/assemble.ts';
export type { AssemblyResult } from './assembly/assemble-pad.ts';
export type { MessageInput } from './assembly/source.ts';
export { type FailureDetail, type FailureKind, ScratchpadError } from './base/errors.ts';
export type { Config } from './config/settings.ts';
export type { PadContext } from './core/context.ts';
export type { Difference, HistoryRow, UndoResult } from './core/history.ts';
export type { Notepad, NotepadEdit } from './core/notepad.ts';
export type { PruneOptions, PruneResult, SessionInfo, SpawnOptions } from './core/sessions.ts';
export type { Outcome, PlanSpace, RefsSpace, TextSpace } from './core/spaces.ts';
export type { Entries } from './entries/file-entries.ts';
export type {
  EntryEdit,
  EntryInfo,
  EntryMatches,
  EntryText,
  MatchedLine,
  PastEntryInfo,
  ReadRange,
  SearchOptions,
  WriteOptions,
} from './entries/types.ts';
export type { HandoverView, PersonMessage, WorkState } from './handover/index.ts';
export {
  type AssembleRequest,
  type HandoverRequest,
  type MemoryHit,
  type OpenOptions,
  openScratchpad,
  type Scratchpad,
  Sessions,
  type SyncResult,
} from './library/scratchpad.ts';
export type { Limits, Usage } from './pad/budget.ts';
export type { Freshness } from './pad/freshness.ts';
export type { SpaceName } from './pad/markers.ts';
export type { StepName } from './pad/step-names.ts';
export type { SentimentState, Strategy } from './sentiment/types.ts';
export type { Author, Revision, Spaces } from './session/journal.ts';
export type { Change, CommitResult, History, SessionStore, Snapshot } from './session/store.ts';
export type { Mood } from './stages/stage.ts';
export type { ObjectSchema, PropertySchema } from './tools/schema.ts';
export type { ToolAnswer, ToolDeclaration } from './tools/tool.ts';
export type { Message, Role } from './transcript/types.ts';
