// LiteLLM's generic guardrail API, which many vendors' servers speak: one call with all texts.
// https://docs.litellm.ai/docs/adding_provider/generic_guardrail_api

import type { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { ServiceAnswerError, wholeText, type Check, type Finding, type Protocol } from './check';

const answer = z.object({
  action: z.enum(['NONE', 'BLOCKED', 'GUARDRAIL_INTERVENED']),
  texts: z.array(z.string()).nullish(),
});

const PATH = '/beta/litellm_basic_guardrail_api';

type Settings = Extract<rest.ScreeningProtocol, { type: 'GENERIC_GUARDRAIL' }>;

export function genericGuardrail({ parameters }: Settings): Protocol {
  return {
    callsOf: ({ requestId, texts }) => [
      {
        path: PATH,
        body: {
          input_type: texts.some(({ place }) => OF_ANSWERS.has(place)) ? 'response' : 'request',
          litellm_call_id: requestId,
          texts: texts.map(({ text }) => text),
          // Without the caller's names: the service gets texts only.
          request_data: {},
          additional_provider_specific_params: parameters,
        },
      },
    ],
    read: ([given], check) => {
      const { data } = answer.safeParse(given);
      if (!data) throw new ServiceAnswerError('the answer has not the fields of the protocol');
      if (data.action === 'BLOCKED') return { refused: true, findings: [] };
      if (data.action === 'NONE' || !data.texts) {
        return { refused: data.action === 'GUARDRAIL_INTERVENED', findings: [] };
      }
      if (data.texts.length !== check.texts.length) {
        throw new ServiceAnswerError('the answer has not one text for each text');
      }
      return {
        refused: false,
        findings: data.texts.flatMap((text, at) => changed(check, at, text)),
      };
    },
  };
}

const OF_ANSWERS: ReadonlySet<string> = new Set(['OUTPUT', 'TOOL_ARGUMENTS', 'MCP_RESULT']);

function changed(check: Check, at: number, text: string): Finding[] {
  if (check.texts[at]?.text === text) return [];
  return [{ ...wholeText(check, at, 'CHANGED'), replacement: text }];
}
