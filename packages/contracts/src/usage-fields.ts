import { MODEL_NAME_CHARACTERS } from './aliases';
import {
  SCOPED_END_USER_CHARACTERS,
  SCOPED_SESSION_CHARACTERS,
  SESSION_CHARACTERS,
} from './attribution';
import { EXPERIMENT_NAME_CHARACTERS } from './experiments';
import type { Entry__Output, SettleRequest__Output } from './generated';
import { REGIONS_CHARACTERS } from './regions';
import { SERVICE_TIER_CHARACTERS } from './service-tiers';
import type {
  EntryByHand,
  SettleByHand,
  UsageFieldGroup,
  UsageFieldKind,
  UsageFieldKinds,
} from './usage-field-kinds';
import { MOST_BYTES, MOST_CACHE_TTL_SECONDS, MOST_MS } from './usage-most';
import { TAGS_CHARACTERS } from './usage-tags';

// The plain fields of a usage record, one row each. Policy's bounds of a settle, the catalog's
// booking, columns and CSV, and the REST API are derived from the rows. Fields that something is
// computed from or that have a shape of their own are written by hand: whom a request is charged
// to, its outcome, its tokens and cost, and its attempts.

type KindOf<Wire> = {
  [Kind in UsageFieldKind]: Wire extends UsageFieldKinds[Kind]['wire'] ? Kind : never;
}[UsageFieldKind];

interface Row<Wire> {
  readonly kind: KindOf<Wire>;
  readonly group: UsageFieldGroup;
  /** For the OpenAPI document. */
  readonly description?: string;
}
type EntryRow<Wire> = Row<Wire> & { readonly from: 'entry' };
/** `most` is the largest number, or the number of characters of the longest text, that policy accepts. */
type SettleRow<Wire> = Row<Wire> & { readonly from: 'settle' } & (Wire extends number
    ? { readonly most: number }
    : { readonly most?: Wire extends string ? number : never });

/** A field of either message without a row, or not among those above, does not compile. */
type Rows = {
  readonly [Name in Exclude<keyof SettleRequest__Output, SettleByHand>]: SettleRow<
    SettleRequest__Output[Name]
  >;
} & {
  readonly [Name in Exclude<keyof Entry__Output, EntryByHand>]: EntryRow<Entry__Output[Name]>;
};

