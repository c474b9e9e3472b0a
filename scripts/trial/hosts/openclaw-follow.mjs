/**
 * Prints what OpenClaw writes into an agent's database, line by line, until it is ended: `openclaw agent` itself
 * prints nothing while it works. Runs on OpenClaw's own Node, which can read the database.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';

const [, , path] = process.argv;
const seen = new Map();
let current = '';
let begun = false;

const look = (quietly) => {
  if (!existsSync(path)) return;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database
      .prepare(
        'SELECT session_id, seq, event_json, event_zstd FROM transcript_events ORDER BY session_id, seq',
      )
      .all();
    for (const row of rows) {
      if (row.seq <= (seen.get(row.session_id) ?? -1)) continue;
      seen.set(row.session_id, row.seq);
      if (quietly) continue;
      if (row.session_id !== current) console.log(JSON.stringify({ session: row.session_id }));
      current = row.session_id;
      const text = row.event_json ?? String(zstdDecompressSync(row.event_zstd));
      console.log(String(text).replaceAll('\n', ' '));
    }
    begun = true;
  } finally {
    database.close();
  }
};

const tryTo = (quietly) => {
  try {
    look(quietly);
  } catch {
    // It is being made, or somebody writes.
  }
};
if (process.argv[3] !== 'all') tryTo(true);
console.log(JSON.stringify({ ready: begun }));
const every = setInterval(() => tryTo(false), 300);
process.on('SIGTERM', () => {
  clearInterval(every);
  tryTo(false);
});
