import type { rest } from '@tollgate/contracts';

import { chatJudge } from './chat-judge';
import type { Protocol } from './check';
import { genericGuardrail } from './generic-guardrail';
import { openAiModeration } from './openai-moderation';
import { presidio } from './presidio';
import { tollgateHttp } from './tollgate';

export {
  createOffsets,
  labelOf,
  MOST_FINDINGS,
  ServiceAnswerError,
  type Check,
  type CheckedText,
  type Finding,
  type Protocol,
  type ServiceCall,
  type ServiceVerdict,
} from './check';
export { readTollgateAnswer, tollgateQuestion } from './tollgate';

/** How a service is asked over HTTP. Undefined: it speaks gRPC, or is code. */
export function protocolOf(settings: rest.ScreeningProtocol): Protocol | undefined {
  switch (settings.type) {
    case 'TOLLGATE_HTTP':
      return tollgateHttp;
    case 'TOLLGATE_GRPC':
    case 'JAVASCRIPT':
      return undefined;
    case 'PRESIDIO':
      return presidio(settings);
    case 'OPENAI_MODERATION':
      return openAiModeration(settings);
    case 'GENERIC_GUARDRAIL':
      return genericGuardrail(settings);
    case 'CHAT_JUDGE':
      return chatJudge(settings);
  }
}
