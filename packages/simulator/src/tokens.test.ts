import { countChat } from './formats/openai-chat/request';
import { countTokens, piecesOf } from './tokens';

test('text is a token per four characters, rounded up', () => {
  expect(countTokens('')).toBe(0);
  expect(countTokens('abcd')).toBe(1);
  expect(countTokens('abcde')).toBe(2);
});

test('a character outside the basic plane counts once and is never cut', () => {
  expect(countTokens('🦊🦊🦊🦊')).toBe(1);
  expect(piecesOf('🦊🦊🦊🦊🦊')).toEqual(['🦊🦊🦊🦊', '🦊']);
});

test('the pieces of a text are its tokens and join to the text', () => {
  const text = 'Grüße an alle: 日本語 und 🦊!';
  expect(piecesOf(text).join('')).toBe(text);
  expect(piecesOf(text)).toHaveLength(countTokens(text));
});

test('a request counts its messages, tools, images and audio by the documented rule', () => {
  const tool = { type: 'function', function: { name: 'f' } };
  const { text, audio } = countChat({
    messages: [
      { role: 'system', content: 'abcd' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'abcdefgh' },
          { type: 'image_url', image_url: { url: 'data:', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'data:' } },
          { type: 'input_audio', input_audio: { data: 'x'.repeat(250), format: 'wav' } },
        ],
      },
    ],
    tools: [tool],
  });
  expect(text).toBe(3 + (3 + 1) + (3 + 2 + 85 + 765) + countTokens(JSON.stringify(tool)));
  expect(audio).toBe(3);
});
