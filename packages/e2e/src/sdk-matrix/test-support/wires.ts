// Reads an upstream's request in each format, by the vendor's documentation and not by the
// gateway's codecs.

import { objectIn, textIn } from './sdk';
import type { Wire } from './upstreams';

export interface Reading {
  readonly tools: readonly string[];
  /** URLs and data URLs. */
  readonly images: readonly string[];
  /** The property names of the requested schema. */
  readonly schema: readonly string[];
  /** The results of tools. */
  readonly results: readonly string[];
  /** Seals of returned reasoning. */
  readonly seals: readonly string[];
}

type Body = Record<string, unknown>;

export function readWire(wire: Wire, body: unknown): Reading {
  return READERS[wire](objectIn(body));
}

const READERS: Readonly<Record<Wire, (body: Body) => Reading>> = {
  'openai-chat': (body) => {
    const messages = listIn(body['messages']);
    const parts = messages.flatMap((message) => listIn(message['content']));
    const format = objectIn(body['response_format']);
    return {
      tools: listIn(body['tools']).map((tool) => text(objectIn(tool['function'])['name'])),
      images: texts(parts.map((part) => objectIn(part['image_url'])['url'])),
      schema: propertiesOf(objectIn(format['json_schema'])['schema']),
      results: texts(messages.map(({ role, content }) => (role === 'tool' ? content : undefined))),
      seals: [],
    };
  },
  'openai-responses': (body) => {
    const items = listIn(body['input']);
    const parts = items.flatMap((item) => listIn(item['content']));
    return {
      tools: listIn(body['tools']).map((tool) => text(tool['name'])),
      images: texts(parts.map((part) => part['image_url'])),
      schema: propertiesOf(objectIn(objectIn(body['text'])['format'])['schema']),
      results: texts(items.map((item) => item['output'])),
      seals: texts(items.map((item) => item['encrypted_content'])),
    };
  },
  'anthropic-messages': (body) => {
    const blocks = listIn(body['messages']).flatMap((message) => listIn(message['content']));
    const results = blocks.filter(({ type }) => type === 'tool_result');
    return {
      tools: listIn(body['tools']).map((tool) => text(tool['name'])),
      images: texts(blocks.map((block) => sourceUrl(objectIn(block['source'])))),
      schema: propertiesOf(objectIn(objectIn(body['output_config'])['format'])['schema']),
      results: results.map(({ content }) =>
        typeof content === 'string' ? content : texts(listIn(content).map((b) => b['text'])).join(),
      ),
      seals: texts(blocks.map((block) => block['signature'])),
    };
  },
  'gemini-generate': (body) => {
    const parts = listIn(body['contents']).flatMap((content) => listIn(content['parts']));
    const declared = listIn(body['tools']).flatMap((tool) => listIn(tool['functionDeclarations']));
    const results = parts.map((part) => objectIn(objectIn(part['functionResponse'])['response']));
    const config = objectIn(body['generationConfig']);
    return {
      tools: declared.map((tool) => text(tool['name'])),
      images: texts(parts.map(imageIn)),
      schema: propertiesOf(config['responseJsonSchema'] ?? config['responseSchema']),
      results: texts(results.map(({ output, result }) => output ?? result)),
      seals: texts(parts.map((part) => part['thoughtSignature'])),
    };
  },
};

function sourceUrl({ type, url, media_type, data }: Body): unknown {
  return type === 'base64' ? `data:${text(media_type)};base64,${text(data)}` : url;
}

function imageIn(part: Body): unknown {
  const { mimeType, data } = objectIn(part['inlineData']);
  const inline = data === undefined ? undefined : `data:${text(mimeType)};base64,${text(data)}`;
  return inline ?? objectIn(part['fileData'])['fileUri'];
}

function propertiesOf(schema: unknown): string[] {
  return Object.keys(objectIn(objectIn(schema)['properties']));
}

function listIn(value: unknown): Body[] {
  return Array.isArray(value) ? value.map(objectIn) : [];
}

function texts(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string');
}

function text(value: unknown): string {
  return textIn(value) ?? '';
}