/** In the order of the REST API and of CSV. */
export const USAGE_FIELDS = {
  operation: { from: 'entry', kind: 'text', group: 'request' },
  route: { from: 'entry', kind: 'text', group: 'request' },
  clientRequestId: { from: 'entry', kind: 'optionalText', group: 'request' },
  traceId: {
    from: 'settle',
    kind: 'optionalText',
    group: 'request',
    description: 'Id of the trace that the request belongs to, 32 hexadecimal digits.',
  },
  requestedModel: {
    from: 'settle',
    kind: 'optionalText',
    group: 'request',
    most: MODEL_NAME_CHARACTERS,
    description:
      'The name that the client asked for, if another model answered: an alias, a routing policy, a model that is replaced. Null: the name of the model.',
  },
  experimentId: {
    from: 'settle',
    kind: 'optionalId',
    group: 'request',
    description: 'The experiment that the request took part in. Null: none.',
  },
  experimentArm: {
    from: 'settle',
    kind: 'optionalText',
    group: 'request',
    most: EXPERIMENT_NAME_CHARACTERS,
    description:
      'The arm that the request was assigned to, even if another model answered after a failure.',
  },
  shadowOf: {
    from: 'settle',
    kind: 'optionalId',
    group: 'request',
    description: 'Of a shadow: the id of the request that it repeats. Null: the request is none.',
  },
  httpStatus: { from: 'settle', kind: 'integer', group: 'answer', most: 999 },
  errorCode: { from: 'settle', kind: 'optionalText', group: 'answer' },
  stopReason: { from: 'settle', kind: 'optionalText', group: 'answer' },
  stream: { from: 'settle', kind: 'flag', group: 'answer' },
  latencyMs: { from: 'settle', kind: 'integer', group: 'timing', most: MOST_MS },
  firstTokenMs: { from: 'settle', kind: 'optionalInteger', group: 'timing', most: MOST_MS },
  heldNanoUsd: { from: 'entry', kind: 'nanoUsd', group: 'hold' },
  estimateShortfallNanoUsd: {
    from: 'entry',
    kind: 'nanoUsd',
    group: 'hold',
    description: 'Cost above the hold, in US dollars.',
  },
  inputTokensEstimate: { from: 'entry', kind: 'tokens', group: 'hold' },
  priceId: { from: 'settle', kind: 'optionalId', group: 'hold' },
  upstreamRequestId: { from: 'settle', kind: 'optionalText', group: 'upstream' },
  responseId: { from: 'settle', kind: 'optionalText', group: 'internal' },
  screening: {
    from: 'settle',
    kind: 'optionalText',
    group: 'answer',
    most: 2_000,
    description:
      'What screening rules found, as policy/rule with version, place, action and hits; texts are not stored.',
  },
  tags: {
    from: 'settle',
    kind: 'optionalText',
    group: 'answer',
    most: TAGS_CHARACTERS,
    description: 'Tags of the request, sorted by key, as `project:blue, tier:gold`.',
  },
  regions: {
    from: 'settle',
    kind: 'optionalText',
    group: 'answer',
    most: REGIONS_CHARACTERS,
    description:
      'Regions of all attempts as they were then, as `eu, us`; `unknown` stands for connections without a region, `none` for no attempt. Null: not recorded.',
  },
  endUser: {
    from: 'settle',
    kind: 'optionalText',
    group: 'request',
    most: SCOPED_END_USER_CHARACTERS,
    description:
      "The client's end user. A name that counts only within its API key ends in `@key:` and the key's id.",
  },
  session: {
    from: 'settle',
    kind: 'optionalText',
    group: 'request',
    most: SCOPED_SESSION_CHARACTERS,
    description:
      'The session of a coding agent. One that counts only within its API key ends like endUser.',
  },
  agentId: {
    from: 'settle',
    kind: 'optionalText',
    group: 'request',
    most: SESSION_CHARACTERS,
    description: 'The subagent that sent the request; null: the main agent, or unknown.',
  },
  parentAgentId: {
    from: 'settle',
    kind: 'optionalText',
    group: 'request',
    most: SESSION_CHARACTERS,
    description: 'The agent that started the subagent.',
  },
  agentClass: {
    from: 'settle',
    kind: 'optionalText',
    group: 'request',
    most: SESSION_CHARACTERS,
    description:
      'What an agent asks for: main, subagent, workflow, compaction, auxiliary or other.',
  },
  agentType: {
    from: 'settle',
    kind: 'optionalText',
    group: 'request',
    most: SESSION_CHARACTERS,
    description: 'The type of the agent, such as Explore.',
  },
  serviceTier: {
    from: 'settle',
    kind: 'optionalText',
    group: 'answer',
    most: SERVICE_TIER_CHARACTERS,
    description:
      'The processing tiers that the answer was charged at, such as `priority` or `fast, us`: those that it reports, else those asked for. Null: standard processing.',
  },
  responseCache: {
    from: 'settle',
    kind: 'optionalText',
    group: 'answer',
    description:
      'HIT: the answer came from the response cache; MISS: it was looked for there; BYPASS: the request did not use it. Null: the key has no cache.',
  },
  cachedCostNanoUsd: {
    from: 'settle',
    kind: 'optionalNanoUsd',
    group: 'answer',
    description:
      'Of a HIT: the cost, in US dollars, of the same answer from its provider at the price of that time.',
  },
  cachedAgeSeconds: {
    from: 'settle',
    kind: 'optionalInteger',
    group: 'answer',
    most: MOST_CACHE_TTL_SECONDS,
    description: 'Of a HIT: how long the answer had been kept.',
  },
  routingPolicyId: { from: 'settle', kind: 'optionalId', group: 'answer' },
  firstChoiceCostNanoUsd: {
    from: 'settle',
    kind: 'optionalNanoUsd',
    group: 'answer',
    description:
      'What the answer would have cost, in US dollars, at the model that would have answered without routing: the requested one, else the first of the routing policy. Null: no routing policy chose, nothing answered, or that price is unknown.',
  },
  requestBytes: {
    from: 'settle',
    kind: 'optionalInteger',
    group: 'answer',
    most: MOST_BYTES,
    description:
      "Of a passthrough request: bytes of its body. Null: none, or the gateway's own routes.",
  },
  responseBytes: {
    from: 'settle',
    kind: 'optionalInteger',
    group: 'answer',
    most: MOST_BYTES,
    description: "Of a passthrough request: bytes of the answer's body that are paid for.",
  },
} as const satisfies Rows;

type Fields = typeof USAGE_FIELDS;
export type UsageFieldName = keyof Fields;

/** A field that holds money is named after its unit, which the REST API changes. */
type ShownName<Name extends string> = Name extends `${infer Start}NanoUsd` ? `${Start}Usd` : Name;

/** The kinds of a group's fields, by their names in the REST API. */
export type ShownUsageFieldKinds<Group extends UsageFieldGroup> = {
  [
    Name in UsageFieldName as Fields[Name]['group'] extends Group ? ShownName<Name> : never
  ]: Fields[Name]['kind'];
};

/** A group's fields in the REST API. */
export type ShownUsageFields<Group extends UsageFieldGroup> = ShownOf<ShownUsageFieldKinds<Group>>;
type ShownOf<Kinds> = {
  [Name in keyof Kinds]: Kinds[Name] extends UsageFieldKind
    ? UsageFieldKinds[Kinds[Name]]['shown']
    : never;
};

/** The plain fields as the catalog stores them. */
export type StoredUsageFields = {
  [Name in UsageFieldName]: UsageFieldKinds[Fields[Name]['kind']]['stored'];
};

export interface UsageField {
  readonly name: UsageFieldName;
  readonly from: 'settle' | 'entry';
  readonly kind: UsageFieldKind;
  readonly group: UsageFieldGroup;
  /** Its name in the proto and in the table. */
  readonly column: string;
  /** Its name in the REST API. */
  readonly shown: string;
  readonly most?: number;
  readonly description?: string;
}

/** The rows as a list. */
export const USAGE_FIELD_LIST = (Object.keys(USAGE_FIELDS) as UsageFieldName[]).map(
  (name): UsageField => ({
    ...USAGE_FIELDS[name],
    name,
    column: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    shown: name.replace(/NanoUsd$/, 'Usd'),
  }),
);
