import { answerTo as answerToAsk } from './answer';
import type { Ask } from './ask';
import { readMessages } from './formats/anthropic-messages/request';
import { readGenerate } from './formats/gemini-generate/request';
import { readChat } from './formats/openai-chat/request';
import { readResponses } from './formats/openai-responses/request';

const answerTo = (body: Record<string, unknown>, directives: object, id: string) =>
  answerToAsk(readChat(body), directives, id);

const say = (content: string) => [{ role: 'user', content }];
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
    },
  },
};
const time = { type: 'function', function: { name: 'get_time', parameters: { type: 'object' } } };

function text(body: Record<string, unknown>, directives = {}): string {
  return answerTo(body, directives, 'x').pieces.join('');
}

test('the answer repeats the last message', () => {
  const body = { messages: say('Hello there') };
  expect(text(body)).toBe('You said: Hello there');
  expect(answerTo(body, {}, 'x')).toMatchObject({ finishReason: 'stop', outputTokens: 6 });
});

test('the output bound cuts the answer, with the finish reason length', () => {
  const answer = answerTo({ messages: say('Hello there'), max_tokens: 2 }, {}, 'x');
  expect(answer).toMatchObject({ pieces: ['You ', 'said'], finishReason: 'length' });
});

test('max_completion_tokens takes precedence over max_tokens', () => {
  const body = { messages: say('Hi'), max_tokens: 5, max_completion_tokens: 1 };
  expect(answerTo(body, {}, 'x').outputTokens).toBe(1);
});

test('reasoning counts towards the same bound', () => {
  const body = { messages: say('Hello there'), max_completion_tokens: 5 };
  const answer = answerTo(body, { reasoning: 3 }, 'x');
  expect(answer).toMatchObject({ reasoningTokens: 3, outputTokens: 5, finishReason: 'length' });
  expect(answer.pieces).toHaveLength(2);
});

test('the answer ends before a stop sequence', () => {
  expect(text({ messages: say('one two three'), stop: ['two'] })).toBe('You said: one ');
});

test('a call beyond the bound is cut inside its arguments', () => {
  const body = { messages: say('get_weather'), tools: [weather], max_tokens: 2 };
  const { calls, finishReason, outputTokens } = answerTo(body, {}, 'x');
  expect({ finishReason, outputTokens }).toEqual({ finishReason: 'length', outputTokens: 2 });
  expect(calls[0]?.pieces.join('')).toBe('{"city":');
});

test('a user message after tool results calls no tool again', () => {
  const calls = [{ id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } }];
  const turn = [
    ...say('get_weather'),
    { role: 'assistant', tool_calls: calls },
    { role: 'tool', tool_call_id: 'a', content: 'rain' },
    ...say('Attached to the result of get_weather'),
  ];
  expect(text({ messages: turn, tools: [weather] })).toBe('The tool said: rain');
  const next = [...turn, { role: 'assistant', content: 'Rain.' }, ...say('get_weather again')];
  expect(answerTo({ messages: next, tools: [weather] }, {}, 'x').calls).toHaveLength(1);
});

test.each<[string, Ask]>([
  ['chat', readChat({ messages: [...say('Hi'), { role: 'developer', content: 'Be brief' }] })],
  ['messages', readMessages({ messages: [...say('Hi'), { role: 'system', content: 'Be brief' }] })],
  ['responses', readResponses({}, [...say('Hi'), { role: 'developer', content: 'Be brief' }])],
])('instructions after the last message are not answered: %s', (_, ask) => {
  expect(ask.said).toEqual({ by: 'user', text: 'Hi' });
});

test('the contents of one turn are joined', () => {
  const said = (text: string) => ({ role: 'user', parts: [{ text }] });
  const contents = [said('Hi'), { role: 'model', parts: [{ text: 'Yes?' }] }, said('a'), said('b')];
  expect(readGenerate({ contents }).said).toEqual({ by: 'user', text: 'a b' });
});

test('the answer has exactly the requested number of tokens', () => {
  expect(answerTo({ messages: say('Hi') }, { tokens: 500 }, 'x').outputTokens).toBe(500);
  expect(answerTo({ messages: say('Hi'), max_tokens: 7 }, { tokens: 500 }, 'x').outputTokens).toBe(
    7,
  );
});

test('an overlong answer ignores the bound', () => {
  const body = { messages: say('Hi'), max_tokens: 7 };
  expect(answerTo(body, { tokens: 500, overlong: true }, 'x').outputTokens).toBe(500);
});

test('tools named in the user’s message are called, with arguments that fit their schema', () => {
  const messages = say('use get_weather and get_time');
  const { calls, finishReason } = answerTo({ messages, tools: [weather, time] }, {}, 'x');
  expect(finishReason).toBe('tool_calls');
  expect(calls.map(({ key, name }) => [key, name])).toEqual([
    ['x_0', 'get_weather'],
    ['x_1', 'get_time'],
  ]);
  expect(JSON.parse(calls[0]?.pieces.join('') ?? '')).toEqual({
    city: 'use get_weather and get_time',
    days: 42,
  });
});

test.each([
  ['none', []],
  ['auto', ['get_weather']],
  ['required', ['get_weather']],
  [{ type: 'function', function: { name: 'get_time' } }, ['get_time']],
])('tool_choice %j calls %j', (choice, names) => {
  const body = { messages: say('get_weather'), tools: [weather, time], tool_choice: choice };
  expect(answerTo(body, {}, 'x').calls.map(({ name }) => name)).toEqual(names);
});

test('no tool is called without its name or a tool choice', () => {
  expect(answerTo({ messages: say('hello'), tools: [weather] }, {}, 'x').calls).toEqual([]);
});

test('tool results are answered with text', () => {
  const result = { role: 'tool', tool_call_id: 'c', content: 'rain' };
  const messages = [...say('get_weather'), result];
  expect(text({ messages, tools: [weather] })).toBe('The tool said: rain');
  const second = { role: 'tool', tool_call_id: 'd', content: [{ type: 'text', text: 'noon' }] };
  expect(text({ messages: [...messages, second], tools: [weather] })).toBe(
    'The tool said: rain noon',
  );
});

test('a JSON schema is answered with a value that fits it', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, list: { type: 'array', items: { enum: ['a', 'b'] } } },
  };
  const response_format = { type: 'json_schema', json_schema: { name: 's', schema } };
  expect(JSON.parse(text({ messages: say('x'), response_format }))).toEqual({
    name: 'x',
    list: ['a'],
  });
});

test('the answer can be the request’s parameters', () => {
  const body = { model: 'sim-params', messages: say('x'), temperature: 0.5, seed: 7 };
  const { messages: _, ...parameters } = body;
  expect(JSON.parse(text(body, { params: true }))).toEqual(parameters);
});
