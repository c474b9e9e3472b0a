import { join } from 'node:path';
import { inShort, refused, ScratchpadError } from '../base/errors.ts';
import { DATA_DIR, ensureFolder } from '../base/fs/index.ts';
import { shorten } from '../base/text/shorten.ts';
import { provenanceOf } from '../base/trust/provenance.ts';
import type { Config } from '../config/config.ts';
import { sessionIds } from '../core/session-folders.ts';
import { FileStore } from '../session/file-store.ts';
import { isSessionId } from '../session/workspace.ts';
import { shownAddress } from './address.ts';
import { ANSWERED, isOpen, leftAlone, note, noteFailure, readCircuit } from './circuit.ts';
import type { Connection } from './connection.ts';
import { LocalSession } from './local-session.ts';
import {
  joinStore,
  keepNotices,
  type Membership,
  notJoined,
  readMembership,
  writeMembership,
} from './membership.ts';
import { outgoing, type SyncOptions } from './outgoing.ts';
import { planIn, remotePlan } from './plan-store.ts';
import { DamagedRow, type Remote } from './remote.ts';
import type { StoreSettings } from './settings.ts';
import { SQL } from './sql.ts';
import { syncEntries, unsentEntries } from './sync-entries.ts';
import { syncPad, unsentOf } from './sync-pad.ts';
import { recordMark, syncRecords, unsentRecords } from './sync-records.ts';

export interface ExchangeOptions {
  root: string;
  config: Config;
  env: NodeJS.ProcessEnv;
  now: () => number;
  settings: StoreSettings;
  /** Time limit in milliseconds for connecting and for any statement. */
  timeoutMs?: number;
  /**
   * Requested by a person: a server that has just failed is tried again, the workspace joins the store, and
   * notices are shown at once. Those of other exchanges are kept for the next command or hook.
   */
  asked?: boolean;
  /** For callers that cannot wait: a timeout this short says nothing about the server. */
  hurried?: boolean;
}

export interface Exchanged {
  sessions: number;
  /** Number of spaces, entries and trails sent. */
  sent: number;
  /** Number of pads, entries and trails changed here. */
  received: number;
  notices: string[];
}

export interface Unsent {
  revisions: number;
  entries: number;
  trails: number;
}

const TIMEOUT_MS = 10_000;
/**
 * How long to wait for another process that is exchanging the same session; automatic exchanges wait less.
 */
const TURN_MS = 5000;
const SHORT_TURN_MS = 200;

interface Opened {
  remote: Remote;
  connection: Connection;
  membership: Membership & { workspace: string };
}

/** Synchronizes this working copy and the shared store. It connects when needed, until it is closed. */
export class Exchange {
  readonly options: ExchangeOptions;
  #open: Promise<Opened> | undefined;
  /** The state of the trails when all of them had been sent. */
  #recordMark: number | undefined;

  constructor(options: ExchangeOptions) {
    this.options = options;
  }

  /**
   * Synchronizes the sessions that exist here and differ from the store, and the records of host sessions.
   * @param only of these sessions, without records
   * @param everySession also those that exist only in the store
   * @throws ScratchpadError like `Connection`, and `environment` while the server is left alone after a failure
   */
  async sync(choice: { only?: readonly string[]; everySession?: boolean } = {}): Promise<Exchanged> {
    const { root, settings, now, config, asked = false, hurried = false } = this.options;
    const { only, everySession = false } = choice;
    const report: Exchanged = { sessions: 0, sent: 0, received: 0, notices: [] };
    const circuit = readCircuit(root);
    if (!asked && isOpen(circuit, now())) throw leftAlone(circuit);
    try {
      const here = await this.#here();
      const isWanted = (name: string): boolean =>
        planIn(name) === undefined
          ? (everySession || here.has(name)) && only?.includes(name) !== false
          : only === undefined || only.includes(config.primarySession);
      await this.#syncSessions(here, isWanted, report);
      if (only !== undefined) return report;
      const { remote } = await this.#connected();
      const mark = recordMark(root);
      const trails = await syncRecords(root, remote, outgoing(settings.redact));
      report.sent += trails.sent;
      report.received += trails.received;
      if (trails.received === 0) this.#recordMark = mark;
      note(root, { ...ANSWERED, inStep: now() });
      return report;
    } catch (error) {
      await this.close();
      if (!hurried && error instanceof ScratchpadError && isOfServer(error, shownAddress(settings.address)))
        noteFailure(root, now(), inShort(error));
      throw error;
    } finally {
      if (!asked) keepNotices(root, report.notices);
    }
  }

  /** Whether anything here may not be in the store yet, judged without asking it. */
  async mayHaveUnsent(): Promise<boolean> {
    const { root } = this.options;
    const workspace = this.#membership()?.workspace ?? '';
    for (const session of await this.#here()) {
      const local = this.#session(session, workspace);
      if (local.hasContent() && !local.isInStep()) return true;
    }
    return this.#recordMark !== recordMark(root) && unsentRecords(root).length > 0;
  }

