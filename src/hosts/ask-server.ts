import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { resolveRealPath } from '../base/fs/guard.ts';
import { isPrivate, stateFolder } from '../base/fs/system.ts';
import { digestText } from '../base/text/strings.ts';

/*
 * A command hook asks the server that the same host has started, if there is one: loading the program and its caches
 * takes ten times as long as the answer. Built into a file of its own, which loads nothing else.
 */

/** One call of `scratchpad hook`, as a server is sent it. */
export interface HookCall {
  host: string;
  event?: string | undefined;
  workspace?: string | undefined;
  now?: string | undefined;
  tools?: boolean | undefined;
  input: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
  started: number;
}

const INPUT_WAIT_MS = 1000;
/** The server's first byte, when it has read the event, and its last; no answer holds it, whole or cut off. */
export const MARK = '\u0004';
/** More bytes than any answer has. */
const LONGEST_ANSWER = 4 * 1024 * 1024;
/** A server that sends nothing for so long is stopped, or stuck. */
const SILENT_MS = 400;
/** Longer than any deadline that the settings allow. */
const LONGEST_MS = 10_000;

/**
 * Answers `hook HOST EVENT` with no option other than `--tools`, as hosts call it; a parser of more takes too long to load.
 * @param answerHere answers in this process, if no server does
 * @returns `undefined` for any other command line
 */
export function answerHook(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  answerHere: (call: HookCall) => Promise<void>,
): Promise<void> | undefined {
  const started = Date.now();
  const [host, event, ...more] = argv.slice(1).filter((word) => word !== '--tools');
  const hasOptions = host?.startsWith('-') || event?.startsWith('-') || more.length > 0;
  if (host === undefined || hasOptions) return undefined;

  return answer({ host, event, tools: argv.includes('--tools'), env, cwd, started }, answerHere);
}

async function answer(
  words: Omit<HookCall, 'input'>,
  answerHere: (call: HookCall) => Promise<void>,
): Promise<void> {
  const call = { ...words, input: await readHookInput(INPUT_WAIT_MS) };
  const text = await askServer(call, process.ppid);
  if (text === undefined) await answerHere(call);
  else if (text !== '') process.stdout.write(text);
}

/** The folder of the servers' sockets; `undefined` without a home. */
export function findSocketFolder(env: NodeJS.ProcessEnv): string | undefined {
  const state = stateFolder(env);
  return state === undefined || process.platform === 'win32' ? undefined : join(state, 'servers');
}

/** No system connects to a longer path: macOS takes 103 bytes, Linux 107. */
const LONGEST_SOCKET = 103;

/** The socket of a host's server: in the folder of the servers, or below /tmp if that path is too long. */
export function getSocketPath(folder: string, hostPid: number): string {
  const path = join(folder, `${hostPid}.sock`);
  if (Buffer.byteLength(path) <= LONGEST_SOCKET) return path;
  return join('/tmp', `scratchpad-${digestText(folder)}`, `${hostPid}.sock`);
}

/** Variables that locate things, or name the session: the server has the others from the same host. */
const SENT_VARIABLES =
  /^(?:HOME|USERPROFILE|USER|LOGNAME|TZ|(?:XDG|SCRATCHPAD|CLAUDE|CLAUDECODE|CODEX|GEMINI|COPILOT|OPENCLAW|PI)(?:_\w+)?)$/;
const SECRET_VARIABLES = /KEY|TOKEN|SECRET|PASS|AUTH|_STORE$/i;

const pickVariables = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => SENT_VARIABLES.test(name) && !SECRET_VARIABLES.test(name)),
  );

/**
 * Asks the server that the host has started.
 * @param hostPid the host's process
 * @returns the text that the hook is to print; `undefined` if no server answers
 */
function askServer(call: HookCall, hostPid: number): Promise<string | undefined> {
  const socketFolder = findSocketFolder(call.env);
  // Another user could change a link after its owner was checked.
  const folder = socketFolder && resolveRealPath(socketFolder);
  const path = folder && getSocketPath(folder, hostPid);
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
    socket.end(JSON.stringify({ ...call, env: pickVariables(call.env) }));
  });
}

/** Reads a host's input from stdin until it closes, or `waitMs` have passed: a host may keep its end open. */
export async function readHookInput(waitMs: number): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY) return '';

  const parts: Buffer[] = [];
  const timer = setTimeout(() => stdin.destroy(), waitMs);
  // A stream that was destroyed, or broken by the host, closes as well: its input until then counts.
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
