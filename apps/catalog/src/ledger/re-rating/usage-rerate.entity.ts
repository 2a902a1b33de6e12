import type { TierPercent } from '@tollgate/contracts';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf } from '../../db/columns';
import { Model } from '../../entities/model.entity';
import { Organisation } from '../../entities/organisation.entity';
import type { StoredPriceStep } from '../../entities/price.entity';

export const RERATE_STATUSES = ['PENDING', 'RUNNING', 'DONE', 'FAILED'] as const;
export type RerateStatus = (typeof RERATE_STATUSES)[number];

/** By the start of a month in epoch milliseconds: how many records differ, and by how much. */
export type StoredMonths = Record<string, { records: number; nanoUsd: string }>;

/**
 * A corrected price of a model for [startsAt, endsAt), and the progress of applying it. Without a
 * price, earlier corrections are applied again. Of two corrections for one instant the newer row
 * applies. Corrections are never changed, only followed by newer ones.
 */
@Entity('usage_rerate')
@Index(['organisationId', 'id'])
@Index('usage_rerate_open_key', ['organisationId'], {
  unique: true,
  where: `status IN ('PENDING', 'RUNNING')`,
})
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@ForeignKey(() => Model, ['organisationId', 'modelId'], ['organisationId', 'id'])
@Check('usage_rerate_span_check', 'starts_at < ends_at')
@Check(
  'usage_rerate_price_check',
  `(steps IS NULL) = (per_request_nano_usd IS NULL)
    AND (steps IS NULL) = (per_unit_nano_usd IS NULL)
    AND (steps IS NULL OR model_id IS NOT NULL)`,
)
@Check('usage_rerate_status_check', oneOf('status', RERATE_STATUSES))
export class UsageRerate {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  /** Null: every model with a corrected price. */
  @Column('uuid', { nullable: true })
  modelId!: string | null;

  @Column('timestamptz')
  startsAt!: Date;

  @Column('timestamptz')
  endsAt!: Date;

  @Column('jsonb', { nullable: true })
  steps!: StoredPriceStep[] | null;

  @Column({ ...bigintColumn, nullable: true })
  perRequestNanoUsd!: bigint | null;

  @Column('jsonb', { nullable: true })
  perUnitNanoUsd!: Record<string, string> | null;

  @Column('jsonb', { default: {} })
  tierPercent!: TierPercent;

  /** Counts what would change, without changing it. */
  @Column('boolean')
  dryRun!: boolean;

  @Column('text')
  reason!: string;

  @Column('text', { default: 'PENDING' })
  status!: RerateStatus;

  /** Position after the last processed record, by instant and id. */
  @Column('timestamptz', { nullable: true })
  afterAt!: Date | null;

  @Column('uuid', { nullable: true })
  afterId!: string | null;

  @Column({ ...bigintColumn, default: 0 })
  records!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  changed!: bigint;

  /** Abandoned requests: charged what was held, so no price list applies. */
  @Column({ ...bigintColumn, default: 0 })
  held!: bigint;

  /** Records whose charge does not match their own price list. */
  @Column({ ...bigintColumn, default: 0 })
  otherwiseCharged!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  differenceNanoUsd!: bigint;

  @Column('jsonb', { default: {} })
  months!: StoredMonths;

  /** Consecutive failed batches. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column('text', { nullable: true })
  error!: string | null;

  @Column('uuid')
  createdBy!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;
}
