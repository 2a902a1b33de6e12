import type { ChatRequest, Message } from './chat';

export type Settings = {
  readonly model: string | undefined;
  readonly system: string;
  /** As typed; empty leaves the choice to the model. */
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
};

export const NO_SETTINGS: Settings = {
  model: undefined,
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
};

export type Problems = Partial<Record<keyof Settings, string>>;

/** What is sent for a conversation so far, or what is wrong with the settings. */
export function requestOf(
  settings: Settings,
  conversation: readonly Message[],
): { readonly request: ChatRequest } | { readonly problems: Problems } {
  const { model, system } = settings;
  const temperature = numberIn(settings.temperature, 0, 2);
  const topP = numberIn(settings.topP, 0, 1);
  const maxTokens = numberIn(settings.maxTokens, 1, 10_000_000, true);
  if (model === undefined || temperature === 'wrong' || topP === 'wrong' || maxTokens === 'wrong') {
    return {
      problems: {
        ...(model === undefined ? { model: 'Choose a model.' } : {}),
        ...(temperature === 'wrong' ? { temperature: 'A number from 0 to 2.' } : {}),
        ...(topP === 'wrong' ? { topP: 'A number from 0 to 1.' } : {}),
        ...(maxTokens === 'wrong' ? { maxTokens: 'A whole number above 0.' } : {}),
      },
    };
  }
  const head: Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  return {
    request: {
      model,
      messages: [...head, ...conversation],
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { top_p: topP }),
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    },
  };
}

function numberIn(text: string, min: number, max: number, whole = false) {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  const right = value >= min && value <= max && (!whole || Number.isInteger(value));
  return right ? value : 'wrong';
}
