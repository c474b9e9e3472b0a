/**
 * All statements for the shared store. Each is a transaction of its own, in plain SQL that CockroachDB and
 * YugabyteDB understand too, and begins with the same two parameters: tenant and workspace. Statements that
 * write check the client against the schema in the same step (`fits`): a database that is migrated while a
 * client runs accepts nothing more from it.
 */
const HERE = 'tenant = $1 AND workspace = $2';
const fits = (client: string): string =>
  `EXISTS (SELECT 1 FROM scratchpad.schema_version v WHERE v.version >= ${client} AND v.oldest_client <= ${client})`;
/** The journal of the session in `$3`. */
const JOURNAL = 'scratchpad.journal WHERE tenant = $1 AND workspace = $2 AND session = $3';

export const SQL = {
  look: `
    SELECT v.version, v.oldest_client, r.rolsuper OR r.rolbypassrls AS above,
      (SELECT string_agg(tenant, E'\\n' ORDER BY tenant) FROM scratchpad.member WHERE role = current_user) AS tenants
    FROM scratchpad.schema_version v, pg_catalog.pg_roles r WHERE r.rolname = current_user`,

  findWorkspace: 'SELECT id FROM scratchpad.workspace WHERE tenant = $1 AND identity = $2',

  makeWorkspace: `
    INSERT INTO scratchpad.workspace (tenant, identity) VALUES ($1, $2) ON CONFLICT DO NOTHING`,

  pull: `
    SELECT v.version, v.oldest_client, p.revision, p.plan, p.notes, p.refs,
      (SELECT operation FROM ${JOURNAL} AND revision = p.revision) AS mark,
      (SELECT operation FROM ${JOURNAL} AND revision = $4) AS since_mark,
      (SELECT json_agg(json_build_object('operation', operation, 'revision', revision, 'last', last)
         ORDER BY revision) FROM ${JOURNAL} AND operation = ANY($5::text[])) AS landed,
      (SELECT json_object_agg(space, actor) FROM (
         SELECT DISTINCT ON (space) space, actor FROM ${JOURNAL} AND revision > $4
         ORDER BY space, revision DESC) AS newest) AS actors,
      (SELECT json_agg(json_build_object('operation', operation, 'space', space, 'replaced', replaced,
         'content', content) ORDER BY revision) FROM ${JOURNAL} AND revision > $4 AND replaced IS NOT NULL)
         AS conflicts
    FROM scratchpad.schema_version v
    LEFT JOIN scratchpad.pad p ON p.tenant = $1 AND p.workspace = $2 AND p.session = $3`,

  /**
   * $4 the known revision, $5 how many follow, $6 to $8 the spaces, $9 the revisions, $10 the client's
   * schema.
   */
  push: `
    WITH head AS (
      INSERT INTO scratchpad.pad AS p (tenant, workspace, session, revision, plan, notes, refs)
      SELECT $1, $2::uuid, $3, $4::bigint + $5::bigint,
        $6::text, $7::text, $8::text
      WHERE ${fits('$10::integer')} AND ($4::bigint = 0 OR EXISTS (
        SELECT 1 FROM scratchpad.pad WHERE tenant = $1 AND workspace = $2::uuid AND session = $3))
      ON CONFLICT (tenant, workspace, session) DO UPDATE SET revision = p.revision + $5::bigint,
        plan = $6::text, notes = $7::text, refs = $8::text, updated = now()
      WHERE p.revision = $4::bigint
      RETURNING p.revision
    ), written AS (
      INSERT INTO scratchpad.journal
        (tenant, workspace, session, revision, operation, space, content, op, author, actor, made, replaced, last)
      SELECT $1, $2::uuid, $3, $4::bigint + r.n, r.operation, r.space, r.content, r.op, r.author, r.actor,
        r.made, r.replaced, r.last
      FROM head, jsonb_to_recordset($9::jsonb) AS r (n bigint, operation text, space text, content text, op text,
        author text, actor text, made timestamptz, replaced text, last boolean)
    )
    SELECT revision FROM head`,

  pads: `SELECT session, revision FROM scratchpad.pad WHERE ${HERE} ORDER BY session`,

  entries: `
    SELECT name, version, hash, bytes, origin, updated, stored FROM scratchpad.entry
    WHERE ${HERE} AND session = $3 ORDER BY name`,

  /**
   * $4 name, $5 the known version, $6 hash, $7 bytes, $8 origin, $9 updated, $10 stored, $11 the client's
   * schema.
   */
  putEntry: `
    INSERT INTO scratchpad.entry AS e (tenant, workspace, session, name, version, hash, bytes, origin, updated, stored)
    SELECT $1, $2::uuid, $3, $4, $5::bigint + 1, $6::text, $7::bigint, $8::text, $9::timestamptz, $10::boolean
    WHERE ${fits('$11::integer')} AND ($5::bigint = 0 OR EXISTS (SELECT 1 FROM scratchpad.entry
        WHERE tenant = $1 AND workspace = $2::uuid AND session = $3 AND name = $4))
      AND (NOT $10::boolean OR $6::text IS NULL OR EXISTS (SELECT 1 FROM scratchpad.content
        WHERE tenant = $1 AND workspace = $2::uuid AND hash = $6))
    ON CONFLICT (tenant, workspace, session, name) DO UPDATE SET version = e.version + 1, hash = $6::text,
      bytes = $7::bigint, origin = $8::text, updated = $9::timestamptz, stored = $10::boolean
    WHERE e.version = $5::bigint
    RETURNING e.version`,

  hasContent: `SELECT bytes, chunks FROM scratchpad.content WHERE ${HERE} AND hash = $3`,

  putChunk: `
    INSERT INTO scratchpad.chunk (tenant, workspace, hash, n, data)
    SELECT $1, $2::uuid, $3, $4::integer, $5::bytea WHERE ${fits('$6::integer')} ON CONFLICT DO NOTHING`,

  putContent: `
    INSERT INTO scratchpad.content (tenant, workspace, hash, bytes, chunks)
    SELECT $1, $2::uuid, $3, $4::bigint, $5::integer WHERE ${fits('$6::integer')} ON CONFLICT DO NOTHING`,

  chunk: `SELECT data FROM scratchpad.chunk WHERE ${HERE} AND hash = $3 AND n = $4`,

  trails: `SELECT session, updated FROM scratchpad.trail WHERE ${HERE} ORDER BY updated DESC LIMIT 40`,

  trail: `SELECT body FROM scratchpad.trail WHERE ${HERE} AND session = $3`,

  putTrail: `
    INSERT INTO scratchpad.trail AS t (tenant, workspace, session, updated, body)
    SELECT $1, $2::uuid, $3, $4::bigint, $5::text WHERE ${fits('$6::integer')}
    ON CONFLICT (tenant, workspace, session) DO UPDATE SET updated = $4::bigint, body = $5::text
    WHERE t.updated < $4::bigint`,

  forget: `
    WITH p AS (DELETE FROM scratchpad.pad WHERE ${HERE} AND session = $3),
      j AS (DELETE FROM ${JOURNAL}),
      e AS (DELETE FROM scratchpad.entry WHERE ${HERE} AND session = $3)
    DELETE FROM scratchpad.trail WHERE ${HERE} AND session = $3`,

  /** Unreferenced contents older than a day: a younger one may be about to be referenced. */
  forgetContents: `
    WITH unused AS (
      DELETE FROM scratchpad.content c WHERE ${HERE} AND created < now() - interval '1 day'
        AND NOT EXISTS (SELECT 1 FROM scratchpad.entry e
          WHERE e.tenant = $1 AND e.workspace = $2 AND e.hash = c.hash)
      RETURNING hash)
    DELETE FROM scratchpad.chunk WHERE ${HERE} AND hash IN (SELECT hash FROM unused)`,

  notify: 'SELECT pg_notify($1, $2)',
} as const;
