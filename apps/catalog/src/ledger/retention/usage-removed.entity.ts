import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../db/columns';
import { TokenCounts } from '../records/token-counts.entity';

const sum = { ...bigintColumn, default: 0 };

/**
 * What retention has removed of an organisation: records and adjustments are gone, their sums stay
 * here, so that the books go on adding up.
 */
@Entity('usage_removed')
export class UsageRemoved extends TokenCounts {
  @PrimaryColumn('uuid')
  organisationId!: string;

  /** Nothing authorised before this instant is kept. */
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
