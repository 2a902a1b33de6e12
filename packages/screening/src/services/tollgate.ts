// The gateway's own protocol over HTTP. That over gRPC has the same fields: protos/tollgate/screening.

import { z } from 'zod';

import {
  createFindings,
  MOST_FINDINGS,
  ServiceAnswerError,
  type Check,
  type Protocol,
  type ServiceVerdict,
} from './check';

const offset = z.int().min(0);
const answer = z.object({
  verdict: z.enum(['PASS', 'BLOCK']),
  findings: z
    .array(
      z.object({ textId: z.string(), start: offset, end: offset, label: z.string().default('') }),
    )
    .max(MOST_FINDINGS)
    .default([]),
  message: z.string().max(300).nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  // Read only of plugins that may set them: other services may use the names for something else.
  model: z.unknown().optional(),
  tags: z.unknown().optional(),
});
export type TollgateAnswer = z.input<typeof answer>;

export function tollgateQuestion({
  model,
  parameters,
  requestId,
  routeTo,
  rule,
  texts,
}: Check): Readonly<Record<string, unknown>> {
  return {
    requestId,
    rule,
    texts,
    ...(parameters === undefined ? {} : { parameters }),
    ...(model === undefined ? {} : { model, routeTo }),
  };
}

export function readTollgateAnswer(given: unknown, check: Check): ServiceVerdict {
  const { data } = answer.safeParse(given);
  if (!data) throw new ServiceAnswerError('the answer has not the fields of the protocol');
  const places = new Map(check.texts.map(({ id }, at) => [id, at]));
  const findingAt = createFindings(check);
  const findings = data.findings.map(({ end, label, start, textId }) =>
    findingAt(places.get(textId) ?? -1, [start, end], label),
  );
  return {
    refused: data.verdict === 'BLOCK',
    findings,
    message: data.message || undefined,
    parameters: data.parameters ?? undefined,
    model: data.model,
    tags: data.tags,
  };
}

export const tollgateHttp: Protocol = {
  callsOf: (check) => [{ path: '', body: tollgateQuestion(check) }],
  read: ([given], check) => readTollgateAnswer(given, check),
};
