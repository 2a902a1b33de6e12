import { z } from 'zod';

import { IMAGE_TYPES } from '../images';

// Content blocks of a tool's result as the page shows them. Pure.

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly url: string }
  /** Content that is named, not shown: audio, other pictures, binary resources. */
  | {
      readonly kind: 'binary';
      readonly what: string;
      readonly type: string;
      readonly bytes: number;
    }
  | {
      readonly kind: 'link';
      readonly uri: string;
      readonly title: string;
      readonly description: string | undefined;
    }
  | { readonly kind: 'resource'; readonly uri: string; readonly text: string }
  /** A kind that this version does not know. */
  | { readonly kind: 'other'; readonly json: string };

const media = z.object({ data: z.string(), mimeType: z.string() });
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const schema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), ...media.shape }),
  z.object({ type: z.literal('audio'), ...media.shape }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
  }),
  z.object({
    type: z.literal('resource'),
    resource: z.union([
      z.object({ uri: z.string(), text: z.string() }),
      z.object({ uri: z.string(), blob: z.string(), mimeType: z.string().optional() }),
    ]),
  }),
]);

export function blockOf(raw: Readonly<Record<string, unknown>>): Block {
  const parsed = schema.safeParse(raw);
  if (!parsed.success) return { kind: 'other', json: JSON.stringify(raw, undefined, 2) };
  const block = parsed.data;
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text };
    case 'image':
      return imageOf(block);
    case 'audio':
      return binary('Audio', block.mimeType, block.data);
    case 'resource_link': {
      const { uri, name, title, description } = block;
      return { kind: 'link', uri, title: title ?? name, description };
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return { kind: 'resource', uri: resource.uri, text: resource.text };
      const type = resource.mimeType ?? 'unknown type';
      return binary(`Resource ${resource.uri}`, type, resource.blob);
    }
  }
}

/** Only pictures that browsers show without running anything: no SVG. */
function imageOf({ data, mimeType }: z.output<typeof media>): Block {
  const types: readonly string[] = IMAGE_TYPES;
  if (!types.includes(mimeType) || !BASE64.test(data)) return binary('Picture', mimeType, data);
  return { kind: 'image', url: `data:${mimeType};base64,${data}` };
}

function binary(what: string, type: string, base64: string): Block {
  return { kind: 'binary', what, type, bytes: Math.floor((base64.length * 3) / 4) };
}
