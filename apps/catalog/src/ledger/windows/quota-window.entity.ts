import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { Quota } from '../../entities/quota.entity';

/** A quota's use in [startsAt, endsAt). Only the ledger writes it, like `budget_window`. */
@Entity('quota_window')
@ForeignKey(() => Quota, ['organisationId', 'quotaId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@Check('quota_window_span_check', 'starts_at < ends_at')
export class QuotaWindow {
  @PrimaryColumn('uuid')
  quotaId!: string;

  @PrimaryColumn('timestamptz')
  startsAt!: Date;

  @PrimaryColumn('timestamptz')
  endsAt!: Date;

  @Column('uuid')
  organisationId!: string;

  @Column({ ...bigintColumn, default: 0 })
  used!: bigint;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
