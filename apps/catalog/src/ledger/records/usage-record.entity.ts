import {
  OUTCOMES,
  USAGE_QUALITIES,
  type Outcome,
  type TokenUsage,
  type UsageQuality,
} from '@tollgate/contracts';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn, oneOf } from '../../db/columns';
import { MeteredAmounts } from './token-counts.entity';

export const RECORD_MODES = ['SETTLED', 'ABANDONED'] as const;
export type RecordMode = (typeof RECORD_MODES)[number];

/** One try at an upstream, as stored; what may be absent was not kept by former releases. */
export type StoredAttempt = {
  modelId: string;
  providerId: string;
  connectionVersion: number;
  outcome: string;
  startedAtMs: number;
  latencyMs: number;
  firstTokenMs: number;
  httpStatus: number;
  /** Tokens by class, as many as the attempt reported. */
  usage?: TokenUsage;
  costNanoUsd: string;
  /** By which the cost was reckoned; empty: it has none. */
  priceId?: string;
  /** It was called beside another one. */
  hedge?: boolean;
  upstreamRequestId: string;
  /** As the provider names it. */
  upstreamModel?: string;
};

const OF_ONE = ['organisationId'];
const BY_TIME = ['authorisedAt', 'id'];

/**
 * One answered request; never rewritten. The id is the request id, a UUIDv7, by which the table is
 * partitioned into months; no foreign keys, because a record outlives what it names. One index per
 * scope that a limit can have: a window's total is a sum over one of them; the partial ones are for lists
 * of what is rare.
 */
@Entity('usage_record')
@Index(['organisationId', 'authorisedAt', 'id'])
@Index(['teamId', 'authorisedAt', 'id'], { where: 'team_id IS NOT NULL' })
@Index(['userId', 'authorisedAt', 'id'], { where: 'user_id IS NOT NULL' })
@Index(['apiKeyId', 'authorisedAt', 'id'])
@Index(['modelId', 'authorisedAt', 'id'])
@Index(['providerId', 'authorisedAt', 'id'])
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
@Check('usage_record_mode_check', oneOf('mode', RECORD_MODES))
@Check('usage_record_outcome_check', oneOf('outcome', OUTCOMES))
@Check('usage_record_usage_quality_check', oneOf('usage_quality', USAGE_QUALITIES))
export class UsageRecord extends MeteredAmounts {
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

  @Column('text')
  modelName!: string;

  @Column('text')
  operation!: string;

  @Column('text')
  route!: string;

  @Column('text', { nullable: true })
  clientRequestId!: string | null;

  /** ABANDONED: no answer came back in time and the whole hold was charged. */
  @Column('text')
  mode!: RecordMode;

  /** Of an abandoned request a guess at best: nobody knows how it ended until the truth comes. */
  @Column('text', { nullable: true })
  outcome!: Outcome | null;

  @Column('timestamptz')
  authorisedAt!: Date;

  /** The zone in which it was booked: its day and month are dates of that zone. Null: not kept then. */
  @Column('text', { nullable: true })
  timeZone!: string | null;

  @Column('timestamptz')
  closedAt!: Date;

  @Column('boolean')
  stream!: boolean;

  @Column('integer')
  httpStatus!: number;

  @Column('text', { nullable: true })
  errorCode!: string | null;

  @Column('text', { nullable: true })
  stopReason!: string | null;

  @Column('text')
  usageQuality!: UsageQuality;

  /** Billable units beside tokens, as decimal strings. */
  @Column('jsonb')
  units!: Record<string, string>;

  @Column(bigintColumn)
  heldNanoUsd!: bigint;

  /** Cost beyond what was held. */
  @Column(bigintColumn)
  estimateShortfallNanoUsd!: bigint;

  @Column(bigintColumn)
  inputTokensEstimate!: bigint;

  @Column('uuid', { nullable: true })
  priceId!: string | null;

  @Column('integer')
  latencyMs!: number;

  @Column('integer', { nullable: true })
  firstTokenMs!: number | null;

  @Column('text', { nullable: true })
  upstreamRequestId!: string | null;

  @Column('text', { nullable: true })
  responseId!: string | null;

  @Column('jsonb')
  attempts!: StoredAttempt[];

  /** Where in the ledger it was booked. */
  @Column('smallint')
  shard!: number;

  @Column(bigintColumn)
  seq!: bigint;

  @Column('timestamptz', { default: () => 'now()' })
  recordedAt!: Date;
}
