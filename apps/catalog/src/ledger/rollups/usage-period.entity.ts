import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf } from '../../db/columns';
import { TokenCounts } from '../records/token-counts.entity';
import { PERIOD_COUNTS, PERIODS, type Period } from './period-sql';

const sum = { ...bigintColumn, default: 0 };

/**
 * Usage of an hour, a day or a month: the source of charts, breakdowns and invoices. Days and
 * months are dates of the organisation's calendar when the request was authorised. Rows with
 * `owners` are keyed by team, user and key; the others sum over them. The id is a hash of the key.
 */
@Entity('usage_period')
@Check('usage_period_period_check', oneOf('period', PERIODS))
@Index('usage_period_organisation_idx', ['organisationId', 'period', 'owners', 'starts'])
@Index('usage_period_team_idx', ['teamId', 'period', 'starts'], {
  where: 'owners AND team_id IS NOT NULL',
})
@Index('usage_period_user_idx', ['userId', 'period', 'starts'], {
  where: 'owners AND user_id IS NOT NULL',
})
@Index('usage_period_api_key_idx', ['apiKeyId', 'period', 'starts'], { where: 'owners' })
@Index('usage_period_platform_idx', ['period', 'starts'], { where: 'NOT owners' })
export class UsagePeriod extends TokenCounts {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  period!: Period;

  /** An hour in UTC, a day or a month in the organisation's calendar. */
  @Column('timestamp')
  starts!: string;

  @Column('boolean')
  owners!: boolean;

  @Column('uuid', { nullable: true })
  teamId!: string | null;

  @Column('uuid', { nullable: true })
  userId!: string | null;

  @Column('uuid', { nullable: true })
  apiKeyId!: string | null;

  @Column('uuid', { nullable: true })
  modelId!: string | null;

  @Column('uuid', { nullable: true })
  providerId!: string | null;

  @Column('uuid', { nullable: true })
  mcpServerId!: string | null;

  @Column('text')
  operation!: string;

  /** An outcome, or ABANDONED. */
  @Column('text')
  status!: string;

  @Column(sum)
  costNanoUsd!: bigint;

  @Column(sum)
  requests!: bigint;

  @Column(sum)
  errors!: bigint;

  @Column(sum)
  tokensIn!: bigint;

  @Column(sum)
  tokensOut!: bigint;

  @Column(sum)
  upstreamMs!: bigint;

  @Column(sum)
  latencyMs!: bigint;

  @Column(sum)
  latencyCount!: bigint;

  @Column(sum)
  firstTokenMs!: bigint;

  @Column(sum)
  firstTokenCount!: bigint;
}

// Two histograms with one column for each of 32 buckets, because PostgreSQL sums columns faster
// than arrays.
for (const name of PERIOD_COUNTS) {
  Column('integer', { name, default: 0 })(UsagePeriod.prototype, name);
}
