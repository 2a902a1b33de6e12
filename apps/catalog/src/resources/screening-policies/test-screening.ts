import type { rest } from '@tollgate/contracts';
import { tryRules } from '@tollgate/screening';

import type { Call } from '../../rest/call';
import { assertRules } from './screening-policies';

/** Tries rules on a text. The text is neither stored nor logged. */
export async function test({
  body,
}: Call<typeof rest.testScreening>): Promise<rest.ScreeningTested> {
  const { place, rules, text } = body;
  await assertRules(rules);
  return tryRules(rules, place, text);
}
