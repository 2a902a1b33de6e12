// Transcription and translation of audio. Billed by the second and by tokens, depending on the model's
// price.

import {
  emptyUsage,
  gatewayError,
  tokensIn,
  tokensOut,
  unitQuantity,
  type TokenUsage,
} from '@tollgate/contracts';
import { z } from 'zod';

import type { JsonObject } from '../formats';
import { estimateText, likelySeconds, mostSeconds, soundTokens } from '../formats/estimate';
import { arrayOf, objectOf, textOf } from '../formats/json';
import { decodeUsage } from '../formats/openai-chat/usage';
import { mediaUsage, objectIn } from './answer';
import { createEventPassage, type Seen } from './event-passage';
import { addressed, optionalSwitch, optionalText } from './fields';
import { checkSentOnce, readFields, type Inlet } from './inlet';
import type { Job, Measured, Passage, Target } from './job';
import { ANSWERS_EVENTS, ANSWERS_JSON, relayedJob } from './relay';

/** Plain text, and two subtitle formats. */
const ANSWERS_TEXT = /^(text\/(plain|vtt|srt)|application\/x-subrip)\b/i;

const heard = addressed.extend({ prompt: optionalText, stream: optionalSwitch });

export function hearing(inlet: Inlet): Job {
  const wire = readFields(heard, inlet);
  checkSentOnce(inlet, 'file');
  const file = inlet.files.find(({ name }) => name === 'file');
  if (!file) {
    throw gatewayError('invalid_request', 'file: must be a file of sound', { param: 'file' });
  }
  const likely = likelySeconds(file);
  const most = mostSeconds(file);
  const textInput = estimateText(wire.prompt ?? '');
  // Used if the answer reports no usage.
  const unsaid = (text: string): Measured => ({
    estimate: {
      ...emptyUsage(),
      input: textInput,
      audioInput: soundTokens(likely),
      output: estimateText(text),
    },
    units: { audio_second: unitQuantity(likely) },
    unitsEstimated: true,
  });
  return relayedJob(inlet, {
    inputTokensEstimate: soundTokens(most) + textInput,
    audioInputTokensEstimate: soundTokens(most),
    unitsEstimate: { audio_second: Math.ceil(most) },
    stream: wire.stream === true,
    accept: '*/*',
    answers: [ANSWERS_JSON, ANSWERS_TEXT],
    follow: (contentType, target) =>
      ANSWERS_EVENTS.test(contentType) ? follow({ likely, unsaid }, target) : undefined,
    read: (answer, contentType) => {
      if (ANSWERS_JSON.test(contentType)) {
        const body = objectIn(answer);
        return said(body, likely) ?? unsaid(textOf(body['text']) ?? '');
      }
      const text = answer.bytes.toString('utf8');
      const end = lastTimestamp(text);
      return end === undefined ? unsaid(text) : bySeconds(end);
    },
  });
}

type Report = Measured & { usage?: TokenUsage };

/**
 * The usage reported by an answer, or by a stream's last event. One that counts tokens only is billed the
 * likely seconds beside them, because the price may be by the second.
 */
function said(body: JsonObject, likely: number): Report | undefined {
  const usage = objectOf(body['usage']);
  const seconds = secondsOf(usage?.['seconds']) ?? secondsOf(body['duration']);
  const tokens = mediaUsage(usage, { input: 'audio' }) ?? decodeUsage(usage)?.tokens;
  if (!tokens || tokensIn(tokens) + tokensOut(tokens) === 0) {
    return seconds === undefined ? undefined : bySeconds(seconds);
  }
  const unitsEstimated = seconds === undefined;
  return { ...bySeconds(seconds ?? likely), usage: tokens, unitsEstimated };
}

function bySeconds(seconds: number): Report {
  return { usage: emptyUsage(), units: { audio_second: unitQuantity(seconds) } };
}

const duration = z.coerce.number().min(0).max(10_000_000);

/** Some servers send the number as text. */
function secondsOf(value: unknown): number | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  return duration.safeParse(value).data;
}

const TIMESTAMP = /(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,](\d{3})/g;

/** The end of the last subtitle; undefined if the text has none. */
function lastTimestamp(text: string): number | undefined {
  if (!text.includes('-->')) return undefined;
  const tail = text.slice(text.lastIndexOf('-->'));
  const [found] = tail.matchAll(TIMESTAMP);
  if (!found) return undefined;
  const [, hours = '0', minutes, seconds, ms] = found;
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) + Number(ms) / 1_000;
}

/** What is billed where the answer does not say it. */
interface Unsaid {
  likely: number;
  unsaid: (text: string) => Measured;
}

/** A stream of text pieces. The last event holds the whole text, or `[DONE]` follows the pieces. */
function follow({ likely, unsaid }: Unsaid, { context }: Target): Passage {
  let begun = false;
  let text = '';
  const read = (event: JsonObject, report: Passage['report']): Seen => {
    begun = true;
    const piece = pieceOf(event);
    const done = event['type'] === 'transcript.text.done';
    if (!done) text += piece;
    const known = said(event, likely);
    if (known) Object.assign(report, { unitsEstimated: false }, known);
    else if (!report.usage) Object.assign(report, unsaid(text));
    if (done) return { verdict: 'last' };
    return { outputBytes: Buffer.byteLength(piece) };
  };
  const passage = createEventPassage({
    read,
    mayEnd: () => begun,
    requestId: context.requestId,
    model: context.model,
  });
  Object.assign(passage.report, unsaid(''));
  return passage;
}

function pieceOf(event: JsonObject): string {
  const choice = objectOf(arrayOf(event['choices'])[0]);
  return textOf(event['delta']) ?? textOf(objectOf(choice?.['delta'])?.['content']) ?? '';
}
