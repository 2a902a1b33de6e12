import type { rest } from '@tollgate/contracts';

interface Words {
  readonly label: string;
  readonly note: string;
}

export const PROTOCOL_WORDS: Readonly<Record<rest.ScreeningProtocol['type'], Words>> = {
  TOLLGATE_HTTP: { label: 'Your own, over HTTP', note: 'The fields of screening.proto, as JSON.' },
  TOLLGATE_GRPC: { label: 'Your own, over gRPC', note: 'tollgate.screening.v1.Screening' },
  PRESIDIO: { label: 'Presidio analyzer', note: 'Each text is sent to /analyze.' },
  OPENAI_MODERATION: {
    label: 'Moderations (OpenAI’s format)',
    note: 'Texts are sent to /moderations.',
  },
  GENERIC_GUARDRAIL: {
    label: 'Generic guardrail API (LiteLLM’s)',
    note: 'Texts are sent to /beta/litellm_basic_guardrail_api.',
  },
  JAVASCRIPT: {
    label: 'Code (JavaScript)',
    note: 'Runs in the gateway, in a sandbox without network, for half a second at most.',
  },
  CHAT_JUDGE: {
    label: 'A chat model as judge',
    note: 'Texts are sent to /chat/completions. Use an API key with a budget of its own.',
  },
};

export const AUTH_WORDS: Readonly<Record<rest.ScreeningAuth['type'], string>> = {
  NONE: 'None',
  BEARER: 'Bearer token',
  HEADER: 'A header',
};
