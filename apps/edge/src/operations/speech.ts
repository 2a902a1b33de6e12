// Text to speech. Billed by the character and by tokens, depending on the model's price.

import { emptyUsage } from '@tollgate/contracts';
import { z } from 'zod';

import { estimateText } from '../formats/estimate';
import { textOf } from '../formats/json';
import { parsePayload } from '../formats/schema';
import { mediaUsage } from './answer';
import { createBytePassage, createEventPassage } from './event-passage';
import { addressed, optionalText } from './fields';
import type { Inlet } from './inlet';
import type { Job, Measured, Passage, Target } from './job';
import { ANSWERS_BYTES, ANSWERS_EVENTS, relayedJob } from './relay';

const ANSWERS_SOUND = /^audio\//i;

/** Slow speech has twelve characters a second, which is about 21 audio tokens. */
const SOUND_TOKENS_PER_CHARACTER = 1.75;
/** A digit is a word, and a character of these scripts a syllable: there are four of them a second. */
const SOUND_TOKENS_PER_SYLLABLE = 5.25;
const SYLLABLE = /[\p{Number}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]/gu;

/** The slowest speed that providers accept. */
const LEAST_SPEED = 0.25;

/** The audio tokens of a text that is spoken slowly. */
export function speechTokens(text: string, speed?: unknown): number {
  const syllables = text.match(SYLLABLE)?.length ?? 0;
  const letters = Array.from(text).length - syllables;
  const tokens = letters * SOUND_TOKENS_PER_CHARACTER + syllables * SOUND_TOKENS_PER_SYLLABLE;
  // Models that ignore a higher speed are charged no less.
  const slowed = typeof speed === 'number' ? Math.min(1, Math.max(LEAST_SPEED, speed)) : 1;
  return Math.ceil(tokens / slowed);
}

const spoken = addressed.extend({
  input: z.string('must be text').min(1, 'must not be empty'),
  instructions: optionalText,
  stream_format: optionalText,
});

export function speech(inlet: Inlet): Job {
  const wire = parsePayload(spoken, inlet.fields);
  const characters = Array.from(wire.input).length;
  const inputTokensEstimate = estimateText(wire.input) + estimateText(wire.instructions ?? '');
  const outputTokensEstimate = speechTokens(wire.input, wire['speed']);
  const measured: Measured = {
    units: { character: characters },
    estimate: {
      ...emptyUsage(),
      input: inputTokensEstimate,
      audioOutput: outputTokensEstimate,
    },
  };
  return relayedJob(inlet, {
    inputTokensEstimate,
    outputTokensEstimate,
    speaks: true,
    unitsEstimate: { character: characters },
    stream: wire.stream_format === 'sse',
    accept: '*/*',
    answers: [ANSWERS_SOUND, ANSWERS_BYTES],
    // Audio is played while it arrives, so it is never buffered.
    follow: (contentType, target) => {
      const passage = ANSWERS_EVENTS.test(contentType)
        ? followEvents(target)
        : createBytePassage(contentType);
      Object.assign(passage.report, measured);
      return passage;
    },
    read: () => measured,
  });
}

function followEvents({ context }: Target): Passage {
  let begun = false;
  return createEventPassage({
    requestId: context.requestId,
    model: context.model,
    mayEnd: () => begun,
    read: (event, report) => {
      begun = true;
      if (event['type'] !== 'speech.audio.done') {
        return { outputBytes: textOf(event['audio'])?.length ?? 0 };
      }
      const usage = mediaUsage(event['usage'], { output: 'audio' });
      if (usage) report.usage = usage;
      return { verdict: 'last' };
    },
  });
}
