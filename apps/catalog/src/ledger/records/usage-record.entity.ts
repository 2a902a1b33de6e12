import {
  OUTCOMES,
  USAGE_QUALITIES,
  type Outcome,
  type StoredUsageFields,
  type TokenUsage,
  type UsageQuality,
} from '@tollgate/contracts';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf, writtenXidColumn } from '../../db/columns';
import { MeteredAmounts } from './token-counts.entity';
import { defineUsageFieldColumns } from './usage-fields';

export const RECORD_MODES = ['SETTLED', 'ABANDONED'] as const;
export type RecordMode = (typeof RECORD_MODES)[number];

/**
 * An attempt at an upstream, as stored. Optional fields are missing in rows of earlier releases.
 */
export interface StoredAttempt {
  modelId: string;
  providerId: string;
  connectionVersion: number;
  outcome: string;
  startedAtMs: number;
  latencyMs: number;
  firstTokenMs: number;
  httpStatus: number;
  /** Tokens by class, as far as reported. */
  usage?: TokenUsage;
  costNanoUsd: string;
  /** The cost if the provider had cached nothing; missing: its caches were not used, or it was not recorded. */
  uncachedCostNanoUsd?: string;
  /** The price behind the cost; empty when there is none. */
  priceId?: string;
  /** The processing tiers of the cost; missing: standard processing, or not recorded. */
  serviceTier?: string;
  /** A hedged attempt, which ran in parallel with another one. */
  hedge?: boolean;
  upstreamRequestId: string;
  /** The provider's name of the model. */
  upstreamModel?: string;
  /** Of its connection at that time; missing: unknown, or not recorded. */
  region?: string;
  /** Why it failed; missing for a success. */
  message?: string;
}

/** A counter of a value: its id, and the start and end of its window in milliseconds. */
export type StoredLimitValue = [counterId: string, startMs: number, endMs: number];

/** Has a column for each row of `USAGE_FIELDS`. */
abstract class PlainFields extends MeteredAmounts {}
defineUsageFieldColumns(PlainFields.prototype);
const RecordBase = PlainFields as abstract new () => MeteredAmounts & StoredUsageFields;

const OF_ONE = ['organisationId'];
const BY_TIME = ['authorisedAt', 'id'];

/**
 * One answered request. Updated only to remove the name of an end user. The id is the request id, a UUIDv7, which partitions the
 * table by month. There are no foreign keys, because a record outlives the objects that it names.
 * Each scope of a limit has an index, because a window's total is a sum over one scope; the partial
 * indexes serve filters on rare values.
 */
@Entity('usage_record')
@Index(['organisationId', 'authorisedAt', 'id'])
@Index(['teamId', 'authorisedAt', 'id'], { where: 'team_id IS NOT NULL' })
@Index(['userId', 'authorisedAt', 'id'], { where: 'user_id IS NOT NULL' })
@Index(['apiKeyId', 'authorisedAt', 'id'])
@Index(['modelId', 'authorisedAt', 'id'])
@Index(['providerId', 'authorisedAt', 'id'])
@Index(['mcpServerId', 'authorisedAt', 'id'], { where: 'mcp_server_id IS NOT NULL' })
@Index('usage_record_client_request_id_idx', [...OF_ONE, 'clientRequestId', ...BY_TIME], {
  where: 'client_request_id IS NOT NULL',
})
@Index('usage_record_error_code_idx', [...OF_ONE, 'errorCode', ...BY_TIME], {
  where: 'error_code IS NOT NULL',
})
@Index('usage_record_http_status_idx', [...OF_ONE, 'httpStatus', ...BY_TIME], {
  where: 'http_status <> 200',
})
@Index('usage_record_outcome_idx', [...OF_ONE, 'outcome', ...BY_TIME], {
  where: `outcome <> 'COMPLETED'`,
})
@Index('usage_record_abandoned_idx', [...OF_ONE, ...BY_TIME], { where: `mode = 'ABANDONED'` })
@Index('usage_record_screening_idx', [...OF_ONE, ...BY_TIME], { where: 'screening IS NOT NULL' })
@Index('usage_record_tags_idx', [...OF_ONE, ...BY_TIME], { where: 'tags IS NOT NULL' })
@Index('usage_record_end_user_idx', [...OF_ONE, 'endUser', ...BY_TIME], {
  where: 'end_user IS NOT NULL',
})
@Index('usage_record_session_idx', [...OF_ONE, 'session', ...BY_TIME], {
  where: 'session IS NOT NULL',
})
@Index('usage_record_requested_model_idx', [...OF_ONE, 'requestedModel', ...BY_TIME], {
  where: 'requested_model IS NOT NULL',
})
@Index('usage_record_experiment_idx', [...OF_ONE, 'experimentId', ...BY_TIME], {
  where: 'experiment_id IS NOT NULL',
})
@Index('usage_record_routing_policy_idx', [...OF_ONE, 'routingPolicyId', ...BY_TIME], {
  where: 'routing_policy_id IS NOT NULL',
})
@Index(['writtenXid', 'id'], { where: 'written_xid IS NOT NULL' })
@Check('usage_record_mode_check', oneOf('mode', RECORD_MODES))
@Check('usage_record_outcome_check', oneOf('outcome', OUTCOMES))
@Check('usage_record_usage_quality_check', oneOf('usage_quality', USAGE_QUALITIES))
export class UsageRecord extends RecordBase {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('uuid', { nullable: true })
  teamId!: string | null;

  @Column('uuid', { nullable: true })
  userId!: string | null;

  @Column('uuid')
  apiKeyId!: string;

  @Column('uuid', { nullable: true })
  modelId!: string | null;

  @Column('uuid', { nullable: true })
  providerId!: string | null;

  /** Set for requests to an MCP server, which have neither model nor provider. */
  @Column('uuid', { nullable: true })
  mcpServerId!: string | null;

  @Column('text')
  modelName!: string;

  /** ABANDONED: no close arrived before the lease expired, and the whole hold was charged. */
  @Column('text')
  mode!: RecordMode;

  /** The counters of values that the request counts in: id, start and end of the window. Null: none. */
  @Column('jsonb', { nullable: true })
  limitValues!: StoredLimitValue[] | null;

  /** For an abandoned request a guess; unknown until late usage arrives. */
  @Column('text', { nullable: true })
  outcome!: Outcome | null;

  @Column('timestamptz')
  authorisedAt!: Date;

  /**
   * The zone in which it was booked: its day and month are dates of that zone. Null: not stored
   * then.
   */
  @Column('text', { nullable: true })
  timeZone!: string | null;

  @Column('timestamptz')
  closedAt!: Date;

  @Column('text')
  usageQuality!: UsageQuality;

  /** Billable units other than tokens, as decimal strings. */
  @Column('jsonb')
  units!: Record<string, string>;

  @Column('jsonb')
  attempts!: StoredAttempt[];

  /** Shard and position in the ledger. */
  @Column('smallint')
  shard!: number;

  @Column(bigintColumn)
  seq!: bigint;

  @Column('timestamptz', { default: () => 'now()' })
  recordedAt!: Date;

  /** The transaction that wrote the row, for the export. Null: written before it was stored. */
  @Column(writtenXidColumn)
  writtenXid!: bigint | null;
}
