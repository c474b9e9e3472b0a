import { refusal, type ScratchpadError } from '../base/errors.ts';
import type { Connection } from './connection.ts';
import { formatAddress } from './settings.ts';

const TENANT_TABLES = ['workspace', 'pad', 'journal'] as const;
const KEY = 'tenant text NOT NULL, workspace uuid NOT NULL';

/**
 * A row is visible to the tenants of the requesting role only. A role cannot pretend to be another, unlike a
 * client that only names its tenant; this binds the owner of the tables, too.
 */
const isolateTable = (table: string): string[] => [
  `ALTER TABLE scratchpad.${table} ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE scratchpad.${table} FORCE ROW LEVEL SECURITY`,
  `CREATE POLICY own_tenant ON scratchpad.${table}
     USING (tenant IN (SELECT tenant FROM scratchpad.member WHERE role = current_user))
     WITH CHECK (tenant IN (SELECT tenant FROM scratchpad.member WHERE role = current_user))`,
];

/** The steps of the schema, each with the oldest client that can use it. A released step never changes. */
const MIGRATIONS = [
  {
    version: 1,
    oldestClient: 1,
    statements: [
      `CREATE TABLE scratchpad.member (
         role text NOT NULL, tenant text NOT NULL, PRIMARY KEY (role, tenant))`,
      'ALTER TABLE scratchpad.member ENABLE ROW LEVEL SECURITY',
      'CREATE POLICY own_rows ON scratchpad.member FOR SELECT USING (role = current_user)',
      `CREATE TABLE scratchpad.workspace (
         tenant text NOT NULL, id uuid NOT NULL DEFAULT gen_random_uuid(), identity text NOT NULL,
         created timestamptz NOT NULL DEFAULT now(),
         PRIMARY KEY (tenant, id), UNIQUE (tenant, identity))`,
      `CREATE TABLE scratchpad.pad (
         ${KEY}, session text NOT NULL, revision bigint NOT NULL,
         plan text NOT NULL, notes text NOT NULL, refs text NOT NULL,
         created timestamptz NOT NULL DEFAULT now(), updated timestamptz NOT NULL DEFAULT now(),
         PRIMARY KEY (tenant, workspace, session),
         FOREIGN KEY (tenant, workspace) REFERENCES scratchpad.workspace (tenant, id) ON DELETE CASCADE)`,
      `CREATE TABLE scratchpad.journal (
         ${KEY}, session text NOT NULL, revision bigint NOT NULL,
         operation text NOT NULL, space text NOT NULL CHECK (space IN ('plan', 'notes', 'refs')),
         content text NOT NULL, op text NOT NULL, author text NOT NULL, actor text,
         made timestamptz NOT NULL,
         stored timestamptz NOT NULL DEFAULT now(), replaced text, last boolean NOT NULL,
         PRIMARY KEY (tenant, workspace, session, revision),
         UNIQUE (tenant, workspace, session, operation))`,
      ...TENANT_TABLES.flatMap(isolateTable),
    ],
  },
];

export const SCHEMA = 1;

/**
 * Upgrades the schema. To be run by the role that will own it; two runs at once wait for each other.
 * @throws ScratchpadError `refused` if the database is newer than this program
 */
export async function migrate(connection: Connection): Promise<{ from: number; to: number }> {
  await connection.query('CREATE SCHEMA IF NOT EXISTS scratchpad');
  await connection.query(
    `CREATE TABLE IF NOT EXISTS scratchpad.schema_version (
       one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL, oldest_client integer NOT NULL)`,
  );
  await connection.query(
    'INSERT INTO scratchpad.schema_version (version, oldest_client) VALUES (0, 0) ON CONFLICT DO NOTHING',
  );
  const [row] = await connection.query<Versions>('SELECT version FROM scratchpad.schema_version');
  const from = row?.version ?? 0;

  if (from > SCHEMA) throw schemaTooNew(from, connection);

  // Each step is one transaction.
  for (const { version, oldestClient, statements } of MIGRATIONS)
    await connection.query(`DO $step$ BEGIN
      PERFORM 1 FROM scratchpad.schema_version FOR UPDATE;
      IF (SELECT version FROM scratchpad.schema_version) < ${version} THEN
        ${statements.join(';\n')};
        UPDATE scratchpad.schema_version SET version = ${version}, oldest_client = ${oldestClient};
      END IF;
    END $step$`);

  return { from, to: SCHEMA };
}

