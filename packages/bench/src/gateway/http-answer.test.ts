import { createAnswerReader, type AnswerReader } from './http-answer';

const head = (status: string, ...fields: string[]): string =>
  [`HTTP/1.1 ${status}`, ...fields, '', ''].join('\r\n');

function read(...pieces: string[]): AnswerReader {
  const reader = createAnswerReader();
  for (const piece of pieces) reader.read(Buffer.from(piece, 'latin1'));
  return reader;
}

const CHUNKED = head('200 OK', 'Content-Type: x', 'Transfer-Encoding: chunked');
/** Whole answers: name, bytes, status, and whether they have a body. */
const ANSWERS: readonly [string, string, number, boolean][] = [
  ['with a length', `${head('200 OK', 'content-length: 5')}hello`, 200, true],
  ['with length zero', head('402 Payment Required', 'Content-Length: 0'), 402, false],
  ['without a reason', `${head('500', 'CONTENT-LENGTH:2 ')}{}`, 500, true],
  ['in chunks', `${CHUNKED}5\r\nhello\r\nA;x=1\r\n\r\n34567\r\n9\r\n0\r\n\r\n`, 200, true],
  ['with zero chunks', `${CHUNKED}0\r\n\r\n`, 200, false],
  ['with trailers', `${CHUNKED}1 \r\n.\r\n000\r\na: b\r\nc: d\r\n\r\n`, 200, true],
  ['whose status allows no body', head('204 No Content', 'x: y'), 204, false],
  ['not modified', head('304 Not Modified', 'content-length: 7'), 304, false],
  [
    'after early hints',
    `${head('103 Early Hints', 'link: x')}${head('201 Created', 'content-length: 1')}!`,
    201,
    true,
  ],
  [
    'with two equal lengths',
    `${head('200 OK', 'content-length: 1', 'content-length: 1')}x`,
    200,
    true,
  ],
];

describe('an answer', () => {
  it.each(ANSWERS)('%s is read to its end', (_name, text, status, body) => {
    const reader = read(text);
    expect([reader.ended(), reader.status(), reader.begun()]).toEqual([true, status, body]);
  });

  it.each(ANSWERS)('%s is read the same byte by byte', (_name, text, status, body) => {
    const reader = createAnswerReader();
    for (const byte of text) {
      expect(reader.ended()).toBe(false);
      reader.read(Buffer.from(byte, 'latin1'));
    }
    expect([reader.ended(), reader.status(), reader.begun()]).toEqual([true, status, body]);
  });

  it.each(ANSWERS)('%s is read the same in any three pieces', (_name, text, status, body) => {
    const reader = createAnswerReader();
    const whole = Buffer.from(text, 'latin1');
    for (let first = 0; first <= whole.length; first += 1) {
      for (let second = first; second <= whole.length; second += 1) {
        reader.read(whole.subarray(0, first));
        reader.read(whole.subarray(first, second));
        reader.read(whole.subarray(second));
        expect([reader.ended(), reader.status(), reader.begun()]).toEqual([true, status, body]);
        reader.reset();
      }
    }
  });

  it('ends with its connection if and only if it has no length', () => {
    expect(read(head('200 OK'), 'some').endsByClose()).toBe(true);
    expect(read(head('200 OK', 'content-length: 5'), 'some').endsByClose()).toBe(false);
    expect(read(CHUNKED, '5\r\nsome').endsByClose()).toBe(false);
    expect(read('HTTP/1.1 200').endsByClose()).toBe(false);
    expect(read().endsByClose()).toBe(false);
  });

  it('says whether its connection is reusable', () => {
    const persists = (text: string): boolean => read(text).persists();
    expect(persists(head('200 OK'))).toBe(true);
    expect(persists(head('200 OK', 'Connection: Close'))).toBe(false);
    expect(persists('HTTP/1.0 200 OK\r\n\r\n')).toBe(false);
    expect(persists('HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n\r\n')).toBe(true);
  });

  it.each([
    ['HTTP/2 200 OK\r\n\r\n', 'no status line'],
    ['HTTP/1.1 20 OK\r\n\r\n', 'no status line'],
    [head('200 OK', 'content-length: 1', 'content-length: 2'), 'wrong content-length'],
    [head('200 OK', 'content-length: -1'), 'wrong content-length'],
    [head('200 OK', 'transfer-encoding: gzip'), 'unknown transfer-encoding'],
    [`${CHUNKED}x\r\n`, 'wrong chunk size'],
    [`${CHUNKED}\r\n`, 'wrong chunk size'],
    [`${CHUNKED}1\r\n..\r\n`, 'chunk longer than its size'],
    [`${head('200 OK', 'content-length: 1')}..`, 'more than the answer'],
    [head('200 OK', `x: ${'y'.repeat(16_384)}`), 'head over 16384 bytes'],
    [`HTTP/1.1 200 ${'y'.repeat(16_384)}`, 'head over 16384 bytes'],
    [`${CHUNKED}1;${'y'.repeat(16_384)}`, 'head over 16384 bytes'],
  ])('%j is refused, also byte by byte', (text, why) => {
    expect(() => read(text)).toThrow(why);
    expect(() => read(...text.split(''))).toThrow(why);
  });

  it('has a head of at most 16 KB', () => {
    const [status, field] = ['HTTP/1.1 204 No Content\r\n', 'x: '];
    const most = `${status}${field}${'y'.repeat(16_384 - status.length - field.length)}\r\n\r\n`;
    expect(read(most).ended()).toBe(true);
    expect(read(...most.split('')).ended()).toBe(true);
  });
});
