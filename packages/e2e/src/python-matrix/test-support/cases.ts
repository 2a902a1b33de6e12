// The requests of each case of the matrix, and the check of its answer. A case is a row; its Python
// file has the calls for each SDK.

import type { Said } from './driver';
import type { ModelKind, Seen } from './world';

export type SdkName = 'openai' | 'responses' | 'anthropic' | 'genai';

export interface Answered extends Pick<Seen, 'attempts' | 'received'> {
  readonly said: Said;
  readonly sdk: SdkName;
  readonly model: string;
}

export interface Case {
  readonly name: string;
  readonly sdks: readonly SdkName[];
  readonly model: ModelKind;
  /** Whether the short form runs it with every provider. */
  readonly short?: true;
  readonly check: (answered: Answered) => void;
}

const ALL: readonly SdkName[] = ['openai', 'responses', 'anthropic', 'genai'];
const WORDS = 'You said: Grüße, 日本 🦊';
const PIXEL = /iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ/;

const DONE: Readonly<Record<SdkName, string>> = {
  openai: 'stop',
  responses: 'completed',
  anthropic: 'end_turn',
  genai: 'STOP',
};

function expectText({ said, sdk }: Answered): void {
  expect(said).toMatchObject({ text: WORDS, calls: [], stop: DONE[sdk] });
  expect(said['usage']).toMatchObject({ input: expect.any(Number), output: 6 });
}

/** Two turns: a call of each tool with its arguments, and an answer from their results. */
function expectTools({ said, received }: Answered, names: readonly string[], end: string): void {
  const { first, second } = said as { first: Said; second: Said };
  const calls = first['calls'] as { name: string; input: unknown }[];
  expect(calls.map(({ name }) => name)).toEqual(names);
  for (const { name, input } of calls) {
    const given: unknown = typeof input === 'string' ? JSON.parse(input) : input;
    const city = expect.stringContaining('get_weather');
    expect(given).toEqual(name === 'get_weather' ? { city } : { zone: 42 });
  }
  expect(second).toMatchObject({ text: `The tool said: ${end}`, calls: [] });
  expect(received).toHaveLength(2);
}

const oneTool = (answered: Answered): void => expectTools(answered, ['get_weather'], 'föhn');

function expectImage({ received }: Answered): void {
  expect(JSON.stringify(received.at(-1)?.body)).toMatch(PIXEL);
}

function droppedIn({ attempts }: Answered): string {
  return attempts.map(({ headers }) => String(headers['x-tollgate-dropped'] ?? '')).join();
}

