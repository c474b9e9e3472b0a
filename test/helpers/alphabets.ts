/** Writing systems and notations that tokenizers cut into very different pieces. */
export const ALPHABETS = [
  [...'abcdefghijklmnopqrstuvwxyz '],
  [...'zqxjkvwZQXJKVW'],
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='],
  [...'0123456789-:. '],
  [...'{}[]()<>"\'`~!@#$%^&*_+-=|\\;:,./?'],
  [...'的一是不了人我在有他这为之大来以个中上们'],
  [...'アイウエオカキクケコサシスセソ'],
  [...'абвгдежзийклмнопрстуфхцчшщъыьэюя '],
  [...'ابتثجحخدذرزسشصضطظعغفقكلمنهوي '],
  [...'አቡጊዳሄውዞዥሕጥይክልምን '],
  [...'ᚠᚢᚦᚨᚱᚲᚷᚹᚺᚾᛁᛃ'],
  [...'😀🎉👩‍💻🏳️‍🌈🧵🪐𝔘𝔫𝔦𝕔𝕠𝕕𝕖'],
  [...'àéîõüçñßøåæœžščř '],
  [..." \t\n\u00a0\u2003²½①Ⅷ'sʰª"],
  [...'กขฃคฅฆงจฉชซฌญฎฏ '],
];
