import { Column, Entity, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { TokenCounts } from '../records/token-counts.entity';

const sum = { ...bigintColumn, default: 0 };

/**
 * Sums of the records and adjustments that retention has removed, so that the books still add up.
 */
@Entity('usage_removed')
export class UsageRemoved extends TokenCounts {
  @PrimaryColumn('uuid')
  organisationId!: string;

  /** Records authorised before this instant are removed. */
  @Column('timestamptz')
  recordsFrom!: Date;

  @Column(sum)
  records!: bigint;

  @Column(sum)
  abandoned!: bigint;

  @Column(sum)
  adjustments!: bigint;

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
  estimateShortfallNanoUsd!: bigint;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
