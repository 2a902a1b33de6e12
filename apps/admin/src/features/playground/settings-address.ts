import type { Get } from '../../resource/list-input';
import { NO_SETTINGS, type Settings } from './settings';

// The playground's settings in the page's address, so that a reload or a shared link restores them. What may be
// confidential is never there: the system prompt, tools, messages and pictures. Addresses are in histories and logs.

const NUMBERS = ['temperature', 'topP', 'maxTokens'] as const;
const FIRST = 'model';
const SECOND = 'model2';

/** As long as a model's name may be. */
const MOST_CHARACTERS = 200;
const NUMBER = /^\d{0,8}(\.\d{0,6})?$/;

/** The settings of an address; `usual` is the model if it names none. */
export function settingsIn(get: Get, usual: string | undefined): Settings {
  const [first, second] = [modelIn(get(FIRST)) ?? usual, modelIn(get(SECOND))];
  const numbers = NUMBERS.map((name) => [name, numberIn(get(name))]);
  return {
    ...NO_SETTINGS,
    models: second === undefined ? [first] : [first, second],
    ...(Object.fromEntries(numbers) as Pick<Settings, (typeof NUMBERS)[number]>),
  };
}

/** The parameters of the settings; undefined removes one. */
export function addressOf(settings: Settings): Readonly<Record<string, string | undefined>> {
  const [first, second] = settings.models;
  const numbers = NUMBERS.map((name) => [name, numberIn(settings[name]) || undefined]);
  return { [FIRST]: first, [SECOND]: second, ...Object.fromEntries(numbers) };
}

function modelIn(text: string | undefined): string | undefined {
  return text === undefined || text === '' || text.length > MOST_CHARACTERS ? undefined : text;
}

/** A number as typed; anything else is left out. */
function numberIn(text: string | undefined): string {
  const typed = text?.trim() ?? '';
  return NUMBER.test(typed) ? typed : '';
}
