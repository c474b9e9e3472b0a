import { expect, test } from 'vitest';
import { extractText, renderResult } from '../../src/transcript/content.ts';

test.each<[result: unknown, text: string]>([
  [{ output: '', error: 'boom' }, 'boom'],
  [{ output: '\n', content: [], error: 'boom' }, 'boom'],
  [{ functionResponse: { response: { output: '', error: 'boom' } } }, 'boom'],
  [{ output: '', error: false }, ''],
  [{ output: 'done', error: 'boom' }, 'done'],
  [{ output: '' }, ''],
  [{ output: null, content: [{ type: 'text', text: 'a' }] }, 'a'],
  [{ rows: 2 }, '{"rows":2}'],
])('a result: %j', (result, text) => {
  expect(renderResult(result)).toBe(text);
});

test.each<[block: object, text: string]>([
  [{ inlineData: { mimeType: 'image/png', data: '' } }, '[image]'],
  [{ inlineData: { mimeType: 'application/pdf', data: '' } }, '[document]'],
  [{ fileData: { mimeType: 'audio/mpeg', fileUri: '' } }, '[audio]'],
  [{ fileData: { mimeType: 'video/mp4', fileUri: '' } }, '[video]'],
  [{ fileData: { fileUri: '' } }, '[document]'],
  [{ type: 'input_audio', input_audio: {} }, '[audio]'],
  [{ type: 'audio', data: '', mimeType: 'audio/wav' }, '[audio]'],
  [{ type: 'video' }, '[video]'],
  [{ type: 'input_image' }, '[image]'],
  [{ type: 'input_file' }, '[document]'],
])('other media: %j', (block, text) => {
  expect(extractText([block])).toBe(text);
});
