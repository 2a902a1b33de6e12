// Every documented parameter of a responses request, for each other format: sent, reported as
// dropped or refused; and every parameter of a chat request, for this format.
import { GatewayError } from '@tollgate/contracts';

import { openaiResponses } from '.';
import { FORMATS, type Format, type FormatName } from '..';
import type { TargetContext } from '../format';
import { JSON_ASKED } from '../matrix/test-support/outcomes';
import type { JsonObject } from '../normalised';
import { openaiChat } from '../openai-chat';

const TARGETS: Partial<Record<FormatName, TargetContext>> = {
  'openai-chat': { providerType: 'PROVIDER_A', model: 'gpt-5.6', strict: false },
  'anthropic-messages': { providerType: 'PROVIDER_B', model: 'claude-opus-5', strict: false },
  'gemini-generate': { providerType: 'PROVIDER_C', model: 'gemini-3-flash', strict: false },
  unified: { providerType: 'PROVIDER_D', model: 'm', strict: false },
};
const targets = Object.entries(TARGETS).map(([name, target]) => ({
  format: FORMATS[name as FormatName],
  target,
}));

const plain = { model: 'm', input: 'Hi' };
const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }];

type Fate = 'honoured' | 'declared' | 'refused' | 'nothing to say';

function fateOf(parameters: JsonObject, format: Format, target: TargetContext): Fate {
  const encode = (body: JsonObject) =>
    format.encodeRequest(openaiResponses.decodeRequest(body, {}), target);
  const without = encode({ ...plain, ...(parameters['tool_choice'] ? { tools } : {}) });
  try {
    const { body, dropped } = encode({ ...plain, ...parameters });
    if (dropped.length > 0) return 'declared';
    return JSON.stringify(body) === JSON.stringify(without.body) ? 'nothing to say' : 'honoured';
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'unsupported_parameter') return 'refused';
    throw error;
  }
}

/** A default value may be left out. */
const anyway = ['nothing to say', 'honoured'];
const crosses = ['honoured'];
const named = ['honoured', 'declared'];
const refused = ['refused'];

