import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { resolveRealPath } from '../base/fs/guard.ts';
import { isPrivate, stateFolder } from '../base/fs/system.ts';
import { digestText } from '../base/text/strings.ts';

/*
 * A command hook asks the server that the same host has started, if there is one: loading the program and its caches
 * takes ten times as long as the answer. Built into a file of its own, which loads nothing else.
 */

/** A hook's call with the host's input as text, and its surroundings: what the server is sent. */
export interface ServerCall {
  host: string;
  event?: string | undefined;
  workspace?: string | undefined;
  now?: string | undefined;
  tools?: boolean | undefined;
  said: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
  started: number;
}

const INPUT_WAIT_MS = 1000;
/** The server's first byte, when it has read the event, and its last; no answer holds it, whole or cut off. */
export const MARK = '\u0004';
/** More than any answer: bytes. */
const LONGEST_ANSWER = 4 * 1024 * 1024;
/** A server that says nothing for so long is stopped, or stuck. */
const SILENT_MS = 400;
/** Longer than any deadline that the settings allow. */
const LONGEST_MS = 10_000;

/**
 * Answers `hook HOST EVENT` with no option other than `--tools`, as hosts call it; a parser of more takes too long to load.
 * @param here answers in this process, if no server does
 * @returns `undefined` for any other command line
 */
export function answerHook(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  here: (asked: ServerCall) => Promise<void>,
): Promise<void> | undefined {
  const started = Date.now();
  const call = parseHookCall(argv);
  return call && answer({ ...call, env, cwd, started }, here);
}

async function answer(
  call: Omit<ServerCall, 'said'>,
  here: (asked: ServerCall) => Promise<void>,
): Promise<void> {
  const question = { ...call, said: await readHookInput(INPUT_WAIT_MS) };
  const text = await askServer(question, process.ppid);
  if (text === undefined) await here(question);
  else if (text !== '') process.stdout.write(text);
}

function parseHookCall(argv: readonly string[]): Pick<ServerCall, 'host' | 'event' | 'tools'> | undefined {
  const [host, event, ...more] = argv.slice(1).filter((word) => word !== '--tools');
  const hasOptions = host?.startsWith('-') || event?.startsWith('-') || more.length > 0;
  return host === undefined || hasOptions ? undefined : { host, event, tools: argv.includes('--tools') };
}

/** The folder of the servers' sockets; `undefined` without a home. */
export function findSocketFolder(env: NodeJS.ProcessEnv): string | undefined {
  const state = stateFolder(env);
  return state === undefined || process.platform === 'win32' ? undefined : join(state, 'servers');
}

/** No system connects to a longer path: macOS takes 103 bytes, Linux 107. */
const LONGEST_SOCKET = 103;

/** @param folder of the servers; where its path is too long, a folder below /tmp takes its place */
export function getSocketPath(folder: string, host: number): string {
  const path = join(folder, `${host}.sock`);
  if (Buffer.byteLength(path) <= LONGEST_SOCKET) return path;
  return join('/tmp', `scratchpad-${digestText(folder)}`, `${host}.sock`);
}

/** Variables that say where things are, and which session it is: the server has the others from the same host. */
const PLACES =
  /^(?:HOME|USERPROFILE|USER|LOGNAME|TZ|(?:XDG|SCRATCHPAD|CLAUDE|CLAUDECODE|CODEX|GEMINI|COPILOT|OPENCLAW|PI)(?:_\w+)?)$/;
const SECRETS = /KEY|TOKEN|SECRET|PASS|AUTH|_STORE$/i;

const listPlaces = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => PLACES.test(name) && !SECRETS.test(name)));

/** @param host the host's process @returns what the hook is to print; `undefined` if no server answers */
function askServer(asked: ServerCall, host: number): Promise<string | undefined> {
  // Without links, which another user could change after the look at who owns the folders.
  const named = findSocketFolder(asked.env);
  const folder = named && resolveRealPath(named);
  const path = folder && getSocketPath(folder, host);
  // Another user's server would get to know the prompt, and speak to the model.
  const isSafe = (each: string): boolean => each === folder || isPrivate(each);
  if (path === undefined || ![path, dirname(path)].every(isSafe)) return Promise.resolve(undefined);

  return new Promise((resolve) => {
    const socket = connect(path);
    const parts: Buffer[] = [];
    let size = 0;
    const fail = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(undefined);
    };

    let timer = setTimeout(fail, SILENT_MS);

    socket.on('error', fail);
    socket.on('data', (part) => {
      if (parts.length === 0) {
        clearTimeout(timer);
        timer = setTimeout(fail, LONGEST_MS);
      }

      parts.push(part);
      size += part.length;
      if (size > LONGEST_ANSWER) fail();
    });
    socket.on('end', () => {
      const text = Buffer.concat(parts).toString();
      if (text.length < 2 || !text.startsWith(MARK) || !text.endsWith(MARK)) return fail();
      clearTimeout(timer);
      socket.destroy();
      resolve(text.slice(1, -1));
    });
    socket.end(JSON.stringify({ ...asked, env: listPlaces(asked.env) }));
  });
}

/** Reads a host's input from stdin until it closes, or `waitMs` have passed: a host may keep its end open. */
export async function readHookInput(waitMs: number): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY) return '';

  const parts: Buffer[] = [];
  const timer = setTimeout(() => stdin.destroy(), waitMs);
  // Closed also where it was destroyed, or broken by the host: what came until then counts.
  await new Promise((resolve) => {
    stdin
      .on('data', (part) => parts.push(part))
      .on('error', resolve)
      .on('end', resolve)
      .on('close', resolve);
  });

  clearTimeout(timer);

  return Buffer.concat(parts).toString();
}
