/** How long our server may take until a process answers in its place. */
const LATE_MS = 3000;
/** How long that process may take to start and to answer: cut off later than here, it has told what nobody hears. */
const PROCESS_MS = 10_000;

/**
 * The session that the host is in. Commands that the host starts read from the variable that we answer its prompts.
 * @param e the start of a session
 */
export async function describeSession($, e) {
  if (e !== undefined || describeSession.last === undefined) {
    const { session_id = await $.session.id(), cwd = await $.session.cwd() } = e ?? {};
    const { transcript_path = (await $.session.info()).transcriptPath } = e ?? {};
    describeSession.last = { session_id, cwd, transcript_path };
    await $.env.set('SCRATCHPAD_MOD', session_id);
  }
  return describeSession.last;
}

let socket;

/** In bytes; no system connects to a longer path. */
const LONGEST_SOCKET = 103;

/** The socket on which our server answers what the host's process starts. @throws if it is elsewhere and not noted yet */
async function findSocket($) {
  const { CLAUDE_PID } = await $.process.hookEnv();
  const state = (await $.env.get('XDG_STATE_HOME')) || `${await $.env.get('HOME')}/.local/state`;
  const note = `${state}/scratchpad/servers/${CLAUDE_PID}`;
  const bytes = encodeURIComponent(`${note}.sock`).replace(/%../g, 'x').length;
  if (bytes <= LONGEST_SOCKET) return `${note}.sock`;
  const [, path] = String(await $.fs.read(note)).split('\n');
  if (!path) throw new Error('the server has not noted its socket');
  return path;
}

/** Asks our server. @throws if it is not there, or does not answer in time */
export async function ask($, what, input) {
  socket ??= await findSocket($);
  const body = JSON.stringify({ ...(await describeSession($)), ...input });
  const stop = new AbortController();
  const late = $.clock
    .sleep(LATE_MS, { signal: stop.signal })
    .then(() => Promise.reject(new Error('no answer in time')));
  try {
    const answer = $.http.fetch(`http://scratchpad/${what}`, { method: 'POST', body, socketPath: socket });
    return JSON.parse((await Promise.race([answer, late])).text);
  } finally {
    stop.abort();
  }
}

/** Reports an event to our server, or without it to a process. @returns the answer; `failed` if neither gave one */
export async function tell($, event, more) {
  const input = { host: 'claude-code-mod', event, ...more };
  try {
    return await ask($, 'hook', input);
  } catch {
    return askProcess($, input).catch(() => ({ failed: true }));
  }
}

async function askProcess($, input) {
  const stdin = JSON.stringify({ ...(await describeSession($)), ...input });
  const call = ['scratchpad', 'hook', input.host, input.event, '--tools'];
  const { stdout } = await $.process.run(call, { stdin, timeoutMs: PROCESS_MS });
  return JSON.parse(stdout || '{}');
}