  async unsent(): Promise<Unsent> {
    const { root, settings } = this.options;
    const { workspace = '', replica = '' } = this.#membership() ?? {};
    const total: Unsent = { revisions: 0, entries: 0, trails: unsentRecords(root).length };
    for (const session of await this.#here()) {
      const local = this.#session(session, workspace);
      total.revisions += await unsentOf(local.store, local.state(), this.#outgoing(replica));
      total.entries += unsentEntries(local, settings.redact);
    }
    return total;
  }

  /** Deletes a session in the store. The local one stays, and is not sent again automatically. */
  async forget(session: string): Promise<void> {
    await (await this.#connected()).remote.forget(session);
  }

  /** The channel on which others announce changes of this workspace, a connection for it, and our name. */
  async channel(): Promise<{ name: string; replica: string; connection: Connection }> {
    const { connection, membership } = await this.#connected();
    return { name: channelOf(membership), replica: membership.replica, connection };
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await (await open?.catch(() => undefined))?.remote.close();
  }

  async #syncSessions(
    here: ReadonlySet<string>,
    isWanted: (session: string) => boolean,
    report: Exchanged,
  ): Promise<void> {
    const { remote, connection, membership } = await this.#connected();
    const there = await remote.pads();
    let sent = 0;
    try {
      for (const session of new Set([...here, ...there.keys()])) {
        if (!isWanted(session)) continue;
        if (!isSessionId(session)) {
          leftOut(report, 'a session', session, 'this is no id of a session');
          continue;
        }
        const local = this.#session(session, membership.workspace);
        const known = local.state();
        if (known === undefined && !there.has(session) && !local.hasContent()) continue;
        if (local.isInStep() && known?.revision === (there.get(session) ?? 0)) continue;
        try {
          sent += await this.#syncSession(session, local, report);
        } catch (error) {
          if (!(error instanceof DamagedRow)) throw error;
          leftOut(report, 'the session', session, error.message);
        }
      }
    } finally {
      // Once a round and after the commits: a notification within a transaction makes commits wait for each other.
      // A lost one is harmless, since listeners also poll.
      if (sent > 0)
        await connection
          .query(SQL.notify, [channelOf(membership), membership.replica])
          .catch(() => undefined);
    }
  }

  /** @returns how much was sent */
  async #syncSession(session: string, local: LocalSession, report: Exchanged): Promise<number> {
    const { settings, asked = false } = this.options;
    const { redact, largestEntry: largest } = settings;
    const { remote, membership } = await this.#connected();
    const before = { ...report };
    const had = await local.exclusively(
      async () => {
        const mark = local.mark();
        const pad = await syncPad(local, remote, session, this.#outgoing(membership.replica));
        report.sessions += 1;
        report.sent += pad.sent;
        report.received += pad.changed ? 1 : 0;
        report.notices.push(...pad.notices);
        if (local.plan === undefined) await syncEntries(local, remote, session, { redact, largest }, report);
        if (report.received === before.received) local.noteInStep(mark);
      },
      asked ? TURN_MS : SHORT_TURN_MS,
    );
    if (!had && asked) report.notices.push(`another process is exchanging the session ${session}`);
    return report.sent - before.sent;
  }

  /** The sessions here, the primary one first, and the plans that have a key, by their names in the store. */
  async #here(): Promise<Set<string>> {
    const { root, config, env, now } = this.options;
    const { primarySession: primary } = config;
    const plans = await new FileStore(root, primary, { primary, env, now }).planIds();
    return new Set([primary, ...sessionIds(root), ...plans.filter((id) => id !== '').map(remotePlan)]);
  }

  #session(session: string, workspace: string): LocalSession {
    const { root, config, env, now } = this.options;
    return new LocalSession(session, { root, primary: config.primarySession, env, now, workspace });
  }

  #outgoing(replica: string): SyncOptions {
    return { outgoing: outgoing(this.options.settings.redact), replica };
  }

  /** This working copy's membership in exactly this store. */
  #membership(): Membership | undefined {
    const { root, settings } = this.options;
    const membership = readMembership(root);
    return membership?.server === shownAddress(settings.address) ? membership : undefined;
  }

  /** A failure is not kept: the next call connects again. */
  #connected(): Promise<Opened> {
    const open = this.#open ?? this.#connect();
    this.#open = open;
    open.catch(() => {
      if (this.#open === open) this.#open = undefined;
    });
    return open;
  }

  async #connect(): Promise<Opened> {
    const { root, config, env, settings, timeoutMs = TIMEOUT_MS, asked = false } = this.options;
    if (provenanceOf(root, env).spaces === 'untrusted')
      throw refused('the scratchpad here came from somebody else: nothing was sent', {
        where: root,
        next: { to: 'review it, then trust it', command: 'scratchpad trust' },
      });
    const server = shownAddress(settings.address);
    if (settings.forAll && !asked && this.#membership() === undefined) throw notJoined(root);
    ensureFolder(join(root, DATA_DIR));
    const joined = joinStore(root, server, config);
    // The only place that loads the driver.
    const { openPostgres } = await import('./postgres-remote.ts');
    const from = Date.now();
    const opened = await openPostgres({ settings, timeoutMs, identity: joined.identity });
    const { tenant, workspace } = opened.place;
    const membership = { ...joined, tenant, workspace };
    if (joined.tenant !== tenant || joined.workspace !== workspace) writeMembership(root, membership);
    note(root, { ...ANSWERED, connectMs: Date.now() - from });
    return { ...opened, membership };
  }
}

/** One bad row of a member stops the exchange of nothing else. */
function leftOut({ notices }: Exchanged, what: string, name: string, why: string): void {
  notices.push(`${what} of the shared store is left out: ${JSON.stringify(shorten(name, 60))}: ${why}`);
}

const channelOf = ({ workspace }: { workspace: string }): string =>
  `scratchpad_${workspace.replaceAll('-', '')}`;

/**
 * Whether an error is about the server, so that it is left alone for a while: not reached, or access denied.
 * Another process's lock says nothing about it.
 */
function isOfServer({ kind, detail }: ScratchpadError, server: string): boolean {
  return kind === 'refused' || detail.where === server;
}
