import { join } from 'node:path';
import { refusal, ScratchpadError } from '../base/errors.ts';
import { ensureFolder, withLock } from '../base/fs/index.ts';
import { shorten } from '../base/text/strings.ts';
import { judgeProvenance } from '../base/trust/index.ts';
import { listSessionIds } from '../core/session-folders.ts';
import { FileStore } from '../session/file-store.ts';
import { isSessionId } from '../session/workspace.ts';
import { LocalSession, nameRemotePlan, parsePlanSession } from './local-session.ts';
import {
  joinStore,
  keepNotices,
  type Membership,
  noteContact,
  readMembership,
  type StoreMember,
  writeMembership,
} from './membership.ts';
import type { Remote } from './remote.ts';
import { formatAddress, readStoreSettings, type StoreSettings } from './settings.ts';
import { sync } from './sync.ts';
import type { ExchangeReport } from './types.ts';

interface ExchangeOptions extends StoreMember {
  settings: StoreSettings;
  /** A person asks: the workspace joins the store, and notices are shown at once, not kept for the next command. */
  isRequested?: boolean;
  /** For callers that cannot wait: the time limit in milliseconds; a timeout this short is not blamed on the server. */
  waitMs?: number;
}

const TIMEOUT_MS = 10_000;
/** For another process that is exchanging the same session. */
const LOCK_WAIT_MS = 5000;
/** The fingerprint of a session that has no files. */
const NO_FILES = '|';

/** Synchronizes this working copy and the shared store. It connects when needed, until it is closed. */
export class Exchange {
  readonly options: ExchangeOptions;
  #open: Promise<Remote> | undefined;

  constructor(options: ExchangeOptions) {
    this.options = options;
  }

  /** Synchronizes the sessions that exist here and differ from the store. @throws ScratchpadError like `Connection` */
  async sync(
    choice: {
      /** Limits the exchange to these sessions. */
      only?: readonly string[];
      /** Includes the sessions that exist only in the store. */
      everySession?: boolean;
    } = {},
  ): Promise<ExchangeReport> {
    const { root, config, isRequested = false, waitMs } = this.options;
    const { only, everySession = false } = choice;
    const { primarySession: primary } = config;
    const report: ExchangeReport = { sessions: 0, sent: 0, received: 0, notices: [] };

    try {
      const remote = await this.connect();
      const remotePads = await remote.listPads();
      const localSessions = await this.#listLocalSessions();

      for (const session of new Set([...localSessions, ...remotePads.keys()])) {
        // Each extra plan travels as a session, with the primary pad.
        const pad = parsePlanSession(session) === undefined ? session : primary;
        if (!(everySession || localSessions.has(pad)) || only?.includes(pad) === false) continue;

        try {
          await this.#syncSession(session, remotePads.get(session), remote, report);
        } catch (error) {
          // One member's bad row must not stop the others.
          if (!(error instanceof ScratchpadError) || this.isServerError(error)) throw error;
          const name = JSON.stringify(shorten(session, 60));
          if (isRequested || error.kind === 'refused')
            report.notices.push(`the session ${name} of the shared store is left out: ${error.message}`);
        }
      }

      if (report.sent > 0) await remote.announce();
      if (only === undefined) noteContact(root, { failed: undefined, inStep: Date.now() });

      return report;
    } catch (error) {
      this.close();
      if (waitMs === undefined && this.isServerError(error)) noteContact(root, { failed: Date.now() });
      throw error;
    } finally {
      if (!isRequested) keepNotices(root, report.notices);
    }
  }

