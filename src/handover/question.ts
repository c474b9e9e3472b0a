import { toOneLine } from '../base/text/prose.ts';
import { estimateTokens } from '../pad/tokens.ts';
import { isCourtesy } from './words.ts';

const isItem = (line: string): boolean => /^\s*(?:[-*•]|\(?\w{1,2}[.)])\s/.test(line);
const ASKS = /[?？]["”')\]]*$/;

/** The prompt may answer a question, and then needs the list or the proposal before it. */
const ASKED_TOKENS = 120;
/** A question of so many speaks for itself. */
const SPEAKING_TOKENS = 25;
const ASKED_LENGTH = 700;

/**
 * The end of an answer whose last paragraph asks something, or the list below it: as many paragraphs as it needs, each list
 * whole and with what leads to it.
 */
export function extractQuestion(text: string): string | undefined {
  const paragraphs = text
    .replace(/```[\s\S]*?(?:```(?=\s*\S)|$)/g, (code) => `\n\n[… ${code.split('\n').length - 2} lines …]\n\n`)
    .replace(/(?<!\s)\s*\[… \d+ lines …\]\s*$|\*\*|__/g, '')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '');
  const parts: string[] = [];
  for (const paragraph of paragraphs) {
    const before = parts.at(-1)?.trimEnd().split('\n').at(-1) ?? '';
    const isList = paragraph.split('\n').every(isItem);
    if (isList && (isItem(before) || /[:：?？]$/.test(before))) parts.push(`${parts.pop()}\n${paragraph}`);
    else parts.push(paragraph);
  }

  const last = parts.at(-1) ?? '';
  const asks = last.split(/(?<=[.!?:])\s+|(?<=[。！？])/).filter((sentence) => ASKS.test(sentence.trim()));

  if (asks.every(isCourtesy)) return undefined;

  let end = '';
  for (const part of parts.toReversed()) {
    const longer = `${part}\n${end}`;
    const isEnough = estimateTokens(end) >= SPEAKING_TOKENS || estimateTokens(longer) > ASKED_TOKENS;
    if (end !== '' && isEnough) break;
    end = longer;
  }

  const line = toOneLine(end);
  if (line.length <= ASKED_LENGTH) return line;

  // A part of a list misleads.
  return last.split('\n').some(isItem)
    ? toOneLine(`[…] ${asks.join(' ')}`)
    : `…${line.slice(-ASKED_LENGTH).toWellFormed()}`;
}