test.each<[JsonObject, string[]]>([
  [{ instructions: 'Be brief.' }, crosses],
  [{ tools }, crosses],
  [{ tools: [{ type: 'custom', name: 'c' }] }, named],
  [{ tools: [{ type: 'web_search' }] }, named],
  [{ tools: [{ type: 'mcp', server_label: 's', server_url: 'https://a' }] }, ['declared']],
  [{ tools, tool_choice: 'required' }, crosses],
  [{ tools, tool_choice: 'none' }, crosses],
  [{ tools, tool_choice: { type: 'function', name: 'f' } }, crosses],
  [{ tools, tool_choice: { type: 'web_search_preview' } }, ['declared']],
  [{ max_output_tokens: 50 }, crosses],
  [{ max_tool_calls: 3 }, ['declared']],
  [{ reasoning: { effort: 'low' } }, named],
  [{ reasoning: { summary: 'auto' } }, ['declared']],
  [{ text: { format: { type: 'json_object' } } }, named],
  [{ text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' } } } }, crosses],
  [{ text: { format: { type: 'text' } } }, anyway],
  [{ text: { verbosity: 'low' } }, named],
  [{ temperature: 0.5 }, named],
  [{ top_p: 0.5 }, named],
  [{ top_logprobs: 3 }, named],
  [{ include: ['message.output_text.logprobs'] }, named],
  [{ include: ['reasoning.encrypted_content'] }, anyway],
  [{ include: ['web_search_call.results'] }, ['declared']],
  [{ metadata: { trace: 't' } }, named],
  [{ store: false }, anyway],
  [{ store: true }, ['declared']],
  [{ truncation: 'auto' }, ['declared']],
  [{ truncation: 'disabled' }, anyway],
  [{ user: 'u' }, named],
  [{ safety_identifier: 's' }, named],
  [{ prompt_cache_key: 'k' }, named],
  [{ prompt_cache_retention: '24h' }, named],
  [{ prompt_cache_options: { mode: 'explicit' } }, ['declared']],
  [{ service_tier: 'flex' }, named],
  [{ context_management: [{ type: 'compaction' }] }, ['declared']],
  [{ moderation: { model: 'm' } }, ['declared']],
  [{ access_programs: { cyber: 'standard' } }, ['declared']],
  [{ image: { context_compression: 'auto' } }, ['declared']],
  [{ stream: true, stream_options: { include_obfuscation: true } }, ['declared']],
  [{ previous_response_id: 'resp_1' }, refused],
  [{ conversation: 'conv_1' }, refused],
  [{ background: true }, refused],
  [{ prompt: { id: 'pmpt_1' } }, refused],
  [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, refused],
])('%j: %j', (parameters, fates) => {
  for (const { format, target } of targets) {
    expect([format.name, fateOf(parameters, format, target)]).toEqual([
      format.name,
      expect.stringMatching(`^(${fates.join('|')})$`),
    ]);
  }
});

const messages = [{ role: 'user', content: 'Hi' }];
const toVendor: TargetContext = { providerType: 'PROVIDER_A', model: 'gpt-4o', strict: false };

test.each<[JsonObject, JsonObject]>([
  [
    { temperature: 0.5, top_p: 0.9 },
    { temperature: 0.5, top_p: 0.9 },
  ],
  [{ max_completion_tokens: 50 }, { max_output_tokens: 50 }],
  [{ max_tokens: 50 }, { max_output_tokens: 50 }],
  [
    { logprobs: true, top_logprobs: 2 },
    { include: ['message.output_text.logprobs'], top_logprobs: 2 },
  ],
  [
    { reasoning_effort: 'low' },
    { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] },
  ],
  [{ verbosity: 'low' }, { text: { verbosity: 'low' } }],
  [
    { response_format: { type: 'json_object' } },
    { text: { format: { type: 'json_object' } }, instructions: JSON_ASKED },
  ],
  [
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object' }, strict: true },
      },
      verbosity: 'high',
    },
    {
      text: {
        format: { type: 'json_schema', name: 'a', strict: true, schema: { type: 'object' } },
        verbosity: 'high',
      },
    },
  ],
  [
    {
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
    },
    {
      tools: [{ type: 'function', name: 'f', parameters: null, strict: false }],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
    },
  ],
  [{ tool_choice: 'none' }, { tool_choice: 'none' }],
  [
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    },
    {
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [{ type: 'function', name: 'f' }],
      },
    },
  ],
  [
    { metadata: { a: 'b' }, user: 'u', service_tier: 'flex' },
    { metadata: { a: 'b' }, user: 'u', service_tier: 'flex' },
  ],
  [
    { safety_identifier: 's', prompt_cache_key: 'k', prompt_cache_retention: '24h' },
    { safety_identifier: 's', prompt_cache_key: 'k', prompt_cache_retention: '24h' },
  ],
  [{ store: false }, {}],
  [{ stream: true, stream_options: { include_usage: true } }, { stream: true }],
  [{ modalities: ['text'] }, {}],
])('the chat parameters %j', (parameters, sent) => {
  const request = openaiChat.decodeRequest({ model: 'm', messages, ...parameters }, {});
  const { body, dropped } = openaiResponses.encodeRequest(request, toVendor);
  const input = [{ type: 'message', role: 'user', content: 'Hi' }];
  expect(body).toEqual({ model: 'gpt-4o', input, store: false, ...sent });
  expect(dropped).toEqual([]);
});

test.each<[JsonObject, string]>([
  [{ stop: 'END' }, 'stop'],
  [{ seed: 7 }, 'seed'],
  [{ n: 2 }, 'n'],
  [{ presence_penalty: 1 }, 'presence_penalty'],
  [{ frequency_penalty: 1 }, 'frequency_penalty'],
  [{ logit_bias: { 5: 1 } }, 'logit_bias'],
  [{ top_k: 3 }, 'top_k'],
  [{ modalities: ['text', 'audio'] }, 'modalities'],
  [{ audio: { voice: 'alloy', format: 'mp3' } }, 'audio'],
  [{ store: true }, 'store'],
  [{ prediction: { type: 'content', content: 'x' } }, 'prediction'],
  [{ web_search_options: {} }, 'web_search_options'],
])('the chat parameters %j are reported as dropped', (parameters, path) => {
  const request = openaiChat.decodeRequest({ model: 'm', messages, ...parameters }, {});
  expect(openaiResponses.encodeRequest(request, toVendor).dropped).toEqual([path]);
});
