// Tools that answer at once: every kind of content, schemas, sizes and errors. The names that begin with
// `test_` are those the conformance suite calls.

import { ProtocolError, type JsonSchemaType } from '@modelcontextprotocol/server';

import { countOf, textOf } from '../../json';
import { PIXEL_PNG, SILENCE_WAV } from '../media';
import { optional } from '../schemas';
import { text, type Tool } from './tool';

/** Limit of the answer of `sim_bytes`. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Of the range that MCP leaves to implementations. */
const DEFAULT_ERROR_CODE = -32_010;

/** The keywords that the suite expects in the list unchanged. */
const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as JsonSchemaType;

export const CONTENT_TOOLS: readonly Tool[] = [
  {
    name: 'test_simple_text',
    description: 'Answers one text.',
    run: () => text('A simple text.'),
  },
  {
    name: 'test_image_content',
    description: 'Answers a picture of one pixel.',
    run: () => ({ content: [{ type: 'image', data: PIXEL_PNG, mimeType: 'image/png' }] }),
  },
  {
    name: 'test_audio_content',
    description: 'Answers an empty sound file.',
    run: () => ({ content: [{ type: 'audio', data: SILENCE_WAV, mimeType: 'audio/wav' }] }),
  },
  {
    name: 'test_embedded_resource',
    description: 'Answers a resource inside the result.',
    run: () => ({
      content: [
        {
          type: 'resource',
          resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'Embedded.' },
        },
      ],
    }),
  },
  {
    name: 'test_multiple_content_types',
    description: 'Answers a text, a picture and a resource.',
    run: () => ({
      content: [
        { type: 'text', text: 'Several kinds of content:' },
        { type: 'image', data: PIXEL_PNG, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  },
  {
    name: 'test_error_handling',
    description: 'Fails, as a result with isError.',
    run: () => {
      throw new Error('This tool always fails.');
    },
  },
  {
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema with the newer keywords.',
    input: SCHEMA_2020_12,
    run: (args) => text(JSON.stringify(args)),
  },
  {
    name: 'test_x_mcp_header',
    description: 'Has an argument that clients repeat in the header Mcp-Param-Region.',
    input: optional({
      region: { type: 'string', 'x-mcp-header': 'Region' },
      level: { type: 'integer' },
    }),
    run: ({ region }) => text(`region=${textOf(region)}`),
  },
  {
    name: 'sim_echo',
    description: 'Answers its arguments as JSON.',
    run: (args) => text(JSON.stringify(args)),
  },
  {
    name: 'sim_bytes',
    description: 'Answers a text of so many bytes.',
    input: optional({ bytes: { type: 'integer', minimum: 0, maximum: MAX_BYTES } }),
    run: ({ bytes }) => text('x'.repeat(Math.min(countOf(bytes) ?? 0, MAX_BYTES))),
  },
  {
    name: 'sim_fail',
    description: 'Answers a result with isError and this message.',
    input: optional({ message: { type: 'string' } }),
    run: ({ message }) => ({ ...text(textOf(message) || 'The tool failed.'), isError: true }),
  },
  {
    name: 'sim_protocol_error',
    description: 'Answers a JSON-RPC error of this code.',
    input: optional({ code: { type: 'integer' }, message: { type: 'string' } }),
    run: ({ code, message }) => {
      const known = Number.isSafeInteger(code) ? Number(code) : DEFAULT_ERROR_CODE;
      throw new ProtocolError(known, textOf(message) || 'The call is refused.', {
        by: 'simulator',
      });
    },
  },
];
