import { rest } from '@tollgate/contracts';

import type { Get } from '../../../resource/list-input';

type Parameters = rest.UsageView['parameters'];
type Changes = Readonly<Record<rest.UsageViewParameter, string | undefined>>;

/** What a view keeps of the address. */
export function parametersIn(get: Get): Parameters {
  const set = rest.USAGE_VIEW_PARAMETERS.map((name) => [name, get(name)] as const);
  return Object.fromEntries(set.filter(([, value]) => value !== undefined && value !== ''));
}

/** The address's changes that show a view: parameters that it lacks are removed. */
export function changesFor(parameters: Parameters): Changes {
  const all = rest.USAGE_VIEW_PARAMETERS.map((name) => [name, parameters[name]]);
  return Object.fromEntries(all) as Changes;
}

/** Whether the address shows exactly this view. */
export function isShown(parameters: Parameters, get: Get): boolean {
  return rest.USAGE_VIEW_PARAMETERS.every((name) => (get(name) ?? '') === (parameters[name] ?? ''));
}
