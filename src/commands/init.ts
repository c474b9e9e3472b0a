import { decodeBytes, exists, writeAtomically } from '../base/fs/index.ts';
import { formatCount, shorten } from '../base/text/strings.ts';
import { listPlaceWarnings, makeWorkspace } from '../core/make-workspace.ts';
import { detectHosts } from '../hosts/install/hosts.ts';
import { findProgram, renderShellLine } from '../hosts/install/program.ts';
import { isOurs, listOwnLines, type NumberedLine, type PadDocument, readRegion } from '../pad/document.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { mergePads } from '../session/merge-pads.ts';
import { defineCommand } from './command.ts';
import { introduceLastSession } from './handover.ts';
import { type Invocation, readInput, resolveFile } from './invocation.ts';
import { type OpenPad, openSession } from './open.ts';

/** Creates the pad in the current or the named directory, never in a directory above. */
export const init = defineCommand({
  takes: { '--tracked': 'in a git work tree: have git track the pad and merge it space by space' },
  examples: ['scratchpad init', 'scratchpad init --workspace ~/agent'],
  run: async (call, { tracked = false }) => {
    const options = { ...call.options, workspace: call.options.workspace ?? '.' };
    const opened = await openSession({ ...call, options }, { exactly: true });
    const { store } = opened;
    const { root } = opened.workspace;
    const { exists: hadPad, document } = await store.read();
    const { pad } = store.paths;
    const hadFile = exists(pad);
    const isAdopted = hadFile && !isOurs(document);
    const warnings = hadPad ? [] : listPlaceWarnings(root, tracked);
    const excluded = await createWorkspace(opened, call, tracked);
    const introduction = hadPad ? [] : await introduceLastSession(call, opened);

    call.warn(warnings);
    call.report({ pad, created: !hadPad, excludedBy: excluded ?? null }, [
      `${describeCreation(hadPad, hadFile, isAdopted)}: ${pad}`,
      isAdopted && [describeAdopted(document), describeLeft(listOwnLines(document))],
      excluded !== undefined && `excluded from commits by ${excluded}`,
      tracked && 'to commit: git add SCRATCHPAD.md .gitattributes',
      (!hadPad || isAdopted) && [
        '',
        detectHosts(root).map(
          ([host, sign]) =>
            `next: scratchpad install ${host.padEnd(11)}  show it to the agent (${sign} is here)`,
        ),
        introduction,
        'next: scratchpad todo "…"             add a step to the plan; scratchpad done 1 finishes it',
        'next: scratchpad assemble             read the last session and fill in the state block',
      ],
    ]);
  },
});

function describeCreation(hadPad: boolean, hadFile: boolean, isAdopted: boolean): string {
  if (!hadPad) return 'created';
  if (isAdopted) return 'uses the existing file';
  return hadFile ? 'exists already' : 'written anew from its history';
}

const describeAdopted = (document: PadDocument): string[] =>
  SPACE_NAMES.flatMap((space) => {
    const { heading } = document.regions.get(space) ?? {};
    if (heading === undefined) return [];

    const lines = readRegion(document, space)
      .split('\n')
      .filter((line) => line.trim() !== '').length;
    return [
      `taken over as ${space}: "${heading.text}" (line ${heading.line}, ${formatCount(lines, 'line')})`,
    ];
  });

const HEADINGS_NAMED = 4;
const HEADING_CHARACTERS = 40;

function describeLeft(lines: readonly NumberedLine[]): string | false {
  if (lines.length === 0) return false;

  const headings = lines
    .flatMap(({ text }) => /^#+\s+(.+)$/.exec(text)?.[1] ?? [])
    .map((title) => shorten(title, HEADING_CHARACTERS));
  const titles =
    headings.slice(0, HEADINGS_NAMED).join(', ') + (headings.length > HEADINGS_NAMED ? ', …' : '');
  const where = titles === '' ? '' : ` (${titles})`;
  return `left as your own text, which models are not told and scratchpad search finds: ${formatCount(lines.length, 'line')}${where}`;
}

/** Makes a workspace where one was opened. @returns the file that excludes it from commits, if one does */
export async function createWorkspace(
  { workspace, config, store }: OpenPad,
  { now, env, warn }: Invocation,
  tracked = false,
): Promise<string | undefined> {
  const { command: program, args } = findProgram(process.argv[1] ?? '', env);
  const mergeCommand = renderShellLine([program, ...args, 'merge']);
  const options = { store, primary: config.primarySession, now, env, tracked, mergeCommand };
  const { excluded, notices } = await makeWorkspace(workspace.root, options);

  warn(notices);

  return excluded;
}

const CONFLICT = 1;

/** The result replaces OURS; lines that both changed stand between git's conflict markers. */
export const merge = defineCommand({
  takes: {
    '<base>': 'the common ancestor',
    '<ours>': 'one version; the result replaces it',
    '<theirs>': 'the other version',
  },
  examples: ['scratchpad merge base.md ours.md theirs.md'],
  run: (call, { base, ours, theirs }) => {
    const read = (path: string): string => decodeBytes(readInput(resolveFile(path, call)));
    const { text, conflict } = mergePads(read(base), read(ours), read(theirs));
    writeAtomically(resolveFile(ours, call), text);
    if (conflict) {
      call.exitCode = CONFLICT;
      call.note('both sides changed the same lines: see the conflict markers');
    }

    call.report({ conflict }, '');
  },
});
