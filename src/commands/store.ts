import { inShort } from '../base/errors.ts';
import { listCounts, thousands } from '../base/text/counts.ts';
import { spellAge } from '../pad/freshness.ts';
import type { Exchange, Exchanged, Unsent } from '../shared-store/index.ts';
import type { Invocation } from './invocation.ts';
import { openAlone } from './open.ts';
import { row } from './terminal.ts';

/**
 * Where the store is and how this workspace stands. Shape with `--json`: `{server, workspace, joined, inStep,
 * reachable, problem, unsent: {revisions, entries, trails}}`; times in ISO 8601, `reachable` is null if the server
 * was not asked.
 */
export async function status(invocation: Invocation, options: { offline?: boolean }): Promise<void> {
  const { workspaceIdentity, readCircuit, readMembership, shownAddress } = await import(
    '../shared-store/index.ts'
  );
  const exchange = await exchangeOf(invocation);
  const { root, settings, config } = exchange.options;
  const server = shownAddress(settings.address);
  const membership = readMembership(root);
  const joined = membership?.server === server;
  const problem = options.offline || !joined ? undefined : await asked(exchange);
  const circuit = readCircuit(root);
  const unsent = await exchange.unsent();
  await exchange.close();
  const inStep = circuit.inStep === undefined ? null : new Date(circuit.inStep).toISOString();
  const reachable = options.offline || !joined ? null : problem === undefined;
  invocation.result(
    {
      server,
      workspace: joined ? membership.identity : null,
      joined,
      inStep,
      reachable,
      problem: problem ?? null,
      unsent,
    },
    [
      row('server', server),
      row(
        'workspace',
        joined
          ? membership.identity
          : `not joined; run: scratchpad store join (as ${nameFor(() => workspaceIdentity(root, config))})`,
      ),
      row(
        'in step',
        circuit.inStep === undefined ? 'never' : `${spellAge(invocation.now - circuit.inStep)} ago`,
      ),
      row('unsent', spellUnsent(unsent)),
      ...(problem === undefined ? [] : [row('problem', problem)]),
    ].join('\n'),
  );
}

/** Shape with `--json`: `{server, workspace, sent, received, notices}`. */
export async function join(invocation: Invocation): Promise<void> {
  const { joinStore, shownAddress } = await import('../shared-store/index.ts');
  const exchange = await exchangeOf(invocation);
  const { root, settings, config } = exchange.options;
  const server = shownAddress(settings.address);
  const { identity } = joinStore(root, server, config);
  const done = await closing(exchange, () => exchange.sync());
  for (const notice of done.notices) invocation.note(`warning: ${notice}`);
  invocation.result(
    { server, workspace: identity, ...counts(done) },
    `joined ${server} as ${identity}\n${spellDone(done)}`,
  );
}

/** Shape with `--json`: `{sessions, sent, received, notices}`. */
export async function pull(invocation: Invocation, { all = false }: { all?: boolean }): Promise<void> {
  const exchange = await exchangeOf(invocation);
  const done = await closing(exchange, () => exchange.sync({ everySession: all }));
  for (const notice of done.notices) invocation.note(`warning: ${notice}`);
  invocation.result({ sessions: done.sessions, ...counts(done) }, spellDone(done));
}

/** Shape with `--json`: `{server, from, to, granted}`. */
export async function migrate(
  invocation: Invocation,
  { grant: role, tenant }: { grant?: string; tenant: string },
): Promise<void> {
  const { shownAddress } = await import('../shared-store/index.ts');
  const { options } = await exchangeOf(invocation);
  const { Connection, grant, migrate: bringUp } = await import('../shared-store/postgres-remote.ts');
  const connection = new Connection({ ...options.settings, timeoutMs: MIGRATION_MS });
  try {
    const { from, to } = await bringUp(connection);
    if (role !== undefined) await grant(connection, role, tenant);
    const server = shownAddress(options.settings.address);
    const lines = [
      from === to ? `${server} is up to date (schema ${to})` : `${server}: schema ${from} -> ${to}`,
      ...(role === undefined ? [] : [`${role} may use it for the tenant ${tenant}`]),
    ];
    invocation.result(
      { server, from, to, granted: role === undefined ? null : { role, tenant } },
      lines.join('\n'),
    );
  } finally {
    await connection.close();
  }
}

/** Shape with `--json`: `{forgotten}`. */
export async function forget(invocation: Invocation, session: string): Promise<void> {
  const exchange = await exchangeOf(invocation);
  await closing(exchange, () => exchange.forget(session));
  invocation.result({ forgotten: session }, `the shared store no longer has ${session}`);
}

/** Background work of other commands: silent, and it never fails. */
export async function sync(invocation: Invocation): Promise<void> {
  const { workspace, config } = await openAlone({ ...invocation, note: () => undefined });
  const { runWorker } = await import('../shared-store/index.ts');
  await runWorker({ root: workspace.root, config, env: invocation.env });
}

const MIGRATION_MS = 60_000;

/** The exchange of this workspace, on a person's request. @throws ScratchpadError `refused` if no store is set */
async function exchangeOf(invocation: Invocation): Promise<Exchange> {
  const { Exchange, noStore, storeSettings } = await import('../shared-store/index.ts');
  const { workspace, config } = await openAlone(invocation);
  const settings = storeSettings(workspace.root, config, invocation.env);
  if (settings === undefined) throw noStore();
  const { root } = workspace;
  return new Exchange({ root, config, env: invocation.env, now: Date.now, settings, asked: true });
}

async function closing<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await exchange.close();
  }
}

/** The problem with the server; `undefined` if it answers. */
async function asked(exchange: Exchange): Promise<string | undefined> {
  try {
    await exchange.channel();
    return undefined;
  } catch (error) {
    return inShort(error);
  }
}

function nameFor(identity: () => string): string {
  try {
    return identity();
  } catch {
    return 'the name in shared.workspace, which is not set';
  }
}

function counts({ sent, received, notices }: Exchanged): Omit<Exchanged, 'sessions'> {
  return { sent, received, notices };
}

function spellDone({ sent, received }: Exchanged): string {
  if (sent === 0 && received === 0) return 'in sync: nothing to send or receive';
  return `sent ${thousands(sent)}, received ${thousands(received)}`;
}

/** `3 revisions, 1 entry`, or `nothing`. */
function spellUnsent({ revisions, entries, trails }: Unsent): string {
  return listCounts([
    [revisions, 'revision', 'revisions'],
    [entries, 'entry', 'entries'],
    [trails, 'trail', 'trails'],
  ]);
}
