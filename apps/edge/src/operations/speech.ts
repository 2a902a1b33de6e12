// Text to speech. Billed by the character, or by tokens if an event stream reports them.

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

const spoken = addressed.extend({
  input: z.string('must be text').min(1, 'must not be empty'),
  instructions: optionalText,
  stream_format: optionalText,
});

export function speech(inlet: Inlet): Job {
  const wire = parsePayload(spoken, inlet.fields);
  const characters = Array.from(wire.input).length;
  const inputTokensEstimate = estimateText(wire.input) + estimateText(wire.instructions ?? '');
  const measured: Measured = {
    units: { character: characters },
    estimate: {
      ...emptyUsage(),
      input: inputTokensEstimate,
      audioOutput: Math.ceil(characters * SOUND_TOKENS_PER_CHARACTER),
    },
  };
  return relayedJob(inlet, {
    inputTokensEstimate,
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