  async #syncSession(
    session: string,
    revision: number | undefined,
    remote: Remote,
    report: ExchangeReport,
  ): Promise<void> {
    if (!isSessionId(session)) throw refusal('invalid session id');

    const local = this.#openLocal(session, remote.workspace);
    const isInStep = (): boolean => {
      const { pad, fingerprint = NO_FILES } = local.synced;
      return fingerprint === local.computeFingerprint() && (pad?.revision ?? 0) === (revision ?? 0);
    };

    if (isInStep()) return;

    const { dir } = local.paths;
    ensureFolder(dir);
    const exchangeOnce = async (): Promise<void> => {
      // Another process may have just done it.
      if (isInStep()) return;

      const fingerprint = local.computeFingerprint();
      const before = report.received;
      await sync(local, remote, session, this.options.settings.redact, report);
      report.sessions += 1;
      // Receiving has changed the files, and so outdated the fingerprint: the next exchange stores one.
      if (report.received === before) local.saveSynced({ fingerprint });
    };

    await withLock(join(dir, 'shared.lock'), exchangeOnce, LOCK_WAIT_MS);
  }

  /** Whether anything here may not be in the store yet, judged without asking it. */
  async mayHaveUnsent(): Promise<boolean> {
    const workspace = this.#readMembership()?.workspace ?? '';
    for (const session of await this.#listLocalSessions()) {
      const local = this.#openLocal(session, workspace);
      if ((local.synced.fingerprint ?? NO_FILES) !== local.computeFingerprint()) return true;
    }

    return false;
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    void open?.then(
      (remote) => remote.close(),
      () => undefined,
    );
  }

  /** The sessions here, the primary one first, and the plans that have a key, by their names in the store. */
  async #listLocalSessions(): Promise<Set<string>> {
    const { root, config, env } = this.options;
    const { primarySession: primary } = config;
    const { plans = new Map<string, unknown>() } = await new FileStore(root, primary, {
      primary,
      env,
    }).read();

    return new Set([
      primary,
      ...listSessionIds(root),
      ...[...plans.keys()].filter((id) => id !== '').map(nameRemotePlan),
    ]);
  }

  #openLocal(session: string, workspace: string): LocalSession {
    return new LocalSession(session, this.options, workspace);
  }

  #readMembership(): Membership | undefined {
    const membership = readMembership(this.options.root);
    return membership?.server === formatAddress(this.options.settings.address) ? membership : undefined;
  }

  /** Whether the server failed or refused, and not this workspace, one session's data or another process's lock. */
  isServerError(error: unknown): boolean {
    const address = formatAddress(this.options.settings.address);
    return error instanceof ScratchpadError && error.detail.where === address;
  }

  connect(): Promise<Remote> {
    const open = this.#open ?? this.#openRemote();
    this.#open = open;
    open.catch(() => {
      if (this.#open === open) this.#open = undefined;
    });

    return open;
  }

  async #openRemote(): Promise<Remote> {
    const { root, config, env, settings, isRequested = false, waitMs = TIMEOUT_MS } = this.options;
    if (judgeProvenance(root, env).spaces === 'untrusted')
      throw refusal('the scratchpad here came from somebody else: nothing was sent', {
        where: root,
        next: { to: 'review it, then trust it', command: 'scratchpad trust' },
      });

    if (settings.isUserWide && !isRequested && this.#readMembership() === undefined)
      throw refusal('this workspace has not joined the shared store: nothing was sent', { where: root });

    const membership = joinStore(root, formatAddress(settings.address), config);
    // The only place that loads the driver.
    const { openRemote } = await import('./remote.ts');
    const startedAt = Date.now();
    const remote = await openRemote(settings, membership.identity, waitMs);
    const { workspace } = remote;

    if (membership.workspace !== workspace) writeMembership(root, { ...membership, workspace });
    noteContact(root, { failed: undefined, connectMs: Date.now() - startedAt });

    return remote;
  }
}

/**
 * An exchange with the workspace's store; `undefined` if none is set.
 * @throws ScratchpadError `usage` for an invalid address
 */
export function openExchange(
  member: StoreMember,
  more: Pick<ExchangeOptions, 'isRequested' | 'waitMs'> = {},
): Exchange | undefined {
  const settings = readStoreSettings(member.root, member.config, member.env);
  return settings && new Exchange({ ...member, settings, ...more });
}

/** An exchange that a person requests. @throws ScratchpadError `refused` if no store is set */
export function requireExchange(member: StoreMember): Exchange {
  const exchange = openExchange(member, { isRequested: true });
  if (exchange !== undefined) return exchange;

  throw refusal('no shared store is set', {
    expected: 'the setting store, or SCRATCHPAD_STORE in the environment',
    next: {
      to: 'set it',
      command: 'scratchpad config set --user store postgres://agents@db.example.com/scratchpad',
    },
  });
}
