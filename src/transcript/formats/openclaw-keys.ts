/** Sessions that no human speaks in, by their key without `agent:<id>:`. */
const UNATTENDED = /^(?:cron|hook|heartbeat|subagent|acp)(?::|$)|:(?:cron|heartbeat|subagent)(?::|$)/;

/** True for the key of a session that a timer, a hook or another agent started. */
export function isUnattended(key: string): boolean {
  return UNATTENDED.test(key.replace(/^agent:[^:]*:/, ''));
}
