import * as fc from 'fast-check';

import { estimateContent, estimateImage, estimateInputTokens, estimateText } from '.';
import type { NormalisedRequest } from '..';
import { sizeOf } from './image';

// The larger of the counts by the o200k and cl100k vocabularies, from the gpt-tokenizer package
// (4.x).
const MEASURED: readonly [name: string, tokens: number, text: string][] = [
  [
    'english',
    44,
    'The gateway asks policy before it calls a provider, and tells it afterwards what the answer has cost. If the budget of the team does not allow the request, nothing is sent at all, and the client hears why.',
  ],
  ['shortEnglish', 6, 'Hi! How are you?'],
  [
    'german',
    44,
    'Die Donaudampfschifffahrtsgesellschaft veröffentlichte gestern einen überraschend ausführlichen Geschäftsbericht über die vergangenen zwölf Monate.',
  ],
  [
    'french',
    36,
    "L'année dernière, les élèves de l'école ont étudié l'histoire de la Révolution française et rédigé plusieurs exposés très intéressants.",
  ],
  [
    'finnish',
    47,
    'Epäjärjestelmällistyttämättömyydellänsäkään hän ei onnistunut vakuuttamaan yhdistyksen puheenjohtajaa asiasta.',
  ],
  [
    'polish',
    46,
    'Wczoraj wieczorem przyszedł do nas sąsiad i opowiedział, że w źródle za wsią znaleziono dziwne świecące kamienie.',
  ],
  [
    'vietnamese',
    48,
    'Hôm qua tôi đã đi đến chợ để mua rau quả tươi, nhưng khi đến nơi thì người bán hàng đã về hết rồi.',
  ],
  [
    'turkish',
    41,
    'Çekoslovakyalılaştıramadıklarımızdan mısınız, yoksa değil misiniz diye sordu öğretmenimiz bugün.',
  ],
  [
    'russian',
    50,
    'Вчера вечером к нам пришёл сосед и рассказал, что в лесу за деревней нашли странные светящиеся камни.',
  ],
  [
    'ukrainian',
    62,
    'Учора ввечері до нас завітав сусід і розповів, що в лісі за селом знайшли дивне каміння, яке світиться.',
  ],
  [
    'greek',
    83,
    'Χθες το βράδυ ήρθε στο σπίτι μας ο γείτονας και μας διηγήθηκε μια παράξενη ιστορία για το δάσος.',
  ],
  [
    'arabic',
    58,
    'زارنا الجار مساء أمس وأخبرنا أنهم عثروا في الغابة خلف القرية على أحجار غريبة مضيئة.',
  ],
  ['hebrew', 72, 'אתמול בערב בא אלינו השכן וסיפר שביער מאחורי הכפר נמצאו אבנים זוהרות מוזרות.'],
  [
    'persian',
    63,
    'دیشب همسایه به خانه ما آمد و گفت که در جنگل پشت روستا سنگ‌های درخشان عجیبی پیدا کرده‌اند.',
  ],
  ['hindi', 92, 'कल शाम हमारे पड़ोसी हमारे घर आए और बताया कि गाँव के पीछे जंगल में अजीब चमकते पत्थर मिले हैं।'],
  [
    'bengali',
    117,
    'গতকাল সন্ধ্যায় আমাদের প্রতিবেশী এসে বললেন যে গ্রামের পিছনের বনে অদ্ভুত উজ্জ্বল পাথর পাওয়া গেছে।',
  ],
  [
    'tamil',
    153,
    'நேற்று மாலை எங்கள் அண்டை வீட்டுக்காரர் வந்து கிராமத்தின் பின்னால் உள்ள காட்டில் விசித்திரமான கற்கள் கிடைத்தன என்றார்.',
  ],
  ['thai', 77, 'เมื่อวานตอนเย็นเพื่อนบ้านมาที่บ้านของเราและเล่าว่าพบหินเรืองแสงแปลก ๆ ในป่าหลังหมู่บ้าน'],
  ['chinese', 47, '昨天晚上，邻居来到我们家，说在村子后面的树林里发现了一些奇怪的发光的石头。'],
  ['traditional', 58, '昨天晚上，鄰居來到我們家，說在村子後面的樹林裡發現了一些奇怪的發光的石頭。'],
  [
    'japanese',
    51,
    '昨日の夕方、隣の人がうちに来て、村の裏の森で不思議な光る石が見つかったと話してくれました。',
  ],
  [
    'korean',
    53,
    '어제 저녁에 이웃이 우리 집에 와서 마을 뒤 숲에서 이상하게 빛나는 돌이 발견되었다고 말했습니다.',
  ],
  [
    'georgian',
    171,
    'გუშინ საღამოს მეზობელი მოვიდა ჩვენთან და გვითხრა, რომ სოფლის უკან ტყეში უცნაური ქვები იპოვეს.',
  ],
  [
    'armenian',
    173,
    'Երեկ երեկոյան հարևանը եկավ մեր տուն և պատմեց, որ գյուղի հետևի անտառում տարօրինակ քարեր են գտել:',
  ],
  ['amharic', 168, 'ትናንት ማታ ጎረቤታችን ወደ ቤታችን መጥቶ ከመንደሩ ጀርባ ባለው ጫካ ውስጥ እንግዳ ድንጋዮች እንደተገኙ ነገረን።'],
  ['burmese', 179, 'မနေ့ညနေက အိမ်နီးချင်း လာပြီး ရွာနောက်က တောထဲမှာ ထူးဆန်းတဲ့ ကျောက်တုံးတွေ တွေ့တယ်လို့ ပြောတယ်။'],
  ['khmer', 122, 'ម្សិលមិញ អ្នកជិតខាងបានមកផ្ទះយើង ហើយប្រាប់ថា គេបានរកឃើញថ្មចម្លែកនៅក្នុងព្រៃ។'],
  ['emoji', 54, 'Great work 🎉🎉 see you tomorrow 👋🏽😀 👩‍👩‍👧‍👦 🇩🇪🇫🇷 ❤️🔥✨'],
  [
    'code',
    74,
    'export function createSession(deps: SessionDeps): Session {\n  const pending = new Map<number, Item>();\n  for (const item of items) {\n    if (!item.waiting || item.dueMs > now) continue;\n    settleItem(item, TOO_LATE);\n  }\n  return { send, accepting: () => accepting && !closed };\n}\n',
  ],
  [
    'json',
    71,
    '{"id":"01928374-aaaa-7bbb-8ccc-0123456789ab","amount":1234567.89,"tags":["a","b","c"],"nested":{"ok":true,"none":null,"list":[1,2,3,4,5,6,7,8,9,10]}}',
  ],
  [
    'numbers',
    54,
    '3.14159265358979 2.71828182845904 1.41421356237309 1,000,000 42 2026-11-21T23:59:59.123Z +49 30 901820',
  ],
  [
    'sql',
    51,
    "SELECT u.id, COUNT(*) AS n FROM users u LEFT JOIN orders o ON o.user_id = u.id WHERE u.created_at >= '2024-01-01' GROUP BY u.id HAVING COUNT(*) > 5 ORDER BY n DESC;",
  ],
  ['math', 52, '∀x∈ℝ: x² ≥ 0 ∧ ∑ᵢ₌₁ⁿ i = n(n+1)/2 ⇒ ∫₀^∞ e^(−x²) dx = √π/2'],
  [
    'markdown',
    35,
    '# Title\n\n- **bold** item\n- `code` item\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quote\n',
  ],
  [
    'url',
    38,
    'https://example.com/path/to/page.html?utm_source=newsletter&utm_medium=email&id=8f14e45fceea167a5a36dedd4bea2543',
  ],
  [
    'hex',
    54,
    'd41d8cd98f00b204e9800998ecf8427e e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  ],
  [
    'caps',
    23,
    'WARNING: THE SYSTEM WILL SHUT DOWN IN FIVE MINUTES. PLEASE SAVE YOUR WORK IMMEDIATELY.',
  ],
  ['spaces', 10, '        indented\n\t\t\ttabs\n\n\n\n\n                end'],
  ['punct', 24, '!!! ??? ... --- === *** ~~~ ((([[[{{{<<<>>>}}}]]]))) @#$%^&*'],
];

describe('text', () => {
  test.each(MEASURED)('%s is never estimated below a tokeniser’s count', (_name, tokens, text) => {
    expect(estimateText(text)).toBeGreaterThanOrEqual(tokens);
  });

  test('the estimate for English prose is at most twice the count', () => {
    const [, tokens = 0, text = ''] = MEASURED[0] ?? [];
    expect(estimateText(text)).toBeLessThan(tokens * 2);
  });

  test('every character counts, and empty text has no tokens', () => {
    expect(estimateText('')).toBe(0);
    for (let code = 0; code < 0x10000; code += 61) {
      expect(estimateText(String.fromCharCode(code).repeat(12))).toBeGreaterThan(0);
    }
  });
});

test('the estimate of a long text is the sum of its characters’ weights', () => {
  // The weights are multiples of a twelfth, so twelve equal characters need no rounding.
  const weight = (unit: string): number => estimateText(unit.repeat(12));
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  const some = fc.array(fc.oneof(unit, fc.constantFrom('a', ' ', '漢', '7')), { minLength: 1 });
  const property = fc.property(some, fc.integer({ min: 1, max: 20_000 }), (units, length) => {
    const text = units.join('').repeat(Math.ceil(length / units.length));
    let sum = 0;
    for (const one of units) sum += weight(one) * (text.length / units.length);
    expect(estimateText(text)).toBe(Math.ceil(sum / 12));
  });
  fc.assert(property, { numRuns: 200 });
});

describe('images', () => {
  const png = (width: number, height: number): string => {
    const bytes = Buffer.alloc(24);
    bytes.writeUInt32BE(0x89504e47, 0);
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return `data:image/png;base64,${bytes.toString('base64')}`;
  };
  const jpeg = (width: number, height: number): string => {
    const bytes = Buffer.alloc(40);
    bytes.writeUInt16BE(0xffd8, 0);
    // A segment of another kind precedes the size.
    bytes.writeUInt16BE(0xffe0, 2);
    bytes.writeUInt16BE(16, 4);
    bytes.writeUInt16BE(0xffc0, 20);
    bytes.writeUInt16BE(17, 22);
    bytes.writeUInt16BE(height, 25);
    bytes.writeUInt16BE(width, 27);
    return `data:image/jpeg;base64,${bytes.toString('base64')}`;
  };
  const gif = `data:image/gif;base64,${Buffer.from('GIF89a\x20\x03\x58\x02\0\0', 'latin1').toString('base64')}`;
  const webp = (): string => {
    const bytes = Buffer.alloc(30);
    bytes.write('RIFF', 0);
    bytes.write('WEBPVP8X', 8);
    bytes.writeUIntLE(799, 24, 3);
    bytes.writeUIntLE(599, 27, 3);
    return `data:image/webp;base64,${bytes.toString('base64')}`;
  };

  test('the size is read from the first bytes of a data URL', () => {
    expect(sizeOf(png(640, 480))).toEqual({ width: 640, height: 480 });
    expect(sizeOf(jpeg(1_920, 1_080))).toEqual({ width: 1_920, height: 1_080 });
    expect(sizeOf(gif)).toEqual({ width: 800, height: 600 });
    expect(sizeOf(webp())).toEqual({ width: 800, height: 600 });
    for (const url of ['https://x.example/a.png', 'data:image/png;base64,AAAA', 'data:image/png']) {
      expect(sizeOf(url)).toBeUndefined();
    }
  });

  test('images are counted by tiles', () => {
    // The vendors' published examples: 1024 × 1024 is four tiles, 2048 × 4096 six.
    expect(estimateImage(png(1_024, 1_024))).toBeGreaterThanOrEqual(765);
    expect(estimateImage(png(2_048, 4_096))).toBeGreaterThanOrEqual(1_105);
    expect(estimateImage(png(100, 100))).toBe(255);
    expect(estimateImage('https://x.example/a.png')).toBe(1_700);
  });
  test.each(['low', 'high', undefined])('images of detail %p count as any other', (detail) => {
    const image = { type: 'image', url: png(4_000, 4_000), ...(detail ? { detail } : {}) } as const;
    expect(estimateContent([image])).toBe(1_700);
    expect(estimateContent([{ ...image, url: 'https://x.example/a.png' }])).toBe(1_700);
  });
});

describe('files', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const file = (data: string): number => estimateContent([{ type: 'file', data }]);
  const numbers = '12.5,7,-3.25\n'.repeat(400);
  const prose = 'A fox sat in the snow and looked at the moon. '.repeat(200);

  test.each(['text/csv', 'text/plain', 'TEXT/HTML', 'application/json', 'application/ld+json'])(
    'with text (%s) count as the text does',
    (type) => {
      for (const text of [numbers, prose]) {
        expect(file(`data:${type};charset=utf-8;base64,${base64(text)}`)).toBe(estimateText(text));
        expect(file(`data:${type},${text}`)).toBe(estimateText(text));
      }
    },
  );
  test.each([
    'data:application/octet-stream;base64,',
    'data:application/pdf;base64,',
    'data:;base64,',
    '',
  ])('of unknown content (%p) count as text may', (head) => {
    expect(file(head + base64(prose))).toBe(Math.ceil(base64(prose).length / 4));
    expect(file(head + base64(prose))).toBeGreaterThan(estimateText(prose) / 1.5);
  });
  test.each([
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/epub+zip',
  ])('of Office (%s) count as documents, not as text', (type) => {
    const content = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(9_000, 200)]);
    const encoded = content.toString('base64');
    expect(file(`data:${type};base64,${encoded}`)).toBe(Math.ceil(encoded.length / 8));
  });
  test.each(['%PDF-1.7', 'PK\x03\x04', '\xd0\xcf\x11\xe0\xa1'])(
    'that begin with %j count as documents',
    (start) => {
      const content = Buffer.from(start + 'x'.repeat(8_000), 'latin1').toString('base64');
      expect(file(`data:application/pdf;base64,${content}`)).toBe(Math.ceil(content.length / 8));
      expect(file(content)).toBe(Math.ceil(content.length / 8));
    },
  );
  test('of recordings count as documents, and stored ones as a usual document', () => {
    expect(file(`data:video/mp4;base64,${'A'.repeat(800)}`)).toBe(100);
    expect(estimateContent([{ type: 'file', fileId: 'file_1' }])).toBe(4_000);
  });
});

