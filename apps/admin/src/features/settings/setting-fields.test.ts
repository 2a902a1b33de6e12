import { ApiError } from '../../api/rest-client';
import { hasOtherErrors } from '../../design/field-error';
import type { Draft } from '../providers/provider-draft';
import { PROVIDER_FORM_FIELDS } from '../providers/provider-fields';
import { NEW_SETTINGS } from './draft';
import { SETTING_FIELDS } from './setting-fields';

function refusedFor(path: string): ApiError {
  return new ApiError(422, 'validation_failed', 'Invalid.', [{ path, message: 'not allowed' }]);
}

test('a refused switch, which shows no error itself, is reported above its form', () => {
  const switches = Object.entries(NEW_SETTINGS)
    .filter(([, value]) => typeof value === 'boolean')
    .map(([name]) => name);
  expect(switches).toContain('openCompatRoutes');
  for (const name of switches) expect(hasOtherErrors(refusedFor(name), SETTING_FIELDS)).toBe(true);
  for (const name of ['nativeResponses', 'status'] satisfies (keyof Draft)[]) {
    expect(hasOtherErrors(refusedFor(name), PROVIDER_FORM_FIELDS)).toBe(true);
  }
  expect(hasOtherErrors(refusedFor('timeZone'), SETTING_FIELDS)).toBe(false);
});
