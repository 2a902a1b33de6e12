// Names of OpenTelemetry's semantic conventions, in one place because they are not stable yet: those of
// generative AI with MCP, and the general ones that they depend on (v1.45.0). What no convention has is
// `tollgate.*`.

import type { Operation } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';
import { GENERAL_SCOPE } from '@tollgate/kit/tracing';

/** Of the conventions for generative AI. */
const SCHEMA_VERSION = '0.1.0';

export const SCOPE = {
  ...GENERAL_SCOPE,
  schemaUrl: `https://opentelemetry.io/schemas/gen-ai/${SCHEMA_VERSION}`,
};

export const HTTP = {
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  path: 'url.path',
  requestBytes: 'http.request.body.size',
  responseBytes: 'http.response.body.size',
  scheme: 'url.scheme',
} as const;

export const ERROR_TYPE = 'error.type';

export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  choices: 'gen_ai.request.choice.count',
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  topK: 'gen_ai.request.top_k',
  seed: 'gen_ai.request.seed',
  presencePenalty: 'gen_ai.request.presence_penalty',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheRead: 'gen_ai.usage.cache_read.input_tokens',
  cacheWrite: 'gen_ai.usage.cache_write.input_tokens',
  reasoning: 'gen_ai.usage.reasoning.output_tokens',
  conversation: 'gen_ai.conversation.id',
  tool: 'gen_ai.tool.name',
  // Only for organisations that want texts in traces.
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
} as const;

export const MCP = {
  method: 'mcp.method.name',
  revision: 'mcp.protocol.version',
  resource: 'mcp.resource.uri',
  rpcId: 'jsonrpc.request.id',
  rpcStatus: 'rpc.response.status_code',
  toolError: 'tool_error',
  executeTool: 'execute_tool',
} as const;

/** Operations that the conventions name otherwise; the others keep their names. */
const OPERATION_NAMES: Partial<Record<Operation, string>> = {
  completions: 'text_completion',
  responses: 'chat',
};

export function operationName(operation: Operation): string {
  return OPERATION_NAMES[operation] ?? operation;
}

/** Where the conventions name a vendor otherwise than by its format. */
const VENDOR_NAMES = new Map([['gemini', 'gcp.gemini']]);

/** Clouds have one name, whatever format is spoken to them. */
const CLOUD_NAMES = new Map([
  ['PROVIDER_F', 'azure.ai.openai'],
  ['PROVIDER_G', 'gcp.vertex_ai'],
  ['PROVIDER_H', 'aws.bedrock'],
]);

/** Other vendors are named after the format that they speak, as the conventions advise. */
export function providerName({ providerType, upstreamFormat }: Candidate__Output): string {
  return CLOUD_NAMES.get(providerType) ?? VENDOR_NAMES.get(upstreamFormat) ?? upstreamFormat;
}
