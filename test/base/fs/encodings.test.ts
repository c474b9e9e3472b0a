import { expect, test } from 'vitest';
import { decodeBytes, decodeLossless, decodeText } from '../../../src/base/fs/index.ts';

const TEXT = '# Grüße\r\n- done ✅\n';
const utf16 = Buffer.from(TEXT, 'utf16le');
const bigEndian = Buffer.from(TEXT, 'utf16le').swap16();

test('bytes are read in the encoding that they show', () => {
  expect(decodeText(Buffer.from(TEXT))).toEqual({ text: TEXT, encoding: 'UTF-8' });
  expect(decodeText(Buffer.from(`\ufeff${TEXT}`))).toEqual({ text: TEXT, encoding: 'UTF-8' });
  expect(decodeText(Buffer.concat([Buffer.of(0xff, 0xfe), utf16]))).toEqual({
    text: TEXT,
    encoding: 'UTF-16',
  });
  expect(decodeText(Buffer.concat([Buffer.of(0xfe, 0xff), bigEndian]))).toEqual({
    text: TEXT,
    encoding: 'UTF-16',
  });
  expect(decodeText(utf16)).toEqual({ text: TEXT, encoding: 'UTF-16' });
  expect(decodeText(bigEndian)).toEqual({ text: TEXT, encoding: 'UTF-16BE' });
  expect(decodeText(Buffer.from('café €', 'latin1'))).toMatchObject({ encoding: 'WINDOWS-1252' });
  // One byte of an old editor in a file that is UTF-8 otherwise.
  expect(decodeText(Buffer.concat([Buffer.from('ü '), Buffer.of(0xe9, 0x80)])).text).toBe('ü é€');
  // 日本語 in Shift-JIS, 中文 in GB18030, Привет in KOI8-R.
  for (const hex of ['93fa967b8cea0a', 'd6d0cec4', 'f0d2c9d7c5d4'])
    expect(decodeText(Buffer.from(hex, 'hex')).encoding).toBe('not UTF-8');
  expect(decodeText(Buffer.alloc(0))).toEqual({ text: '', encoding: 'UTF-8' });
});

test('a text that was read byte for byte is decoded only if it was not UTF-8', () => {
  for (const text of ['', 'a\0b', `\ufeff${TEXT}`])
    expect(decodeLossless(text)).toEqual({ text, encoding: 'UTF-8' });
  expect(decodeLossless(decodeBytes(utf16))).toEqual({ text: TEXT, encoding: 'UTF-16' });
  expect(decodeLossless(decodeBytes(Buffer.from('café', 'latin1')))).toEqual({
    text: 'café',
    encoding: 'WINDOWS-1252',
  });
});
