import type { Candidate } from './finding.ts';

/** Issuer prefixes of payment cards and the lengths that each uses (ISO/IEC 7812 ranges in use). */
const CARDS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65|62)/, [16, 17, 18, 19]],
  [/^35(?:2[89]|[3-8])/, [16]],
  [/^3(?:0[0-5]|[689])/, [14]],
  [/^(?:5[06-8]|6[37])/, [16, 18, 19]],
];

/** Length of an IBAN by country (SWIFT IBAN registry). */
const IBAN_LENGTHS = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 ' +
    'LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 ' +
    'RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);

/** ISO/IEC 7812-1 annex B: every second digit from the right doubled, the sum a multiple of ten. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** ISO 13616: the number rotated by four, letters as 10 to 35, leaves 1 when divided by 97. */
export function passesIban(compact: string): boolean {
  let rest = 0;
  for (const char of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    if (Number.isNaN(value)) return false;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

function isCard(digits: string): boolean {
  if (/^(\d)\1+$/.test(digits) || !passesLuhn(digits)) return false;
  return CARDS.some(([issuer, lengths]) => issuer.test(digits) && lengths.includes(digits.length));
}

/** Both contain this: a text without it needs no further check. */
const NUMBERED = /\d{4}|[A-Za-z]\d{2}/;
const CARD = /(?<![\w.,/:=#-])\d{4}(?:[ -]?\d{2,6}){2,4}(?![\w/:-]|[.,]\d)/g;
const IBAN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{1,4}){3,8}(?![A-Za-z0-9])/g;

export function findPersonal(text: string): Candidate[] {
  const found: Candidate[] = [];
  if (!NUMBERED.test(text)) return found;
  for (const match of text.matchAll(CARD)) {
    const digits = match[0].replace(/\D/g, '');
    if (isCard(digits)) found.push(personal('card number', match.index, match[0].length));
  }
  for (const match of text.matchAll(IBAN)) {
    const length = ibanLength(match[0]);
    if (length > 0) found.push(personal('IBAN', match.index, length));
  }
  return found;
}

function personal(kind: string, start: number, length: number): Candidate {
  return { kind, start, end: start + length, personal: true, rank: 2 };
}

/** Length of the IBAN in the text: the pattern may have run on into the next words. */
function ibanLength(text: string): number {
  const wanted = IBAN_LENGTHS.get(text.slice(0, 2).toUpperCase());
  if (wanted === undefined) return 0;
  let end = 0;
  for (let counted = 0; counted < wanted && end < text.length; end++) {
    if (!/[ -]/.test(text.charAt(end))) counted++;
  }
  const compact = text.slice(0, end).replace(/[ -]/g, '').toUpperCase();
  const whole = !/[A-Z0-9]/i.test(text.charAt(end));
  return compact.length === wanted && whole && passesIban(compact) ? end : 0;
}
