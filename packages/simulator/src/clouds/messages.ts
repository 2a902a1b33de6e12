// The messages format as the clouds serve it: the path names the model, and the body the cloud's version of it.

import { countMessageTokens, messages } from '../formats/anthropic-messages';
import { invalid, isProblem, type Call, type Operation, type Problem, type Reply } from '../reply';
import { AWS_EVENT_STREAM, exceptionFrame, framed } from './event-stream';

const VERTEX_VERSION = 'vertex-2023-10-16';
const BEDROCK_VERSION = 'bedrock-2023-05-31';

/** What is wrong with the fields that differ; undefined: nothing. */
function problemWith({ body }: Call, version: string, absent: readonly string[]) {
  if (body['anthropic_version'] !== version) {
    return invalid(`anthropic_version: must be ${version}`, 'anthropic_version');
  }
  const extra = absent.find((field) => field in body);
  return extra === undefined
    ? undefined
    : invalid(`${extra}: Extra inputs are not permitted`, extra);
}

/** The same call as the vendor's own service has it. */
function asVendor(call: Call, stream: boolean): Call {
  const { anthropic_version: _, anthropic_beta: __, ...rest } = call.body;
  const headers = { ...call.headers, 'anthropic-version': '2023-06-01' };
  return { ...call, headers, body: { ...rest, model: call.model, ...(stream && { stream }) } };
}

export function rawPredict(stream: boolean): Operation {
  return (call) => {
    const problem = problemWith(call, VERTEX_VERSION, ['model']);
    if (problem !== undefined) return problem;
    if ((call.body['stream'] === true) !== stream) {
      return invalid('stream: must go with the method', 'stream');
    }
    return messages(asVendor(call, stream));
  };
}

/** It takes the model in the body, unlike the others. */
export function countVertexTokens(call: Call): Reply | Problem {
  return countMessageTokens(asVendor(call, false));
}

export function invoke(call: Call): Reply | Problem {
  const problem = problemWith(call, BEDROCK_VERSION, ['model', 'stream']);
  return problem ?? messages(asVendor(call, false));
}

export function invokeWithStream(call: Call): Reply | Problem {
  const problem = problemWith(call, BEDROCK_VERSION, ['model', 'stream']);
  if (problem !== undefined) return problem;
  const reply = messages(asVendor(call, true));
  if (isProblem(reply) || reply.stream === undefined) return reply;
  const { stream } = reply;
  return {
    ...reply,
    stream: {
      type: AWS_EVENT_STREAM,
      frames: framesOf(stream.frames),
      ending: (usage) => framed(String(stream.ending(usage))),
      problem: ({ message }) => exceptionFrame('throttlingException', message),
      garbage: Buffer.from('this is no frame of an event stream'),
      keepAlive: Buffer.alloc(0),
    },
  };
}

function* framesOf(frames: NonNullable<Reply['stream']>['frames']) {
  for (const { text, tokens } of frames) yield { text: framed(String(text)), tokens };
}
