import { findSecrets } from '../../safety/index.ts';
import type { Message } from '../../transcript/message.ts';
import type { Level } from './level.ts';

/** The part of each message that is checked; tool output is part of the model's context too. */
const LONGEST_READ = 2000;
const READ_IN_ALL = 24_000;
const EMAIL = /[\w.+-]{1,64}@((?:[a-z\d-]{1,63}\.){1,4}[a-z]{2,24})(?![\w-])/gi;
/** Addresses of nobody: documentation, machines, remotes of a repository. */
const NOBODY =
  /(?:^|\.)(?:example|invalid|test|local(?:host)?|internal)$|^(?:example|test|domain)\.(?:com|org|net)$|^(?:github|gitlab|bitbucket)\.(?:com|org)$|noreply/i;
/**
 * International form only: without the plus a number may be anything. In parentheses a plus counts lines of a diff.
 */
const PHONE = /(?<![\w+[(])\+[1-9]\d{0,2}(?:[ .-]?(?:\(\d{1,4}\)|\d{1,4})){2,6}(?![\w)\]-])/g;
/** A complete number with country code has at least this many digits (ITU-T E.164 allows up to 15). */
const SHORTEST_PHONE = 9;

/** HIGH: a credential is in the window. MEDIUM: personal data - cards, accounts, addresses, telephone numbers. */
export function sensitivityOf(messages: readonly Message[]): Level {
  let text = '';
  for (const { content } of messages.toReversed()) {
    if (text.length >= READ_IN_ALL) break;
    text += `${content.slice(0, LONGEST_READ)}\n`;
  }
  const found = findSecrets(text);
  const secrets = found.filter(({ personal }) => personal !== true);
  if (secrets.length > 0) return { level: 'HIGH', why: kinds(secrets.map(({ kind }) => kind)) };
  const emails = [...text.matchAll(EMAIL)].filter(
    ([address, host = '']) => !NOBODY.test(host) && !/^(?:git|no-?reply)@/i.test(address),
  );
  const phones = (text.match(PHONE) ?? []).filter(
    (number) => number.replace(/\D/g, '').length >= SHORTEST_PHONE,
  );
  const people = [
    ...found.map(({ kind }) => kind),
    ...emails.map(() => 'e-mail address'),
    ...phones.map(() => 'telephone number'),
  ];
  if (people.length > 0) return { level: 'MEDIUM', why: kinds(people) };
  return { level: 'LOW', why: 'no secrets or personal data in the window' };
}

/** `2 × e-mail address, IBAN` */
function kinds(found: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const kind of found) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`)).join(', ');
}
