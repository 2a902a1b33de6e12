// A row of the tables of tools, and the small results that most rows give.

import type {
  CallToolResult,
  InputRequiredResult,
  JsonSchemaType,
  ServerContext,
} from '@modelcontextprotocol/server';

import type { JsonObject } from '../../json';
import type { McpUpstream } from '../upstream';

export type ToolResult = CallToolResult | InputRequiredResult;

export interface Tool {
  name: string;
  description: string;
  /** JSON Schema 2020-12; without it any object. */
  input?: JsonSchemaType;
  /**
   * A thrown ProtocolError is answered as a JSON-RPC error, any other error as a result with `isError`.
   * Arguments are not validated.
   */
  run(
    args: JsonObject,
    context: ServerContext,
    upstream: McpUpstream,
  ): ToolResult | Promise<ToolResult>;
}

export function text(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
