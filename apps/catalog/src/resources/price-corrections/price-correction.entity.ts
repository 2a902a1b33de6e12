import { rest, type TierPercent } from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  UpdateDateColumn,
} from 'typeorm';

import { bigintColumn, oneOf } from '../../db/columns';
import { Model } from '../../entities/model.entity';
import { Organisation } from '../../entities/organisation.entity';
import type { StoredPriceStep } from '../../entities/price.entity';
import { UsageRerate } from '../../ledger/re-rating/usage-rerate.entity';

/**
 * An organisation asks the operators to correct the price of booked requests in [startsAt, endsAt). One that is
 * withdrawn is deleted; a decided one stays, and an approved one names its re-rating.
 */
@Entity('price_correction')
@Index(['organisationId', 'id'])
@Index(['status', 'id'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@ForeignKey(() => Model, ['organisationId', 'modelId'], ['organisationId', 'id'])
@ForeignKey(() => UsageRerate, ['rerateId'], ['id'])
@Check('price_correction_span_check', 'starts_at < ends_at')
@Check('price_correction_status_check', oneOf('status', rest.PRICE_CORRECTION_STATUSES))
@Check('price_correction_decided_check', `(status = 'OPEN') = (decided_at IS NULL)`)
@Check('price_correction_rerate_check', `(status = 'APPROVED') = (rerate_id IS NOT NULL)`)
export class PriceCorrection {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('uuid')
  modelId!: string;

  @Column('timestamptz')
  startsAt!: Date;

  @Column('timestamptz')
  endsAt!: Date;

  @Column('jsonb')
  steps!: StoredPriceStep[];

  @Column(bigintColumn)
  perRequestNanoUsd!: bigint;

  @Column('jsonb')
  perUnitNanoUsd!: Record<string, string>;

  @Column('jsonb', { default: {} })
  tierPercent!: TierPercent;

  @Column('text')
  reason!: string;

  /** Requests and cost in the hourly rollups when the correction was requested: an estimate for the operator. */
  @Column(bigintColumn)
  requests!: bigint;

  @Column(bigintColumn)
  chargedNanoUsd!: bigint;

  @Column('text', { default: 'OPEN' })
  status!: rest.PriceCorrection['status'];

  @Column('uuid')
  requestedBy!: string;

  @Column('text', { nullable: true })
  answer!: string | null;

  @Column('uuid', { nullable: true })
  decidedBy!: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt!: Date | null;

  @Column('uuid', { nullable: true })
  rerateId!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
