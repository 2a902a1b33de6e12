import { plainText } from './plain-text';

test('control characters of names do not reach the terminal; lines and other text do', () => {
  expect(plainText('ApiKey acme/\u001b[2Kharmless\u0007\u009b1m\r')).toBe(
    'ApiKey acme/\\x1b[2Kharmless\\x07\\x9b1m\\x0d',
  );
  expect(plainText('Büro 東京\n\tnext → line')).toBe('Büro 東京\n\tnext → line');
});
