// Image generation, edits and variations. Billed by the image and by tokens, depending on the
// model's price.

import { addUsage, emptyUsage, imageUnit, type TokenUsage } from '@tollgate/contracts';
import { z } from 'zod';

import type { JsonObject } from '../formats';
import { arrayOf, textOf } from '../formats/json';
import type { AnswerBody } from '../upstream/answer-body';
import { inputAndOutput, mediaUsage, notAnAnswer, objectIn } from './answer';
import { createEventPassage } from './event-passage';
import { addressed, count, estimateInput, optionalSwitch, optionalText } from './fields';
import { readFields, type Inlet } from './inlet';
import type { Answered, Job, Passage, Target } from './job';
import { ANSWERS_EVENTS, relayedJob } from './relay';

/** Tokens of an input image at the highest fidelity. */
const PICTURE_TOKENS = 6_500;
const MOST_PICTURES = 128;

const drawn = addressed.extend({
  n: count(MOST_PICTURES),
  size: optionalText,
  quality: optionalText,
  stream: optionalSwitch,
});
const prompted = drawn.extend({ prompt: z.string('must be text').min(1, 'must not be empty') });

export function imageGeneration(inlet: Inlet): Job {
  const wire = readFields(prompted, inlet);
  return pictureJob(inlet, wire, estimateInput(wire.prompt) + shownTokens(inlet));
}

export function imageEdit(inlet: Inlet): Job {
  const wire = readFields(prompted, inlet);
  return pictureJob(inlet, wire, estimateInput(wire.prompt) + shownTokens(inlet));
}

export function imageVariation(inlet: Inlet): Job {
  const wire = readFields(drawn, inlet);
  return pictureJob(inlet, wire, shownTokens(inlet));
}

/** Fields with pictures of a JSON body. Some servers take reference images for every operation. */
const SHOWN = ['image', 'images', 'mask'] as const;

function shownTokens({ fields, files }: Inlet): number {
  let shown = files.length;
  for (const name of SHOWN) shown += picturesIn(fields[name]);
  return shown * PICTURE_TOKENS;
}

/** A URL, a data URL, base64 or an object with one of them; or a list. */
function picturesIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return value === undefined || value === null || value === '' ? 0 : 1;
}

/**
 * Output tokens of a square image and of an oblong one, as OpenAI publishes them for its GPT image models. A quality
 * that the model chooses may be the highest.
 */
const HIGHEST_OUTPUT = [4_160, 6_240] as const;
const IMAGE_OUTPUT: ReadonlyMap<string, readonly [square: number, oblong: number]> = new Map([
  ['low', [272, 408]],
  ['medium', [1_056, 1_584]],
]);
const OBLONG_PIXELS = 1_024 * 1_536;
/** Of the partial images that a stream may begin with: at most three of 100 tokens. */
const PARTIAL_IMAGES_OUTPUT = 300;
/** Sizes come from clients; no model draws more. */
const MOST_PIXELS = 16 * OBLONG_PIXELS;

/** The most output tokens of one image, where the model bills them. */
export function imageTokens(
  size: string | null | undefined,
  quality: string | null | undefined,
): number {
  const [square, oblong] = IMAGE_OUTPUT.get(quality ?? '') ?? HIGHEST_OUTPUT;
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size ?? '') ?? [];
  if (width === undefined || height === undefined) return oblong;
  if (width === height && Number(width) <= 1_024) return square;
  const pixels = Math.min(Number(width) * Number(height), MOST_PIXELS);
  return Math.ceil(oblong * Math.max(1, pixels / OBLONG_PIXELS));
}

/** The defaults if neither the client nor the answer says it. */
const USUAL = { size: '1024x1024', quality: 'standard' } as const;

