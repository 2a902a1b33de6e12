// Kinds and groups of the plain fields of usage records.

/** What a field holds: on the wire, in the table, and in the REST API. */
export interface UsageFieldKinds {
  text: { wire: string; stored: string; shown: string };
  /** An empty text is stored as null. */
  optionalText: { wire: string; stored: string | null; shown: string | null };
  flag: { wire: boolean; stored: boolean; shown: boolean };
  integer: { wire: number; stored: number; shown: number };
  /** 0 is stored as null. */
  optionalInteger: { wire: number; stored: number | null; shown: number | null };
  tokens: { wire: number; stored: bigint; shown: number };
  /** Nano-USD as decimal digits on the wire, decimal US dollars in the REST API. */
  nanoUsd: { wire: string; stored: bigint; shown: string };
  /** An empty text is stored as null. */
  optionalNanoUsd: { wire: string; stored: bigint | null; shown: string | null };
  /** A UUID; an empty text is stored as null. */
  optionalId: { wire: string; stored: string | null; shown: string | null };
}
export type UsageFieldKind = keyof UsageFieldKinds;

/**
 * Where the REST API shows a field. Lists and CSV have the groups `request`, `answer` and `timing`; a
 * single record also has `hold` and `upstream`; `internal` fields are only stored.
 */
export type UsageFieldGroup = 'request' | 'answer' | 'timing' | 'hold' | 'upstream' | 'internal';

/** Fields of a settle and of an entry that are no plain fields of a record. */
export type SettleByHand =
  | 'requestId'
  | 'holdToken'
  | 'cancelled'
  | 'outcome'
  | 'usage'
  | 'units'
  | 'usageQuality'
  | 'costNanoUsd'
  | 'modelId'
  | 'providerId'
  | 'upstreamMs'
  | 'attempts'
  | 'addedTokens'
  | 'assumedTokens'
  | 'readTokens'
  | 'itemIds'
  | 'conversationId'
  | 'spanId'
  | 'mcp';
export type EntryByHand =
  | 'seq'
  | 'requestId'
  | 'mode'
  | 'authorisedAtMs'
  | 'closedAtMs'
  | 'subject'
  | 'modelId'
  | 'modelName'
  | 'providerId'
  | 'settle'
  | 'touched'
  | 'timeZone'
  | 'mcp';
