import { NO_SETTINGS, requestOf } from './settings';

const question = [{ role: 'user' as const, content: 'Hi' }];

test('what is left empty is left to the model', () => {
  expect(requestOf({ ...NO_SETTINGS, model: 'm', system: '  ' }, question)).toEqual({
    request: { model: 'm', messages: question },
  });
});

test('what is set is sent as numbers, the system prompt first', () => {
  const settings = {
    model: 'm',
    system: 'Be brief.',
    temperature: '0.5',
    topP: ' 1 ',
    maxTokens: '10',
  };
  expect(requestOf(settings, question)).toEqual({
    request: {
      model: 'm',
      messages: [{ role: 'system', content: 'Be brief.' }, ...question],
      temperature: 0.5,
      top_p: 1,
      max_tokens: 10,
    },
  });
});

test('what cannot be sent is said at its field', () => {
  const settings = { ...NO_SETTINGS, temperature: '9', topP: 'x', maxTokens: '1.5' };
  expect(requestOf(settings, question)).toEqual({
    problems: {
      model: expect.any(String),
      temperature: expect.any(String),
      topP: expect.any(String),
      maxTokens: expect.any(String),
    },
  });
});
