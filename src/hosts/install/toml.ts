import { isAbsolute } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { getMessage, refusal } from '../../base/errors.ts';
import { exists } from '../../base/fs/index.ts';
import { getList, getObject, type JsonObject } from '../../base/text/json.ts';
import type { Target } from './change.ts';
import { SERVER } from './hook-command.ts';

/** A block in the settings of Codex that is added only if they are valid before and after; a person's own server stays. */
export function makeCodexTable(target: Target): Target {
  const { path, add, remove } = target;
  const isOurs = (text: string): boolean => remove(text) !== text;
  return {
    ...target,
    add(text = '') {
      const servers = getObject(readToml(text, path, 'fix that, then try again'), 'mcp_servers');
      if (!isOurs(text) && servers?.[SERVER] !== undefined) {
        assertProgramsExist(getObject(servers, SERVER), path);
        return text;
      }

      const after = add(text);
      readToml(after, path, BY_HAND, true);
      return after;
    },
  };
}

/** Refuses a person's server whose program is gone: it would leave Codex without tools. */
function assertProgramsExist(server: JsonObject = {}, path: string): void {
  const program = [server.command, getList(server, 'args')[0]];
  const missing = program.find((word) => typeof word === 'string' && isAbsolute(word) && !exists(word));
  if (missing === undefined) return;
  throw refusal(`the MCP server ${SERVER} of Codex calls ${missing}, which does not exist`, {
    where: path,
    expected: 'a program that exists, or no server of that name',
    next: `codex mcp remove ${SERVER}; then: scratchpad install codex`,
  });
}

const BY_HAND =
  'write it as tables, such as [mcp_servers.other]; or add by hand: codex mcp add scratchpad -- scratchpad mcp';

function readToml(text: string, path: string, next: string, isOurs = false): JsonObject {
  try {
    // `readText` keeps other bytes as lone surrogates.
    if (!text.isWellFormed()) throw new Error('bytes that are not UTF-8');
    const settings = parseToml(text.replace(/^\uFEFF/, '')) as JsonObject;
    if (isOurs && !getObject(settings, 'mcp_servers')) throw new Error('mcp_servers is a list');
    return settings;
  } catch (error) {
    const { line, column } = error as { line?: number; column?: number };
    throw refusal('the settings cannot be written as valid TOML: nothing was changed', {
      where: line === undefined ? path : `${path}:${line}:${column}`,
      expected: 'TOML in which [mcp_servers.scratchpad] is a table',
      // Not its text: a repository may have a link to a secret in its place.
      found: getMessage(error).split('\n')[0],
      next,
    });
  }
}
