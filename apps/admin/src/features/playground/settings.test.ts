import { NO_SETTINGS, readyOf, requestOf, type Settings } from './settings';

const question = [{ role: 'user' as const, content: 'Hi' }];

function requestsOf(settings: Settings) {
  const checked = readyOf(settings);
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems));
  return checked.ready.models.map((model) => requestOf(checked.ready, model, question));
}

test('what is left empty is left to the model', () => {
  expect(requestsOf({ ...NO_SETTINGS, models: ['m'], system: '  ' })).toEqual([
    { model: 'm', messages: question },
  ]);
});

test('both models are sent the same: numbers, tools, the system prompt first', () => {
  const settings = {
    models: ['m', 'n'],
    system: 'Be brief.',
    temperature: '0.5',
    topP: ' 1 ',
    maxTokens: '10',
    tools: '[{"type":"function","function":{"name":"f"}}]',
  };
  const rest = {
    messages: [{ role: 'system', content: 'Be brief.' }, ...question],
    temperature: 0.5,
    top_p: 1,
    max_tokens: 10,
    tools: [{ type: 'function', function: { name: 'f' } }],
  };
  expect(requestsOf(settings)).toEqual([
    { model: 'm', ...rest },
    { model: 'n', ...rest },
  ]);
});

test('what cannot be sent is said at its field', () => {
  const settings = {
    ...NO_SETTINGS,
    models: ['m', undefined],
    temperature: '9',
    topP: 'x',
    maxTokens: '1.5',
    tools: '{',
  };
  expect(readyOf(settings)).toEqual({
    problems: {
      models: expect.any(String),
      temperature: expect.any(String),
      topP: expect.any(String),
      maxTokens: expect.any(String),
      tools: expect.any(String),
    },
  });
});
