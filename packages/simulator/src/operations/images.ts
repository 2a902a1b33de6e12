// POST /v1/images/generations, /edits and /variations. Every image is the same single pixel, but
// usage differs:
//
// - Input: the tokens of the prompt, and 765 for each input image (without masks), whatever the operation.
// - Output, per image: by quality and shape, as in the table below.
//
// A stream sends each image as soon as it is drawn, with the usage of that image. The input is in the first one's.
//
// Each image is sent as `b64_json`, unless `response_format` is `url`.

import { emptyUsage, type BilledUsage } from '../bill';
import { openAiTroubles } from '../formats/openai-chat';
import { countInForm, textOf, type JsonObject } from '../json';
import {
  EVENT_STREAM,
  invalid,
  json,
  type Call,
  type Frame,
  type Problem,
  type Reply,
} from '../reply';
import { countImage, countTokens } from '../tokens';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const MAX_IMAGES = 10;
const MAX_PARTIAL_IMAGES = 3;

/** Output tokens by quality: square, portrait, landscape. */
const TOKENS: Readonly<Record<string, readonly [number, number, number]>> = {
  low: [272, 408, 400],
  medium: [1056, 1584, 1568],
  high: [4160, 6240, 6208],
};
const QUALITIES: Readonly<Record<string, string>> = {
  auto: 'medium',
  standard: 'medium',
  hd: 'high',
};

type Kind = 'image_generation' | 'image_edit';

export function imageGenerations(call: Call): Reply | Problem {
  if (textOf(call.body['prompt']) === '') {
    return invalid('A prompt is required.', 'prompt', 'missing');
  }
  return images(call, 'image_generation');
}

export function imageEdits(call: Call): Reply | Problem {
  if (textOf(call.body['prompt']) === '') {
    return invalid('A prompt is required.', 'prompt', 'missing');
  }
  return givenImages(call) === 0 ? noImage() : images(call, 'image_edit');
}

export function imageVariations(call: Call): Reply | Problem {
  return givenImages(call) === 0 ? noImage() : images(call, 'image_edit');
}

function noImage(): Problem {
  return invalid('An image is required.', 'image', 'missing');
}

/** In a form, or in the fields `image` and `images` of a JSON body. */
function givenImages({ body, files }: Call): number {
  const sent = files.filter(({ field }) => field === 'image' || field === 'image[]').length;
  return [body['image'], body['images']].flat().filter(Boolean).length + sent;
}

function images(call: Call, kind: Kind): Reply | Problem {
  const { body, directives } = call;
  const count = countInForm(body['n']) ?? 1;
  if (count < 1 || count > MAX_IMAGES) return invalid(`n is 1 to ${MAX_IMAGES}.`, 'n');
  const asked = textOf(body['quality']) || 'auto';
  const quality = QUALITIES[asked] ?? asked;
  const size = /^\d+x\d+$/.test(textOf(body['size'])) ? textOf(body['size']) : '1024x1024';
  const each = tokensFor(quality, size);
  const text = countTokens(textOf(body['prompt']));
  const seen = givenImages(call) * countImage();
  const usage = (generated: number): BilledUsage => ({
    ...emptyUsage(),
    input: directives.input ?? text,
    imageInput: directives['image-input'] ?? seen,
    imageOutput: generated,
  });
  const look = {
    created: call.atS,
    background: textOf(body['background']) || 'opaque',
    output_format: textOf(body['output_format']) || 'png',
    quality,
    size,
  };
  const url = `https://images.example.com/${call.id}.png`;
  const image = body['response_format'] === 'url' ? { url } : { b64_json: PIXEL };
  const report = (reported: BilledUsage | undefined): object =>
    reported === undefined ? {} : { usage: usageOfImages(reported) };
  const streamed = body['stream'] === true || body['stream'] === 'true';
  const withoutInput = (of: BilledUsage): BilledUsage => ({ ...of, input: 0, imageInput: 0 });
  const completed = (reported: BilledUsage | undefined): string => {
    const { created: created_at, ...rest } = look;
    const fields = { b64_json: PIXEL, created_at, ...rest, ...report(reported) };
    return event(`${kind}.completed`, fields);
  };
  function* frames(): Generator<Frame> {
    yield* partials(call, kind, look, each);
    for (let index = 1; index < count; index++) {
      const drawn = index === 1 ? usage(each) : withoutInput(usage(each));
      yield { text: completed(directives['no-usage'] ? undefined : drawn), tokens: 0 };
      yield { text: '', tokens: each };
    }
  }
  return {
    id: `img-${call.id}`,
    tokens: each * count,
    usage,
    units: { images: { count, size, quality } },
    unary: (reported) =>
      json({ ...look, data: Array.from({ length: count }, () => image), ...report(reported) }),
    ...(streamed
      ? {
          stream: {
            type: EVENT_STREAM,
            frames: frames(),
            ending: (reported) =>
              completed(reported && count > 1 ? withoutInput(usage(each)) : reported),
            ...openAiTroubles(call),
          },
        }
      : {}),
  };
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function tokensFor(quality: string, size: string): number {
  const [width = 0, height = 0] = size.split('x').map(Number);
  const [square, upright, lying] = TOKENS[quality] ?? TOKENS['medium'] ?? [0, 0, 0];
  if (width === height) return square;
  return width < height ? upright : lying;
}

function usageOfImages(usage: BilledUsage): JsonObject {
  const { input: text_tokens, imageInput: image_tokens, imageOutput: output_tokens } = usage;
  const input_tokens = text_tokens + image_tokens;
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    input_tokens_details: { text_tokens, image_tokens },
    output_tokens_details: { image_tokens: output_tokens, text_tokens: 0 },
  };
}

/** Partial images; the last step is left out, because the whole image follows. */
function* partials(call: Call, kind: Kind, look: JsonObject, tokens: number): Generator<Frame> {
  const wanted = Math.min(countInForm(call.body['partial_images']) ?? 0, MAX_PARTIAL_IMAGES);
  const share = Math.floor(tokens / (wanted + 1));
  const { created: created_at, ...rest } = look;
  for (let index = 0; index < wanted; index++) {
    const fields = { b64_json: PIXEL, partial_image_index: index, created_at, ...rest };
    yield { text: event(`${kind}.partial_image`, fields), tokens: share };
  }
  yield { text: '', tokens: tokens - share * wanted };
}
