import { inShort } from '../base/errors.ts';
import { thousands } from '../base/text/strings.ts';
import { spellAge } from '../pad/freshness.ts';
import type { Exchange, Exchanged } from '../shared-store/index.ts';
import { command, type Declared } from './command.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';
import { row } from './print.ts';

const load = () => import('../shared-store/index.ts');
const MIGRATION_MS = 60_000;

export const store: Declared = {
  examples: [
    'scratchpad config set --user store postgres://agents@db.example.com/scratchpad',
    'scratchpad store migrate --grant agents',
  ],
  verbs: {
    status: command({
      about: 'show where the store is, when this workspace last synced, and whether something is unsent',
      takes: { '--offline': 'do not ask the server' },
      run: async (call, { offline }) => {
        const { readContact, readMembership, shownAddress } = await load();
        const exchange = await exchangeOf(call);
        const { root, settings } = exchange.options;
        const server = shownAddress(settings.address);
        const membership = readMembership(root);
        const workspace = membership?.server === server ? membership.identity : null;
        const isAsked = !offline && workspace !== null;
        const problem = isAsked ? await exchange.connected().then(() => null, inShort) : null;
        const { inStep } = readContact(root);
        const unsent = await exchange.mayHaveUnsent();
        exchange.close();
        const value = {
          ...{ server, workspace, problem, unsent },
          joined: workspace !== null,
          inStep: inStep === undefined ? null : new Date(inStep).toISOString(),
          reachable: isAsked ? problem === null : null,
        };
        call.result(value, [
          row('server', server),
          row('workspace', workspace ?? 'not joined; run: scratchpad store join'),
          row('in step', inStep === undefined ? 'never' : `${spellAge(call.now - inStep)} ago`),
          row('unsent', unsent ? 'what changed here since' : 'nothing'),
          row('problem', problem),
        ]);
      },
    }),
    join: command({
      about: 'start to share the memory of this workspace',
      run: async (call) => {
        const { joinStore, shownAddress } = await load();
        const exchange = await exchangeOf(call);
        const { root, settings, config } = exchange.options;
        const server = shownAddress(settings.address);
        const { identity } = joinStore(root, server, config);
        const { sessions: _, ...done } = await closing(exchange, () => exchange.sync());
        tellDone(call, { server, workspace: identity, ...done }, `joined ${server} as ${identity}`);
      },
    }),
    pull: command({
      about: 'take in changes of other machines, and send unsent ones',
      also: ['push'],
      takes: { '--all': 'also take in sessions that are not on this machine yet' },
      run: async (call, { all = false }) => {
        const exchange = await exchangeOf(call);
        tellDone(call, await closing(exchange, () => exchange.sync({ everySession: all })));
      },
    }),
    migrate: command({
      about: 'set up the database or bring it up to date; connect as the role that is to own it',
      takes: {
        '--grant <role>': 'give a database role access',
        '--tenant <name>': 'the tenant whose rows that role may see (default: default)',
      },
      run: async (call, { grant: role, tenant = 'default' }) => {
        const { shownAddress } = await load();
        const { settings } = (await exchangeOf(call)).options;
        const { Connection, grant, migrate } = await import('../shared-store/remote.ts');
        const connection = new Connection({ ...settings, timeoutMs: MIGRATION_MS });
        try {
          const { from, to } = await migrate(connection);
          if (role !== undefined) await grant(connection, role, tenant);
          const server = shownAddress(settings.address);
          call.result({ server, from, to, granted: role === undefined ? null : { role, tenant } }, [
            from === to ? `${server} is up to date (schema ${to})` : `${server}: schema ${from} -> ${to}`,
            role !== undefined && `${role} may use it for the tenant ${tenant}`,
          ]);
        } finally {
          connection.close();
        }
      },
    }),
    forget: command({
      about: 'delete a session from the store; a machine that still has it sends it again',
      takes: { '<session>': 'its id' },
      run: async (call, { session }) => {
        const exchange = await exchangeOf(call);
        await closing(exchange, async () => (await exchange.connected()).forget(session));
        call.result({ forgotten: session }, `the shared store no longer has ${session}`);
      },
    }),
    // Silent, and it never fails.
    sync: command({
      about: 'send and take in changes until none are left, in the background of other commands',
      hidden: true,
      run: async (call) => {
        const { workspace, config } = await openSession({ ...call, note: () => undefined }, { alone: true });
        await (await load()).runWorker({ root: workspace.root, config, env: call.env });
      },
    }),
  },
};

/** The exchange of this workspace, on a person's request. @throws ScratchpadError `refused` if no store is set */
async function exchangeOf(call: Invocation): Promise<Exchange> {
  const { Exchange, noStore, storeSettings } = await load();
  const { workspace, config } = await openSession(call, { alone: true });
  const { root } = workspace;
  const settings = storeSettings(root, config, call.env);
  if (settings === undefined) throw noStore();
  return new Exchange({ root, config, env: call.env, settings, asked: true });
}

async function closing<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
  return work().finally(() => exchange.close());
}

type Done = Pick<Exchanged, 'sent' | 'received' | 'notices'>;

function tellDone<T extends Done>(call: Invocation, done: T, first?: string): void {
  const { sent, received, notices } = done;
  for (const notice of notices) call.note(`warning: ${notice}`);
  const what = `sent ${thousands(sent)}, received ${thousands(received)}`;
  call.result(done, [first, sent === 0 && received === 0 ? 'in sync: nothing to send or receive' : what]);
}
