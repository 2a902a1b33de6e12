import type { TierWords } from '@tollgate/contracts';

import { FORMATS, type FormatName, type JsonObject } from '.';
import { createStreamMeter } from './meter';
import { openAiTiersAsked, tiersAsked } from './service-tiers';

const decode = (format: FormatName, body: JsonObject) =>
  FORMATS[format].decodeRequest(body, { model: 'm', stream: false });

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const MESSAGES = { ...CHAT, max_tokens: 5 };
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };

describe('what a request asks for', () => {
  test.each<[FormatName, JsonObject, (readonly [string, string, string])[]]>([
    ['openai-chat', CHAT, []],
    ['openai-chat', { ...CHAT, service_tier: 'auto' }, []],
    ['openai-chat', { ...CHAT, service_tier: 'default' }, []],
    [
      'openai-chat',
      { ...CHAT, service_tier: 'priority' },
      [['priority', 'service_tier', 'openai gemini']],
    ],
    ['openai-chat', { ...CHAT, service_tier: 'fast' }, [['priority', 'service_tier', 'openai']]],
    [
      'openai-responses',
      { model: 'm', input: 'Hi', service_tier: 'ultrafast' },
      [['ultrafast', 'service_tier', 'openai']],
    ],
    ['openai-chat', { ...CHAT, service_tier: 'hyper' }, [['other', 'service_tier', 'openai']]],
    [
      'gemini-generate',
      { ...GEMINI, serviceTier: 'flex' },
      [['flex', 'serviceTier', 'openai gemini']],
    ],
    ['gemini-generate', { ...GEMINI, serviceTier: 'standard' }, []],
    ['anthropic-messages', { ...MESSAGES, service_tier: 'standard_only', speed: 'standard' }, []],
    [
      'anthropic-messages',
      { ...MESSAGES, speed: 'fast', inference_geo: 'us' },
      [
        ['fast', 'speed', 'anthropic'],
        ['us', 'inference_geo', 'anthropic'],
      ],
    ],
    [
      'anthropic-messages',
      { ...MESSAGES, inference_geo: 'eu' },
      [['other', 'inference_geo', 'anthropic']],
    ],
    ['anthropic-messages', { ...MESSAGES, inference_geo: 'global', speed: null }, []],
  ])('%s, %j', (format, body, expected) => {
    const asked = tiersAsked(decode(format, body));
    expect(asked.map(({ name, param, upstreams }) => [name, param, upstreams.join(' ')])).toEqual(
      expected,
    );
  });

  test('a compaction has the field of responses', () => {
    expect(openAiTiersAsked('flex')).toEqual([
      { name: 'flex', param: 'service_tier', upstreams: ['openai'] },
    ]);
    expect(openAiTiersAsked(undefined)).toEqual([]);
  });
});

const event = (data: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const CHAT_USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const chatChunk = (more: object) =>
  event({ id: 'c', object: 'chat.completion.chunk', model: 'm', service_tier: 'flex', ...more });
const response = (service_tier: string, more: object) => ({
  id: 'r',
  object: 'response',
  model: 'm',
  service_tier,
  output: [],
  ...more,
});
const MESSAGE_TIERS = { service_tier: 'standard', inference_geo: 'us', speed: 'fast' };
const gemini = (tier: object) => ({
  candidates: [{ content: { parts: [{ text: 'Hi' }], role: 'model' }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5, ...tier },
});

interface Said {
  readonly format: FormatName;
  readonly tiers: TierWords;
  readonly whole: JsonObject;
  readonly stream: string;
}

const ANSWERS: readonly Said[] = [
  {
    format: 'openai-chat',
    tiers: { service: 'flex' },
    whole: {
      id: 'c',
      model: 'm',
      service_tier: 'flex',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: CHAT_USAGE,
    },
    stream:
      chatChunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }] }) +
      chatChunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
      chatChunk({ choices: [], usage: CHAT_USAGE }) +
      'data: [DONE]\n\n',
  },
  {
    // A stream begins with the tier that was asked for, and ends with the one that was used.
    format: 'openai-responses',
    tiers: { service: 'default' },
    whole: response('default', {
      status: 'completed',
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    }),
    stream:
      event(
        { type: 'response.created', response: response('priority', { status: 'in_progress' }) },
        'response.created',
      ) +
      event(
        {
          type: 'response.completed',
          response: response('default', {
            status: 'completed',
            usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
          }),
        },
        'response.completed',
      ),
  },
  {
    format: 'anthropic-messages',
    tiers: { service: 'standard', region: 'us', speed: 'fast' },
    whole: {
      id: 'a',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 2, ...MESSAGE_TIERS },
    },
    stream:
      event(
        {
          type: 'message_start',
          message: {
            id: 'a',
            model: 'm',
            content: [],
            usage: { input_tokens: 3, output_tokens: 0, ...MESSAGE_TIERS },
          },
        },
        'message_start',
      ) +
      event(
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: { output_tokens: 2 },
        },
        'message_delta',
      ) +
      event({ type: 'message_stop' }, 'message_stop'),
  },
  ...[
    ['serviceTier', 'priority'],
    ['trafficType', 'ON_DEMAND_FLEX'],
  ].map(([field = '', service = '']) => ({
    format: 'gemini-generate' as const,
    tiers: { service },
    whole: gemini({ [field]: service }),
    stream: event(gemini({ [field]: service })),
  })),
];

describe('what an answer reports', () => {
  test.each(ANSWERS)('$format, $tiers', ({ format: name, stream, tiers, whole }) => {
    const format = FORMATS[name];
    const bytes = Buffer.from(JSON.stringify(whole));
    expect(format.inspectResponse(bytes).tiers).toEqual(tiers);
    const tap = format.createUsageTap({ stripUsage: false });
    tap.push(Buffer.from(stream));
    tap.finish();
    expect(tap.report.tiers).toEqual(tiers);
    const decoder = format.createStreamDecoder();
    const meter = createStreamMeter();
    for (const one of [...decoder.push(Buffer.from(stream)), ...decoder.finish()]) meter.see(one);
    expect(meter.report.tiers).toEqual(tiers);
  });
});
