import type { ChatRequest, Message } from './chat';
import { toolsIn } from './tools';

export interface Settings {
  /** One or two models; undefined where none is chosen yet. */
  readonly models: readonly (string | undefined)[];
  readonly system: string;
  /** As typed; empty: the model's default. */
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  /** JSON, as typed. */
  readonly tools: string;
}

export const NO_SETTINGS: Settings = {
  models: [undefined],
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  tools: '',
};

export type Problems = Partial<Record<keyof Settings, string>>;

/** Parameters of every request. */
export interface Ready {
  readonly models: readonly string[];
  readonly system: string;
  readonly parameters: Omit<ChatRequest, 'model' | 'messages'>;
}

/** The parameters of these settings, or their errors. */
export function readyOf(
  settings: Settings,
): { readonly ready: Ready } | { readonly problems: Problems } {
  const models = settings.models.filter((model) => model !== undefined);
  const temperature = numberIn(settings.temperature, 0, 2);
  const topP = numberIn(settings.topP, 0, 1);
  const maxTokens = numberIn(settings.maxTokens, 1, 10_000_000, true);
  const read = toolsIn(settings.tools);
  const unchosen = models.length < settings.models.length;
  if (
    unchosen ||
    temperature === 'wrong' ||
    topP === 'wrong' ||
    maxTokens === 'wrong' ||
    'problem' in read
  ) {
    return {
      problems: {
        ...(unchosen ? { models: 'Choose a model.' } : {}),
        ...(temperature === 'wrong' ? { temperature: 'A number from 0 to 2.' } : {}),
        ...(topP === 'wrong' ? { topP: 'A number from 0 to 1.' } : {}),
        ...(maxTokens === 'wrong' ? { maxTokens: 'A whole number above 0.' } : {}),
        ...('problem' in read ? { tools: read.problem } : {}),
      },
    };
  }
  const parameters = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(read.tools.length === 0 ? {} : { tools: read.tools }),
  };
  return { ready: { models, system: settings.system, parameters } };
}

/** The request body for one model's conversation. */
export function requestOf(
  { system, parameters }: Ready,
  model: string,
  conversation: readonly Message[],
): ChatRequest {
  const head: Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  return { model, messages: [...head, ...conversation], ...parameters };
}

function numberIn(text: string, min: number, max: number, whole = false) {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  const right = value >= min && value <= max && (!whole || Number.isInteger(value));
  return right ? value : 'wrong';
}
