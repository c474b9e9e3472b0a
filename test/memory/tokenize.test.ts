import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenize } from '../../src/memory/terms.ts';

describe('tokenize', () => {
  it.each([
    ['Lab disk at ~87%', ['lab', 'disk', 'at', '87']],
    ["Ann's cat doesn't", ['ann', 'cat', 'doesnt']],
    ['Ann’s', ['ann']],
    ['~/.kube/lab_config-2.yaml', ['kube', 'lab', 'config', '2', 'yaml']],
    ['Größe naïve', ['groesse', 'grosse', 'naive']],
    ['Gro\u0308\u00dfe', ['groesse', 'grosse']],
    ['ﾃﾞｰﾀ ＡＢＣ', ['デー', 'ータ', 'abc']],
    ['ข้อมูล', ['ข้', '้อ', 'อม', 'มู', 'ูล']],
    ['DBម៉ោង', ['db', 'ម៉', '៉ោ', 'ោង']],
    ['getUserName', ['get', 'user', 'name', 'getusername']],
    ['東京都に行く', ['東京', '京都', '都に', 'に行', '行く']],
    ['😀 ok — “yes” 👍🏽 ✅', ['😀', 'ok', 'yes', '👍', '✅']],
    ['l’équipe dell’anno', ['equipe', 'anno']],
    ['Łódź Ørsted Đà Þór', ['lodz', 'orsted', 'da', 'thor']],
    ["1,204 files, 10'000, 91.92.242.30", ['1204', 'files', '10000', '91', '92', '242', '30']],
    ['\u02d8 fine\u02dc \uff20ann \u2105 x\ufe6by', ['fine', 'ann', 'c', 'o', 'x', 'y']],
    ['השרת לשרת', ['שרת', 'השרת', 'שרת', 'לשרת']],
    ['والخــادم مُنفَذ', ['خادم', 'والخادم', 'منفذ']],
    ['Daten\u00adbank ម៉\u200bោង', ['datenbank', 'ម៉', '៉ោ', 'ោង']],
    ['', []],
  ])('%s', (text, expected) => {
    expect(tokenize(text)).toEqual(expected);
  });

  it('keeps only the head of an endless word', () => {
    expect(tokenize('a'.repeat(10_000))).toEqual(['a'.repeat(48)]);
  });

  it('gives lower-case words without spaces for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const word of tokenize(text)) expect(word).toMatch(/^[^\s@]+$/u);
      }),
    );
  });
});
