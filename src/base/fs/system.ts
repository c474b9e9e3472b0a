import { readFileSync, readlinkSync } from 'node:fs';
import { hasCode } from '../errors.ts';

/**
 * Whether no living process of this host has the pid. A zombie has ended, even if its parent has not
 * collected it.
 */
export function processIsGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return true;
  }
  const { state } = processStat(pid);
  return state === 'Z' || state === 'X';
}

/**
 * Fields 3 and 22 of /proc/PID/stat (proc(5)); empty if there is no /proc. The name in field 2 may contain
 * blanks.
 */
export function processStat(pid: number): { state: string; start: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '' };
  } catch {
    return { state: '', start: '' };
  }
}

let host: string | undefined;

/** Host name and, if there is one, the process namespace: pids of another sandbox mean nothing here. */
export function hostName(): string {
  if (host === undefined) {
    try {
      host = readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
    } catch {
      host = process.env.HOSTNAME ?? process.env.COMPUTERNAME ?? 'local';
    }
    try {
      host += ` ${readlinkSync('/proc/self/ns/pid')}`;
    } catch {
      // The system has no namespaces.
    }
  }
  return host;
}

/** The command line of a process; empty if the system has no `/proc`, or does not tell. */
export function wordsOfProcess(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/**
 * The person's home directory. If the environment does not tell, the system is asked, through a module that
 * few runs need.
 */
export function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME || env.USERPROFILE || process.getBuiltinModule('node:os').homedir();
}
