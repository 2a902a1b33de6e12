// The resources of every MCP server of the simulator. The URIs are those the conformance suite demands.

import type { ReadResourceResult } from '@modelcontextprotocol/server';

import { PIXEL_PNG } from './media';

type Content = { text: string } | { blob: string };

export interface Resource {
  name: string;
  uri: string;
  mimeType: string;
  description: string;
  content: Content;
}

export const RESOURCES: readonly Resource[] = [
  {
    name: 'static-text',
    uri: 'test://static-text',
    mimeType: 'text/plain',
    description: 'A text.',
    content: { text: 'The content of the text resource.' },
  },
  {
    name: 'static-binary',
    uri: 'test://static-binary',
    mimeType: 'image/png',
    description: 'A picture of one pixel.',
    content: { blob: PIXEL_PNG },
  },
  {
    name: 'watched-resource',
    uri: 'test://watched-resource',
    mimeType: 'text/plain',
    description: 'A resource to subscribe to: POST /_sim/mcp/touch announces a new version.',
    content: { text: 'The content of the watched resource.' },
  },
];

export const TEMPLATE = 'test://template/{id}/data';

export function contentsOf({ content, mimeType, uri }: Resource): ReadResourceResult {
  return { contents: [{ uri, mimeType, ...content }] };
}

export function templateContents(uri: string, id: string): ReadResourceResult {
  const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: 'application/json', text }] };
}
