/** Sessions without a person, by their key without `agent:<id>:`. */
const UNATTENDED = /^(?:cron|hook|heartbeat|subagent|acp)(?::|$)|:(?:cron|heartbeat|subagent)(?::|$)/;

/** Whether a key belongs to a session that a timer, a hook or another agent started. */
export function isUnattended(key: string): boolean {
  return UNATTENDED.test(key.replace(/^agent:[^:]*:/, ''));
}
