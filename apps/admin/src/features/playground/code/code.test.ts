import { join } from 'node:path';
import { golden, staleGoldenFiles } from '@tollgate/kit/golden';

import type { ChatRequest } from '../chat';
import { codeFor, LANGUAGES, type Language } from './code';

const GOLDEN = join(__dirname, 'golden');
const URL = 'https://gateway.example.com/';
const plain: ChatRequest = { model: 'fast', messages: [{ role: 'user', content: 'Hello' }] };
const full: ChatRequest = {
  model: 'fast',
  messages: [
    { role: 'system', content: 'Say "no" to $HOME and `id`.\n' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    {
      role: 'user',
      content: "What's this?",
      content_blocks: [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } }],
    },
  ],
  temperature: 0.5,
  top_p: 1,
  max_tokens: 20,
  tools: [
    {
      type: 'function',
      function: {
        name: 'weather',
        parameters: {
          type: 'object',
          properties: { dry: { default: true, examples: [null] } },
          required: ['dry'],
        },
      },
    },
  ],
};
const names = LANGUAGES.map(({ value }) => value);

test.each(names)('%s: a plain question is short', (language) => {
  const code = codeFor(language, URL, plain);
  expect(code).toBe(golden(join(GOLDEN, `plain.${language}.txt`), code));
});

test.each(names)('%s: everything the playground can say', (language) => {
  const code = codeFor(language, URL, full);
  expect(code).toBe(golden(join(GOLDEN, `everything.${language}.txt`), code));
  // Neither a key nor a picture is written out.
  expect(code).not.toContain('tg_');
  expect(code).not.toContain('AAAA');
  expect(code).toContain('image-1.webp');
});

test('every golden file belongs to a language', () => {
  const wanted = names.flatMap((name) => [`plain.${name}.txt`, `everything.${name}.txt`]);
  expect(staleGoldenFiles(GOLDEN, wanted)).toEqual([]);
});

test('Anthropic’s format always bounds the answer, the others leave it to the model', () => {
  const bounded = names.filter((name: Language) =>
    /max_?.*tokens/i.test(codeFor(name, URL, plain)),
  );
  expect(bounded).toEqual(['anthropic-js', 'anthropic-python']);
});

test('a shell reads nothing in what somebody has written', () => {
  expect(codeFor('curl', URL, full)).toContain(String.raw`"Say \\"no\\" to \$HOME and \`id\`.\\n"`);
  const quoted = codeFor('curl', URL, { ...plain, messages: [{ role: 'user', content: '$HOME' }] });
  expect(quoted).toContain("<<'JSON'");
  expect(quoted).toContain('"$HOME"');
});