const CONVERSATIONS: readonly Case[] = [
  { name: 'text', sdks: ALL, model: 'chat', short: true, check: expectText },
  { name: 'stream', sdks: ALL, model: 'chat', short: true, check: expectText },
  {
    name: 'async',
    sdks: ALL,
    model: 'chat',
    check: (answered) => {
      expectText(answered);
      expect(answered.said['streamed']).toBe(WORDS);
    },
  },
  { name: 'tools', sdks: ALL, model: 'chat', check: oneTool },
  { name: 'tools streamed', sdks: ALL, model: 'chat', check: oneTool },
  {
    name: 'tools in parallel',
    sdks: ALL,
    model: 'chat',
    check: (answered) => expectTools(answered, ['get_weather', 'get_time'], 'föhn noon'),
  },
  {
    name: 'tool result with an image',
    sdks: ALL,
    model: 'chat',
    check: (answered) => {
      expectTools(answered, ['get_weather'], 'a map');
      expectImage(answered);
    },
  },
  {
    name: 'image',
    sdks: ALL,
    model: 'chat',
    check: (answered) => {
      expect(answered.said['text']).toBe('You said: What is this?');
      expectImage(answered);
    },
  },
  {
    name: 'structured output',
    sdks: ALL,
    model: 'chat',
    check: ({ said }) => expect(said['parsed']).toEqual({ city: 'Grüße, 日本 🦊', celsius: 42 }),
  },
  {
    name: 'json object',
    sdks: ['openai'],
    model: 'chat',
    check: ({ said, model, received }) => {
      // Where the format has no such mode, the prompt asks for it, which the simulator ignores.
      if (model.startsWith('anthropic')) {
        expect(JSON.stringify(received.at(-1)?.body)).toContain('one valid JSON object');
      } else expect(JSON.parse(String(said['text']))).toEqual(expect.anything());
    },
  },
  {
    name: 'thinking',
    sdks: ALL,
    model: 'chat',
    check: (answered) => {
      oneTool(answered);
      // The simulator refuses thinking that returns changed.
      const { first } = answered.said as { first: Said };
      expect(first).toMatchObject({ thinking: 'hmm hmm hmm ', usage: { reasoning: 3 } });
    },
  },
  {
    name: 'usage of a cache',
    sdks: ALL,
    model: 'counted',
    check: ({ said }) =>
      expect(said['usage']).toEqual({ input: 60, cacheRead: 40, output: 11, reasoning: 5 }),
  },
  ...['name of the model', 'name of the model, streamed'].map((name): Case => ({
    name,
    sdks: ALL,
    model: 'chat',
    check: ({ said, model }) => expect(said['model']).toBe(model),
  })),
  {
    name: 'cache control',
    sdks: ['openai', 'anthropic'],
    model: 'chat',
    check: (answered) => {
      const { second } = answered.said as { second: { usage: { cacheRead: number } } };
      const sent = JSON.stringify(answered.received.at(-1)?.body).includes('cache_control');
      // Only one format has the field; others get it only if they speak the client's format.
      if (answered.model.startsWith('anthropic')) expect(second.usage.cacheRead).toBeGreaterThan(0);
      else expect(sent || droppedIn(answered).includes('cache_control')).toBe(true);
    },
  },
  {
    name: 'continued',
    sdks: ['responses'],
    model: 'chat',
    check: ({ said }) => {
      const { first, second } = said as { first: Said; second: Said };
      expect(first['id']).not.toBe(second['id']);
      expect(second).toMatchObject({ text: 'You said: And then?' });
    },
  },
  {
    name: 'retrieve',
    sdks: ['responses'],
    model: 'chat',
    check: ({ said }) => {
      const { made } = said as { made: Said };
      expect(said).toMatchObject({ id: made['id'], text: WORDS });
    },
  },
  {
    name: 'cancel',
    sdks: ['responses'],
    model: 'chat',
    check: ({ said }) => expect(['cancelled', 'completed']).toContain(said['status']),
  },
  {
    name: 'count tokens',
    sdks: ['anthropic', 'genai'],
    model: 'chat',
    check: ({ said }) => expect(said['tokens']).toBeGreaterThan(0),
  },
];

const OPERATIONS: readonly Case[] = [
  {
    name: 'embeddings',
    sdks: ['openai', 'genai'],
    model: 'embeds',
    check: ({ said, sdk, model }) => {
      const vectors = said['vectors'] as number[];
      // The SDK recognises the name as a model that embeds all contents as one.
      const together = sdk === 'genai' && model.startsWith('gemini');
      expect(vectors).toHaveLength(together ? 1 : 2);
      for (const length of vectors) expect(length).toBeGreaterThan(0);
    },
  },
  {
    name: 'images',
    sdks: ['openai'],
    model: 'draws',
    check: ({ said }) => expect(said['images']).toEqual([true, true]),
  },
  {
    name: 'image edit',
    sdks: ['openai'],
    model: 'draws',
    check: ({ said }) => expect(said['images']).toEqual([true]),
  },
  {
    name: 'image variation',
    sdks: ['openai'],
    model: 'draws',
    check: ({ said }) => expect(said['images']).toEqual([true]),
  },
  {
    name: 'speech',
    sdks: ['openai'],
    model: 'speaks',
    check: ({ said }) => expect(said['bytes']).toBeGreaterThan(100),
  },
  {
    name: 'transcription',
    sdks: ['openai'],
    model: 'hears',
    check: ({ said }) => expect(said['text']).toContain('Heard speech.wav.'),
  },
  {
    name: 'translation',
    sdks: ['openai'],
    model: 'hears',
    check: ({ said }) => expect(said['text']).toContain('Heard speech.wav.'),
  },
  {
    name: 'moderation',
    sdks: ['openai'],
    model: 'judges',
    check: ({ said }) => expect(said['flagged']).toEqual([false]),
  },
  {
    name: 'completion',
    sdks: ['openai'],
    model: 'chat',
    check: ({ said }) => expect(said['text']).toContain('Hello'),
  },
  {
    name: 'models list',
    sdks: ['openai', 'anthropic', 'genai'],
    model: 'chat',
    check: ({ said, model }) => {
      const names = (said['models'] as string[]).map((name) => name.replace(/^models\//, ''));
      expect(names).toContain(model);
    },
  },
  {
    name: 'models get',
    sdks: ['openai', 'anthropic', 'genai'],
    model: 'chat',
    check: ({ said, model }) => expect(String(said['model']).replace(/^models\//, '')).toBe(model),
  },
];

export const CASES: readonly Case[] = [...CONVERSATIONS, ...OPERATIONS];
