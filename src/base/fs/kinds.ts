const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/**
 * The largest size in bytes at which a file of each kind is opened. A workspace may come from a stranger, and
 * no file in it may fill the memory or delay a hook.
 */
export const LARGEST = {
  /** A lock holds the description of one process. */
  lock: 4 * KIB,
  config: 64 * KIB,
  /** Values that can be computed again. */
  cache: 4 * MIB,
  /** SCRATCHPAD.md of any session: fifty times what a host reads of a file. */
  pad: 1 * MIB,
  /** Compacted at 1 MiB, but a single revision of a large pad can be larger than that. */
  journal: 32 * MIB,
  /** `session.json`, `feedback.json`, `mood.jsonl`, and what hooks record of a session. */
  record: 4 * MIB,
  entries: 16 * MIB,
  /** The content of an entry, and the table of offsets beside it. */
  entry: 4 * GIB,
  memory: 4 * MIB,
  /** The index of the memory files and the vectors beside it. */
  index: 2 * GIB,
  /** Calendars, task lists and other files that sections are made from. */
  source: 4 * MIB,
  /** A script or program of the workspace, hashed before it may run. */
  program: 16 * MIB,
  /** HEAD, refs and the other small files of git. */
  git: 64 * KIB,
  /** git's index, which names every tracked file. */
  gitIndex: 256 * MIB,
  /** Settings and plugin files of a host. */
  host: 8 * MIB,
  /** Sessions of a host, which are read in blocks from the end. */
  transcript: 64 * GIB,
  /** A file that a person names on the command line. */
  argument: 64 * MIB,
  /** Files of the operating system, such as those in /proc. */
  system: 1 * MIB,
  package: 64 * MIB,
} as const satisfies Record<string, number>;

/** What a file is for; decides how large it may be. */
export type FileKind = keyof typeof LARGEST;