function pictureJob(inlet: Inlet, wire: z.output<typeof drawn>, inputTokensEstimate: number): Job {
  const pictures = wire.n ?? 1;
  const asked = { size: wire.size ?? USUAL.size, quality: wire.quality ?? USUAL.quality };
  const outputTokensEstimate =
    imageTokens(wire.size, wire.quality) + (wire.stream === true ? PARTIAL_IMAGES_OUTPUT : 0);
  const input = inputAndOutput(inputTokensEstimate, 0);
  // The provider chooses what the request leaves open: policy holds the unit `image` as the dearest.
  const unit = imageUnit(wire.size ?? '', wire.quality ?? '');
  return relayedJob(inlet, {
    inputTokensEstimate,
    choices: pictures,
    outputTokensEstimate,
    unitsEstimate: { [unit]: pictures },
    stream: wire.stream === true,
    follow: (contentType, target) =>
      ANSWERS_EVENTS.test(contentType)
        ? follow({ pictures, asked, unit, input, outputTokensEstimate }, target)
        : undefined,
    read: (answer) => readWhole(answer, { asked, input, outputTokensEstimate }),
  });
}

interface Look {
  size: string;
  quality: string;
}

/** The answer's own size and quality take precedence over the requested ones. */
function unitOf(answer: JsonObject, asked: Look): string {
  return imageUnit(
    textOf(answer['size']) ?? asked.size,
    textOf(answer['quality']) ?? asked.quality,
  );
}

function readWhole(
  answer: AnswerBody,
  {
    asked,
    input,
    outputTokensEstimate,
  }: Pick<Expected, 'asked' | 'input' | 'outputTokensEstimate'>,
): Answered['report'] {
  const body = objectIn(answer);
  const pictures = arrayOf(body['data']).length;
  if (pictures === 0) throw notAnAnswer('it holds no pictures');
  const usage = mediaUsage(body['usage'], { output: 'image' });
  const estimate = { ...input, imageOutput: outputTokensEstimate * pictures };
  return { ...(usage ? { usage } : {}), estimate, units: { [unitOf(body, asked)]: pictures } };
}

interface Expected {
  pictures: number;
  asked: Look;
  /** Of one image of which nothing is known. */
  unit: string;
  input: TokenUsage;
  /** Of one image. */
  outputTokensEstimate: number;
}

/**
 * Ends with the last finished image; partial images come before it. Each image reports its own usage. While images are
 * missing, they are charged as expected, because the provider draws them although the client leaves.
 */
function follow(expected: Expected, target: Target): Passage {
  const { pictures, outputTokensEstimate } = expected;
  const units: Record<string, number> = {};
  let usage: TokenUsage | undefined;
  let finished = 0;

  const outputOf = (images: number): TokenUsage => ({
    ...emptyUsage(),
    imageOutput: outputTokensEstimate * images,
  });
  const drawnTokens = (): TokenUsage => usage ?? addUsage(expected.input, outputOf(finished));

  function expectMissing(unit: string) {
    const missing = pictures - finished;
    return {
      estimate: addUsage(drawnTokens(), outputOf(missing)),
      units: missing > 0 ? { ...units, [unit]: (units[unit] ?? 0) + missing } : { ...units },
      unitsEstimated: true,
    };
  }

  const passage = createEventPassage({
    requestId: target.context.requestId,
    model: target.context.model,
    mayEnd: () => finished > 0,
    read: (event, report) => {
      const done = textOf(event['type'])?.endsWith('.completed') ?? false;
      if (!done) return { outputBytes: 1 };
      finished += 1;
      const unit = unitOf(event, expected.asked);
      units[unit] = (units[unit] ?? 0) + 1;
      const reported = mediaUsage(event['usage'], { output: 'image' });
      if (reported) usage = usage ? addUsage(usage, reported) : reported;
      // The missing ones look the same.
      Object.assign(report, expectMissing(unit));
      return { outputBytes: 1, verdict: finished >= pictures ? 'last' : true };
    },
  });
  const { report } = passage;
  Object.assign(report, expectMissing(expected.unit));

  /** At the provider's end nothing is missing: what it did not send it did not draw. */
  function counted<T>(parts: T): T {
    if (finished === 0 || !(report.fault ?? report.terminal)) return parts;
    Object.assign(report, { units, unitsEstimated: false, estimate: drawnTokens() });
    if (usage) report.usage = usage;
    return parts;
  }
  return {
    ...passage,
    push: (bytes) => counted(passage.push(bytes)),
    finish: (broken) => counted(passage.finish(broken)),
  };
}