test('messages, tools, schemas and extras of a request count as input', () => {
  const request: NormalisedRequest = {
    format: 'openai-chat',
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    tools: [],
    sampling: {},
    n: 1,
    stream: false,
    includeUsage: false,
    extras: {},
    raw: {},
  };
  const plain = estimateInputTokens(request);
  // The vendor counts one token for the word and seven around it.
  expect(plain).toBeGreaterThanOrEqual(8);
  const tool = { kind: 'function', name: 'look_up', parameters: { type: 'object' } } as const;
  expect(estimateInputTokens({ ...request, tools: [tool] })).toBeGreaterThan(plain + 10);
  const prediction = { content: 'a long text that is expected' };
  expect(estimateInputTokens({ ...request, extras: { prediction } })).toBeGreaterThan(plain + 5);
  const responseFormat = { type: 'json_schema', name: 'n', schema: { type: 'object' } } as const;
  expect(estimateInputTokens({ ...request, responseFormat })).toBeGreaterThan(plain + 5);
});

test('every kind of content counts', () => {
  const sound = 'A'.repeat(16_000);
  expect(estimateContent([{ type: 'audio', data: sound, format: 'mp3' }])).toBe(100);
  expect(estimateContent([{ type: 'audio', data: sound, format: 'wav' }])).toBe(25);
  expect(estimateContent([{ type: 'audio', id: 'audio-1' }])).toBeGreaterThan(0);
  expect(estimateContent([{ type: 'file', fileId: 'file-1' }])).toBeGreaterThan(0);
  expect(estimateContent([{ type: 'file', data: sound }])).toBe(4_000);
  expect(estimateContent([{ type: 'thinking', text: 'hm', redacted: 'xyz' }])).toBeGreaterThan(1);
  const call = {
    type: 'tool_call',
    id: '1',
    kind: 'function',
    name: 'f',
    arguments: '{}',
  } as const;
  expect(estimateContent([call])).toBeGreaterThan(2);
  expect(
    estimateContent([
      { type: 'tool_result', toolCallId: '1', content: [{ type: 'text', text: 'result' }] },
    ]),
  ).toBeGreaterThan(3);
});