/** Lets a database role work for a tenant. @throws ScratchpadError `refused` for a role that bypasses row-level security */
export async function grant(connection: Connection, role: string, tenant: string): Promise<void> {
  const [found] = await connection.query<{ above: boolean }>(
    'SELECT rolsuper OR rolbypassrls AS above FROM pg_catalog.pg_roles WHERE rolname = $1',
    [role],
  );
  if (found === undefined)
    throw refusal('no such role in the database', {
      found: role,
      next: `create it with: CREATE ROLE ${quoteIdentifier(role)} LOGIN`,
    });

  if (found.above) throw roleBypassesSecurity(role, connection);

  const name = quoteIdentifier(role);
  await connection.query(`GRANT USAGE ON SCHEMA scratchpad TO ${name}`);
  await connection.query(`GRANT SELECT ON scratchpad.schema_version, scratchpad.member TO ${name}`);
  const tables = TENANT_TABLES.map((table) => `scratchpad.${table}`).join(', ');
  await connection.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${name}`);
  await connection.query(
    'INSERT INTO scratchpad.member (role, tenant) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [role, tenant],
  );
}

export interface Versions {
  version: number;
  oldest_client: number;
}

/** @throws ScratchpadError `refused` if the schema of the database is incompatible with this program */
export function checkSchema({ version, oldest_client }: Versions, connection: Connection): void {
  if (version < SCHEMA)
    throw refusal('the shared store is older than this program: nothing was sent', {
      where: formatAddress(connection.address),
      expected: `schema ${SCHEMA}`,
      found: `schema ${version}`,
      next: { to: 'bring it up to date', command: 'scratchpad store migrate' },
    });

  if (oldest_client > SCHEMA) throw schemaTooNew(version, connection);
}

/**
 * Examines a server before anything is sent.
 * @param wanted one of the role's tenants; needed only if it has several
 * @throws ScratchpadError `refused` for a schema of another version, a role that bypasses row-level security, or one
 * without a tenant
 */
export async function readTenant(connection: Connection, wanted: string | undefined): Promise<string> {
  const [row] = await connection.query<Versions & { above: boolean; tenants: string[] }>(
    `SELECT v.version, v.oldest_client, r.rolsuper OR r.rolbypassrls AS above,
       ARRAY(SELECT tenant FROM scratchpad.member WHERE role = current_user) AS tenants
     FROM scratchpad.schema_version v, pg_catalog.pg_roles r WHERE r.rolname = current_user`,
  );

  if (row !== undefined) checkSchema(row, connection);
  if (row?.above) throw roleBypassesSecurity(connection.address.user, connection);

  const tenants = row?.tenants ?? [];
  const tenant = wanted ?? (tenants.length === 1 ? tenants[0] : undefined);
  if (tenant !== undefined && tenants.includes(tenant)) return tenant;

  throw refusal('the role has no tenant, or several', {
    where: formatAddress(connection.address),
    expected: 'one tenant, or shared.tenant in your own settings',
    found: tenants.join(', ') || 'none',
    next: { to: 'grant access', command: 'scratchpad store migrate --grant ROLE --tenant NAME' },
  });
}

const roleBypassesSecurity = (role: string, { address }: Connection): ScratchpadError =>
  refusal('the role bypasses row-level security: nothing was sent', {
    where: formatAddress(address),
    expected: 'a role without SUPERUSER and BYPASSRLS, which sees only its own tenant',
    found: role,
    next: {
      to: 'create one with: CREATE ROLE agents LOGIN; then grant access',
      command: 'scratchpad store migrate --grant agents',
    },
  });

function schemaTooNew(version: number, { address }: Connection): ScratchpadError {
  return refusal('the shared store is newer than this program: nothing was sent', {
    where: formatAddress(address),
    expected: `schema ${SCHEMA}`,
    found: `schema ${version}`,
    next: 'update this program on this machine',
  });
}

const quoteIdentifier = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;
