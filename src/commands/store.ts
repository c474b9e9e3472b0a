import { describeError } from '../base/errors.ts';
import { formatAge } from '../base/text/durations.ts';
import { formatThousands } from '../base/text/strings.ts';
import type { Exchange, ExchangeReport } from '../shared-store/index.ts';
import { type CommandDefinition, defineCommand } from './command.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';
import { renderRow } from './print.ts';

const loadStore = () => import('../shared-store/index.ts');
const MIGRATION_MS = 60_000;

export const store: CommandDefinition = {
  examples: [
    'scratchpad config set --user store postgres://agents@db.example.com/scratchpad',
    'scratchpad store migrate --grant agents',
  ],
  verbs: {
    status: defineCommand({
      about: 'show where the store is, when this workspace last synced, and whether something is unsent',
      takes: { '--offline': 'do not ask the server' },
      run: async (call, { offline }) => {
        const { readContact, readMembership, formatAddress } = await loadStore();
        const exchange = await openStoreExchange(call);
        const { root, settings } = exchange.options;
        const server = formatAddress(settings.address);
        const membership = readMembership(root);
        const workspace = membership?.server === server ? membership.identity : null;
        const isAsked = !offline && workspace !== null;
        const problem = isAsked ? await exchange.connect().then(() => null, describeError) : null;
        const { inStep } = readContact(root);
        const unsent = await exchange.mayHaveUnsent();

        exchange.close();
        const value = {
          server,
          workspace,
          problem,
          unsent,
          joined: workspace !== null,
          inStep: inStep === undefined ? null : new Date(inStep).toISOString(),
          reachable: isAsked ? problem === null : null,
        };

        call.print(value, [
          renderRow('server', server),
          renderRow('workspace', workspace ?? 'not joined; run: scratchpad store join'),
          renderRow('in step', inStep === undefined ? 'never' : `${formatAge(call.now - inStep)} ago`),
          renderRow('unsent', unsent ? 'what changed here since' : 'nothing'),
          renderRow('problem', problem),
        ]);
      },
    }),
    join: defineCommand({
      about: 'start to share the memory of this workspace',
      run: async (call) => {
        const { joinStore, formatAddress } = await loadStore();
        const exchange = await openStoreExchange(call);
        const { root, settings, config } = exchange.options;
        const server = formatAddress(settings.address);
        const { identity } = joinStore(root, server, config);
        const { sessions: _, ...result } = await withExchange(exchange, () => exchange.sync());
        printExchange(call, { server, workspace: identity, ...result }, `joined ${server} as ${identity}`);
      },
    }),
    pull: defineCommand({
      about: 'take in changes of other machines, and send unsent ones',
      aliases: ['push'],
      takes: { '--all': 'also take in sessions that are not on this machine yet' },
      run: async (call, { all = false }) => {
        const exchange = await openStoreExchange(call);
        printExchange(call, await withExchange(exchange, () => exchange.sync({ everySession: all })));
      },
    }),
    migrate: defineCommand({
      about: 'set up the database or bring it up to date; connect as the role that is to own it',
      takes: {
        '--grant <role>': 'give a database role access',
        '--tenant <name>': 'the tenant whose rows that role may see (default: default)',
      },
      run: async (call, { grant: role, tenant = 'default' }) => {
        const { formatAddress } = await loadStore();
        const { settings } = (await openStoreExchange(call)).options;
        const { Connection, grant, migrate } = await import('../shared-store/remote.ts');
        const connection = new Connection({ ...settings, timeoutMs: MIGRATION_MS });

        try {
          const { from, to } = await migrate(connection);
          if (role !== undefined) await grant(connection, role, tenant);
          const server = formatAddress(settings.address);
          call.print({ server, from, to, granted: role === undefined ? null : { role, tenant } }, [
            from === to ? `${server} is up to date (schema ${to})` : `${server}: schema ${from} -> ${to}`,
            role !== undefined && `${role} may use it for the tenant ${tenant}`,
          ]);
        } finally {
          connection.close();
        }
      },
    }),
    forget: defineCommand({
      about: 'delete a session from the store; a machine that still has it sends it again',
      takes: { '<session>': 'its id' },
      run: async (call, { session }) => {
        const exchange = await openStoreExchange(call);
        await withExchange(exchange, async () => (await exchange.connect()).forget(session));
        call.print({ forgotten: session }, `the shared store no longer has ${session}`);
      },
    }),
    // Silent, and it never fails.
    sync: defineCommand({
      about: 'send and take in changes until none are left, in the background of other commands',
      hidden: true,
      run: async (call) => {
        const { workspace, config } = await openSession(
          { ...call, note: () => undefined },
          { syncsItself: true },
        );
        await (await loadStore()).runWorker({ root: workspace.root, config, env: call.env });
      },
    }),
  },
};

async function openStoreExchange(call: Invocation): Promise<Exchange> {
  const { workspace, config } = await openSession(call, { syncsItself: true });
  return (await loadStore()).requireExchange({ root: workspace.root, config, env: call.env });
}

const withExchange = async <T>(exchange: Exchange, work: () => Promise<T>): Promise<T> =>
  work().finally(() => exchange.close());

type ExchangeResult = Pick<ExchangeReport, 'sent' | 'received' | 'notices'>;

function printExchange<T extends ExchangeResult>(call: Invocation, result: T, first?: string): void {
  const { sent, received, notices } = result;
  for (const notice of notices) call.note(`warning: ${notice}`);
  const counts = `sent ${formatThousands(sent)}, received ${formatThousands(received)}`;
  const isInSync = sent === 0 && received === 0;
  call.print(result, [first, isInSync ? 'in sync: nothing to send or receive' : counts]);
}
