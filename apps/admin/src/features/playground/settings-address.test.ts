import { NO_SETTINGS, type Settings } from './settings';
import { addressOf, settingsIn } from './settings-address';

const read = (text: string, usual?: string): Settings => {
  const search = new URLSearchParams(text);
  return settingsIn((name) => search.get(name) ?? undefined, usual);
};
const written = (settings: Settings): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(addressOf(settings))) {
    if (value !== undefined) search.set(name, value);
  }
  return search.toString();
};

test('models and numbers survive the way through the address', () => {
  const settings = {
    ...NO_SETTINGS,
    models: ['chat', 'other/model'],
    temperature: '0.7',
    topP: '1',
    maxTokens: '500',
  };
  expect(read(written(settings))).toEqual(settings);
});

test('the system prompt and tools are never in the address', () => {
  const settings = { ...NO_SETTINGS, models: ['chat'], system: 'secret', tools: '[{"x":1}]' };
  expect(written(settings)).toBe('model=chat');
  expect(read('model=chat&system=x&tools=y')).toMatchObject({ system: '', tools: '' });
});

test('an address without a model has the usual one; what is no number is left out', () => {
  expect(read('temperature=hot', 'cheap')).toEqual({ ...NO_SETTINGS, models: ['cheap'] });
  expect(written({ ...NO_SETTINGS, models: [undefined], temperature: 'hot' })).toBe('');
  expect(read(`model=${'x'.repeat(201)}`).models).toEqual([undefined]);
});
