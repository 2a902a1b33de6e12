import type { rest } from '@tollgate/contracts';
import { SandboxError } from '@tollgate/sandbox';
import {
  readTollgateAnswer,
  ServiceAnswerError,
  tollgateQuestion,
  type Check,
} from '@tollgate/screening';
import { z } from 'zod';

import type { Call } from '../../rest/call';
import type { ScreeningServiceDeps } from './screening-services';

/** For the wait for a thread as well. */
const TIMEOUT_MS = 5_000;

/** Runs code as an edge would, and tells everything that it said. */
export async function testCode(
  { body, organisation }: Pick<Call<typeof rest.testScreeningCode>, 'body' | 'organisation'>,
  { sandbox }: Pick<ScreeningServiceDeps, 'sandbox'>,
): Promise<rest.ScreeningCodeTested> {
  const { code, model, parameters, place, routeTo, text } = body;
  const role = place === 'OUTPUT' || place === 'TOOL_ARGUMENTS' ? 'assistant' : 'user';
  const check: Check = {
    requestId: 'test',
    rule: { policy: 'test', id: 'test', version: 1 },
    texts: [{ id: '0', place, role, text }],
    parameters,
    ...(model === undefined ? {} : { model, routeTo }),
  };
  const startedMs = performance.now();
  const took = (): number => Math.round(performance.now() - startedMs);
  const nothing = {
    verdict: null,
    message: null,
    findings: [],
    parameters: {},
    model: null,
    tags: {},
  };
  let logs: readonly string[] = [];
  try {
    const result = await sandbox.run(organisation.id, code, tollgateQuestion(check), TIMEOUT_MS);
    ({ logs } = result);
    const {
      findings,
      message,
      model: chosen,
      parameters: changes,
      refused,
      tags,
    } = readTollgateAnswer(result.value, check);
    return {
      error: null,
      verdict: refused ? 'BLOCK' : 'PASS',
      message: message ?? null,
      findings: findings.map(({ end, label, start }) => ({ start, end, label })),
      parameters: { ...changes },
      model: typeof chosen === 'string' && chosen !== '' ? chosen : null,
      tags: shownTags(tags),
      logs: [...logs],
      ms: took(),
    };
  } catch (error) {
    if (error instanceof SandboxError) {
      return { ...nothing, error: error.message, logs: [...error.logs], ms: took() };
    }
    if (!(error instanceof ServiceAnswerError)) throw error;
    return { ...nothing, error: error.message, logs: [...logs], ms: took() };
  }
}

const givenTags = z.record(z.string(), z.string());

function shownTags(tags: unknown): Record<string, string> {
  return givenTags.safeParse(tags).data ?? {};
}
